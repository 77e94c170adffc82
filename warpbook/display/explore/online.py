"""Online softmax, step by step: what a thread knows of its row after each element; the merge."""

import math
from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, box, line, short

INFINITY = math.inf
LOWEST = -(2.0**128 - 2.0**104)  # of all finite floats
# name: (what it is called, its twelve elements)
ROWS: dict[str, tuple[str, list[float]]] = {
    "mixed": ("Twelve numbers", [1, 3, 2, 0, 4, 2, -1, 3, 5, 1, 4, 0]),
    "rising": ("Each greater than the last", list(range(12))),
    "falling": ("Each smaller than the last", list(range(11, -1, -1))),
    "large": ("Numbers around 86", [84, 86, 85, 83, 88, 86, 89, 87, 90, 85, 88, 84]),
    "masked": ("Four of minus infinity first", [-INFINITY] * 4 + [2, 1, 3, 0, 2, 4, 1, 3]),
    "empty": ("Nothing but minus infinity", [-INFINITY] * 12),
}
WAYS = {
    "lowest": "Online, from the lowest float",
    "infinite": "Online, from minus infinity",
    "plain": "No maximum: the sum of exp(x)",
}
START = {"lowest": LOWEST, "infinite": -INFINITY, "plain": 0.0}
WIDE, TOP, FLOOR = 34, 8, 88  # px: an element, the highest bar's top, the bars' foot


def single(value: float) -> float:
    """A number rounded to float32."""
    if math.isnan(value) or math.isinf(value) or value == 0:
        return value
    if abs(value) >= 2.0**128 - 2.0**103:
        return math.copysign(INFINITY, value)
    _, exponent = math.frexp(value)
    unit = 2.0 ** (max(exponent, -125) - 24)
    return round(value / unit) * unit


def exp(value: float) -> float:
    return math.nan if math.isnan(value) else single(math.exp(min(value, 700)))


def meet(way: str, part: tuple[float, float], value: float) -> tuple[float, float]:
    """(maximum, sum) of what a thread has seen, after one more element."""
    top, total = part
    if way != "plain" and value > top:
        total, top = single(total * exp(top - value)), value
    return top, single(total + exp(value - top))


