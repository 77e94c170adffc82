"""Two attentions over different keys become one over all: results, log-sum-exps, weights."""

import math
from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, box, short

INFINITY = math.inf
VALUES = [2, 4, 1, 3, 5, 2, 8, 6, 9, 7, 5, 8]  # of the twelve keys, one element each
# name: (what it is called, the twelve scores)
ROWS: dict[str, tuple[str, list[float]]] = {
    "mixed": ("Twelve scores", [1, 0, 2, 1, 3, 0, 2, 4, 1, 0, 2, 1]),
    "equal": ("All alike", [1] * 12),
    "peak": ("One key far above the others", [0, 1, 0, 7, 1, 0, 0, 1, 0, 1, 0, 1]),
    "large": ("Scores around 90", [91, 90, 92, 91, 93, 90, 92, 94, 91, 90, 92, 91]),
    "masked": ("The last four masked", [1, 0, 2, 1, 3, 0, 2, 4] + [-INFINITY] * 4),
}
WAYS = {
    "lse": "By their log-sum-exps",
    "mean": "As a plain average",
    "max": "By their log-sum-exps, of which the greater one is kept",
}
WIDE, TOP, FLOOR = 34, 8, 78  # px: a key, the highest bar's top, the bars' foot


def part(scores: list[float], values: list[int]) -> tuple[float, float]:
    """(log-sum-exp, result) of an attention over some keys; zero where there is none."""
    top = max(scores, default=-INFINITY)
    if top == -INFINITY:
        return -INFINITY, 0.0
    weights = [math.exp(score - top) for score in scores]
    total = sum(weights)
    return top + math.log(total), sum(
        w * v for w, v in zip(weights, values, strict=True)
    ) / total  # fmt: skip


def merged(way: str, a: tuple[float, float], b: tuple[float, float]) -> list[float]:
    """[log-sum-exp, result, weight of a, weight of b] of two parts together."""
    top = max(a[0], b[0])
    if top == -INFINITY:
        return [top, 0.0, 0.0, 0.0]
    lse = top + math.log(math.exp(a[0] - top) + math.exp(b[0] - top))
    weights = [0.5, 0.5] if way == "mean" else [math.exp(a[0] - lse), math.exp(b[0] - lse)]
    return [top if way == "max" else lse, weights[0] * a[1] + weights[1] * b[1], *weights]


def words(value: float) -> str:
    """A number as the figure writes it."""
    if value == 0:
        return "0"
    if math.isinf(value):
        return "−∞"
    return short(value) if value > 0 else "−" + short(-value)


def percent(share: float) -> str:
    return f"{math.floor(100 * share + 0.5)} %"


def merge(row: str, first: int, way: str) -> dict[str, Any]:
    """The two parts, what becomes of them, a sentence, a drawing."""
    scores = ROWS[row][1]
    a, b = part(scores[:first], VALUES[:first]), part(scores[first:], VALUES[first:])
    whole = part(scores, VALUES)
    lse, out, of_a, of_b = merged(way, a, b)
    said = (
        f"{WAYS[way]}. The first part has {first} of 12 keys, log-sum-exp {words(a[0])} and "
        f"result {words(a[1])}, the second {words(b[0])} and {words(b[1])}. They weigh "
        f"{percent(of_a)} and {percent(of_b)}: the result is {words(out)}"
    )
    if words(out) != words(whole[1]):
        said += f", and {words(whole[1])} would be right."
    else:
        said += ", as over all keys at once."
    if words(lse) != words(whole[0]):
        said += f" The log-sum-exp should be {words(whole[0])}: the next merge will be wrong."

    finite = [score for score in scores if score != -INFINITY]
    low, high = min(finite), max(max(finite), min(finite) + 1)

    def y(score):
        return FLOOR if score < low else FLOOR - 14 - (FLOOR - 14 - TOP) * (score - low) / (
            high - low)  # fmt: skip

    used = hot = ""
    texts: list[list[Any]] = []
    for n, score in enumerate(scores):
        x = 34 + WIDE * n
        bar = box(x + 4, y(score), WIDE - 8, FLOOR - y(score))
        if n < first:
            used += bar
        else:
            hot += bar
        texts.append([x + 17, FLOOR + 14, words(score), "w-mid"])
        texts.append([x + 17, FLOOR + 30, words(VALUES[n]), "w-mid"])
    texts.append([30, FLOOR + 14, "s", "w-end"])
    texts.append([30, FLOOR + 30, "v", "w-end"])
    frames = ""
    for left, (part_lse, part_out), share in ((34, a, of_a), (240, b, of_b)):
        frames += box(left + 2, FLOOR + 40, 198, 36)
        texts.append([left + 101, FLOOR + 54, f"lse {words(part_lse)}, out {words(part_out)}",
                      "w-mid"])  # fmt: skip
        texts.append([left + 101, FLOOR + 70, f"weighs {percent(share)}", "w-mid"])
    frames += box(120, FLOOR + 86, 236, 22)
    texts.append([238, FLOOR + 101, f"lse {words(lse)}, out {words(out)}", "w-mid"])
    return {
        "merged": [words(lse), words(out)], "said": said, "height": FLOOR + 114,
        "paths": [["w-used", used], ["w-hot", hot], ["w-frame", frames]], "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "Two results become one",
    "A bar is the score s of a key, v its value. Blue: the first part's keys, orange: the second "
    "part's. A frame below is what a part hands on; the last frame is what the merge makes of "
    "them.",
    merge,
    {
        "row": Knob("The scores", "mixed", {name: row[0] for name, row in ROWS.items()}),
        "first": Knob("Keys in the first part", 4, range(13)),
        "way": Knob("How they merge", "lse", WAYS),
    },
    ("merge",),
    # For the script; JSON has no infinity.
    [{name: [None if s == -INFINITY else s for s in row[1]] for name, row in ROWS.items()},
     WAYS, VALUES],
)  # fmt: skip
