"""Two kernels that are timed again and again: what a minimum, a median and a mean make of it."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, at, box, ladder_of, line, several

BASE = 24_000  # ns, what A takes
LEFT, WIDE, TOP, HIGH = 46, 394, 38, 170  # px of the plot
PARTS = {0: "none", 2: "0.2 %", 5: "0.5 %", 10: "1 %", 20: "2 %", 30: "3 %", 50: "5 %",
         100: "10 %"}  # fmt: skip
ORDERS = {"turns": "in turns: A B A B", "after": "first all of A, then all of B"}


def random(k: int) -> int:
    """A number of 32 bits that seems to have nothing to do with k, by whole numbers alone."""
    for factor in (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35):
        k = k * factor & 0xFFFFFFFF
        k ^= k >> 15
    return k


def measured(
    difference: int, scatter: int, outliers: int, drift: int, runs: int, order: str, seed: int
) -> list[list[tuple[int, int, int, int]]]:
    """The runs of A and of B: when, and how many ns without scatter, with it, with outliers."""
    found: list[list[tuple[int, int, int, int]]] = [[], []]
    for who, series in enumerate(found):
        base = BASE - BASE // 1000 * difference * who
        for k in range(runs):
            when = 2 * k + who if order == "turns" else who * runs + k
            true = base + base * drift * when // (1000 * (2 * runs - 1))
            # The sum of four bytes is nearly normal; its p20 and its p80 lie 256 apart.
            word, other = (random(seed * 1024 + who * 512 + 2 * k + j) for j in range(2))
            off = (word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24) - 510
            usual = true + (48 * off * scatter + 256 >> 9)
            late = 2400 + (other >> 8) % 12000 if other % 100 < outliers else 0
            series.append((when, true, usual, usual + late))
    return found


def decimal(whole: int, digits: int) -> str:
    """A whole number of tenths, hundredths ... as a decimal number."""
    return f"{whole // 10**digits}.{whole % 10**digits:0{digits}}"


def repeats(**state: Any) -> dict[str, Any]:
    """Each statistic of A and B, a sentence, a drawing."""
    series, runs, difference = measured(**state), state["runs"], state["difference"]
    ranks = [sorted(run[3] for run in one) for one in series]
    ranked = [  # of A, of B, and so many times over
        ("minimum", *(r[0] for r in ranks), 1),
        ("median", *(r[(runs - 1) // 2] + r[runs // 2] for r in ranks), 2),
        ("mean", *(sum(r) for r in ranks), runs),
    ]
    bottom = TOP + HIGH
    texts: list[list[Any]] = [
        [x, bottom + 42, words, "w-end"]
        for x, words in ((190, "A, µs"), (265, "B, µs"), (335, "faster"), (440, "times as fast"))
    ]
    verdicts = []
    for k, (name, a, b, over) in enumerate(ranked):
        row, low, high = bottom + 62 + 20 * k, min(a, b), max(a, b)
        faster = "B" if b < a else "A" if a < b else "neither"
        ratio = decimal((2000 * high + low) // (2 * low), 3)
        texts.append([LEFT, row, name, ""])
        texts += [[x, row, decimal((ns + 5 * over) // (10 * over), 2), "w-end"]
                  for x, ns in ((190, a), (265, b))]  # fmt: skip
        texts += [[335, row, faster, "w-end w-bold"], [440, row, ratio, "w-end"]]
        much = "faster" if a == b else f"{ratio} times as fast"
        verdicts.append(f"by the {name} {faster} is {much}")
    less = f"{difference / 10:g} % less time than" if difference else "as long as"
    how = f"{several(runs, 'run')} of A and then {runs} of B"
    if state["order"] == "turns":
        how = f"{several(runs, 'run')} of each in turns"
    said = f"B takes {less} A. After {how}, {', '.join(verdicts)}."

    # The runs over time. Outliers stand above the scale.
    usual = [ns for one in series for _, true, plain, _ in one for ns in (true, plain)]
    low, high = min(usual), max(usual)
    room = 60 + (high - low) // 12
    low, high = low - room, high + room

    def across(when):
        return LEFT + WIDE * (2 * when + 1) / (4 * runs)

    def down(ns):
        return TOP + HIGH * (high - ns) / (high - low)

    dots, middles, ideal, above = ["", ""], ["", ""], "", 0
    for who, one in enumerate(series):
        for when, _, _, ns in one:
            x, y = across(when), down(ns)
            if ns > high:
                above, y = above + 1, TOP - 10
            dots[who] += f"M{at(x)} {at(y - 4)}l4 4l-4 4l-4-4z" if who else box(x - 3, y - 3, 6, 6)
        first, last = one[0], one[-1]
        ideal += line(across(first[0]), down(first[1]), across(last[0]), down(last[1]))
        y = down(ranked[1][1 + who] / 2)
        middles[who] = line(across(first[0]) - 3, y, across(last[0]) + 3, y)
    texts += [[LEFT - 5, 13, "µs", "w-end"], [440, bottom + 15, "time", "w-end"]]
    if above:
        texts.append([440, 13, f"{above} above the scale", "w-end"])
    step, grid = 10 * ladder_of((high - low) / 60), ""
    for ns in range(-(-low // step) * step, high + 1, step):
        y = at(down(ns))
        grid += f"M{LEFT} {y}h{WIDE}"
        texts.append([LEFT - 5, at(y + 4.5), decimal(ns // 10, 2), "w-end"])
    return {
        "ranked": [[name, a, b] for name, a, b, _ in ranked], "above": above,
        "said": said, "height": bottom + 108,
        "paths": [["w-grid", grid], ["w-frame", box(LEFT, TOP - 20, WIDE, HIGH + 20)],
                  ["w-next", ideal], ["w-used", dots[0]], ["w-hot", dots[1]],
                  ["w-blue", middles[0]], ["w-orange", middles[1]]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "Two kernels, timed again and again",
    "Blue squares: runs of A. Orange diamonds: runs of B. Thick lines: their medians. Dashed: what "
    "they would take without scatter. In the strip on top: runs that took longer than the scale "
    "reaches. The dots are made up by a formula; no kernel runs here.",
    repeats,
    {
        "difference": Knob("B takes less time by", 10, PARTS),
        "scatter": Knob("Scatter, p20 to p80", 10, PARTS),
        "drift": Knob("While they run, times grow by", 30, PARTS),
        "order": Knob("Order", "turns", ORDERS),
        "runs": Knob("Runs of each", 30, range(1, 61)),
        "outliers": Knob("Outliers, %", 0, range(21)),
        "seed": Knob("Another day", 1, range(1, 100)),
    },
    ("plot", "repeats"),
)