def merged(way: str, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """(maximum, sum) of what two threads have seen."""
    top = a[0] if way == "plain" else max(a[0], b[0])
    return top, single(
        single(a[1] * exp(single(a[0] - top))) + single(b[1] * exp(single(b[0] - top)))
    )


def words(value: float) -> str:
    """A number as the figure writes it."""
    if math.isnan(value):
        return "NaN"
    if value == 0:
        return "0"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == LOWEST:
        return "lowest"
    if abs(value) >= 1e10:
        return f"{value:.1e}".replace("+", "")
    return short(value) if value > 0 else "−" + short(-value)


def known(row: str, way: str, threads: int, done: int) -> tuple[list, list, set[int]]:
    """What each thread knows before the last of so many steps, and after it: (maximum, sum).

    Also, at which elements a thread has rescaled its sum.
    """
    values, each = ROWS[row][1], 12 // threads
    parts = [(START[way], 0.0) for _ in range(threads)]
    before, rescaled = parts, set()
    for turn in range(min(done, each)):
        mine = [thread * each + turn for thread in range(threads)]
        before = parts
        parts = [meet(way, before[thread], values[n]) for thread, n in enumerate(mine)]
        rescaled |= {n for n, a, b in zip(mine, before, parts, strict=True) if a[0] != b[0]}
    while done > each and len(parts) > 1:
        before, done = parts, done - 1
        parts = [merged(way, parts[n], parts[n + 1]) for n in range(0, len(parts), 2)]
    return before, parts, rescaled


def online(row: str, way: str, threads: int, done: int) -> dict[str, Any]:
    """What the threads know, a sentence, a drawing."""
    values, each = ROWS[row][1], 12 // threads
    seen, last = min(done, each), each + threads.bit_length() - 1
    step = min(done, last)
    before, parts, rescaled = known(row, way, threads, done)
    finished = step == last
    top, total = parts[0]
    results = [divided(exp(single(v - top)), total) for v in values] if finished else []

    old, old_sum = before[0]
    said = f"{WAYS[way]}. "
    if not step:
        said += f"Nothing is read yet: the maximum is {words(top)}, the sum 0."
    elif step > each:
        (a, a_sum), (b, b_sum) = before[:2]
        said += (
            f"Step {step} of {last}, a merge: {words(a_sum)} × exp({words(a)} − {words(top)}) + "
            f"{words(b_sum)} × exp({words(b)} − {words(top)}) = {words(total)}, at the maximum "
            f"{words(top)}."
        )
    else:
        value = values[step - 1]
        said += f"Step {step} of {last}: the first thread meets {words(value)}"
        if top != old:
            said += (
                f", greater than its maximum {words(old)}. It rescales its sum: {words(old_sum)} "
                f"× exp({words(old)} − {words(top)}) + 1 = {words(total)}."
            )
        else:
            said += (
                f". The sum becomes {words(old_sum)} + exp({words(value)} − {words(top)}) = "
                f"{words(total)}."
            )
    if finished:
        said += f" The results add up to {words(sum(results))}."

    finite = [v for v in values if not math.isinf(v)]
    low, high = (min(finite), max(finite)) if finite else (0, 1)

    def y(value):
        if value < low:
            return FLOOR
        return FLOOR - 12 - (FLOOR - 12 - TOP) * (value - low) / (high - low)

    idle = used = hot = tops = ""
    texts: list[list[Any]] = []
    for n, value in enumerate(values):
        x = 34 + WIDE * n
        bar = box(x + 4, y(value), WIDE - 8, FLOOR - y(value))
        if n % each >= seen:
            idle += bar
        elif n in rescaled:
            hot += bar
        else:
            used += bar
        texts.append([x + 17, FLOOR + 14, words(value), "w-mid"])
        if finished:
            texts.append([x + 17, FLOOR + 72, percent(results[n]), "w-mid"])
    frames = ""
    span = 12 // len(parts) * WIDE
    for n, (top, total) in enumerate(parts):
        x = 34 + span * n
        frames += box(x + 2, FLOOR + 22, span - 4, 34)
        texts.append([x + span // 2, FLOOR + 36, f"max {words(top)}", "w-mid"])
        texts.append([x + span // 2, FLOOR + 51, f"sum {words(total)}", "w-mid"])
        if low <= top <= high and way != "plain":
            tops += line(x + 2, y(top), x + span - 2, y(top))
    texts.append([30, FLOOR + 14, "x", "w-end"])
    if finished:
        texts.append([30, FLOOR + 72, "%", "w-end"])
    return {
        "parts": [[words(top), words(total)] for top, total in parts], "said": said,
        "height": FLOOR + 80,
        "paths": [["w-idle", idle], ["w-used", used], ["w-hot", hot], ["w-frame", frames],
                  ["w-over", tops]],
        "texts": texts,
    }  # fmt: skip


def divided(a: float, b: float) -> float:
    """A quotient as the hardware gives it."""
    if b == 0:
        return math.nan if a == 0 else INFINITY
    return math.nan if math.isinf(a) and math.isinf(b) else a / b


def percent(share: float) -> str:
    """A share as a whole number of per cent, or NaN."""
    return words(share) if not math.isfinite(share) else str(math.floor(100 * share + 0.5))


FIGURE = Recipe(
    "Online softmax, step by step",
    "A bar is an element of the row. Blue: read. Orange: read, and greater than all that its "
    "thread had read before, so that the thread rescaled its sum. Dashed: the maximum so far. A "
    "frame is what one thread knows; at the end threads merge.",
    online,
    {
        "row": Knob("The row", "mixed", {name: row[0] for name, row in ROWS.items()}),
        "way": Knob("How", "lowest", WAYS),
        "threads": Knob("Threads", 1, (1, 2, 4)),
        "done": Knob("Steps done", 5, range(13)),
    },
    ("online",),
    # For the script; JSON has no infinity.
    [{name: [None if math.isinf(v) else v for v in row[1]] for name, row in ROWS.items()}, WAYS],
)
