"""A tree of additions over the 32 lanes of a warp: who adds what, level by level."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, box, line, several

TREES = {
    "interleaved": "Shared memory, 1 to 16 apart",
    "sequential": "Shared memory, 16 to 1 apart",
    "down": "__shfl_down_sync, 16 to 1",
    "xor": "__shfl_xor_sync, 16 to 1",
}
LANES = range(32)
PITCH, HIGH = 38, 15  # px: from row to row, a lane's box


def source(tree: str, level: int, lane: int) -> int | None:
    """Whose value a lane adds at a level, from 1 to 5; None if it adds nothing.

    A shuffle that reaches past the last lane gives a lane its own value.
    """
    apart = 1 << (level - 1 if tree == "interleaved" else 5 - level)
    if tree == "interleaved":
        return lane + apart if lane % (2 * apart) == 0 else None
    if tree == "sequential":
        return lane + apart if lane < apart else None
    if tree == "xor":
        return lane ^ apart
    return lane + apart if lane + apart < 32 else lane


def held(tree: str, levels: int) -> list[list[int]]:
    """How often each lane's first value is in each lane's sum after so many levels: [lane][of]."""
    sums = [[int(lane == of) for of in LANES] for lane in LANES]
    for level in range(1, levels + 1):
        froms = [source(tree, level, lane) for lane in LANES]
        sums = [
            mine if other is None else [a + b for a, b in zip(mine, sums[other], strict=True)]
            for mine, other in zip(sums, froms, strict=True)
        ]
    return sums


def tree(tree: str, levels: int, lane: int) -> dict[str, Any]:
    """Counts, a sentence, a drawing."""
    counts = held(tree, levels)[lane]
    values = sum(count > 0 for count in counts)
    often = max(counts)
    what = f"the sum of {values} values{', some of them more than once' if often > 1 else ''}"
    if values == 1:
        what = f"its own value, {often} times" if often > 1 else "its own value"
    working = [n for n in LANES if levels and source(tree, levels, n) is not None]
    cost = (
        "each with one shuffle, and no barrier"
        if tree in ("down", "xor")
        else "each with two loads and a store, and then all wait at a barrier"
    )
    said = f"{TREES[tree]}: after {several(levels, 'level')} of 5, lane {lane} holds {what}."
    if levels:
        verb = "adds" if len(working) == 1 else "add"
        said += f" At level {levels}, {several(len(working), 'lane')} of 32 {verb}, {cost}."

    def x(n):
        return 46 + 12 * n

    def y(level):
        return 20 + PITCH * level

    used = {lane}
    grey = blue = idle = hot = full = ""
    texts: list[list[Any]] = [[x(n), 13, str(n), ""] for n in range(0, 32, 4)]
    texts.append([41, 13, "lane", "w-end"])
    for level in range(levels, -1, -1):
        froms = {n: source(tree, level, n) if level else n for n in LANES}
        wanted = set(used)
        for n in LANES:
            cell = box(x(n), y(level), 12, HIGH)
            other = froms[n]
            if n in used:
                full += cell
            elif other is not None and level:
                hot += cell
            else:
                idle += cell
            if level and other is not None:
                edge = line(x(other) + 6, y(level - 1) + HIGH, x(n) + 6, y(level))
                stem = line(x(n) + 6, y(level - 1) + HIGH, x(n) + 6, y(level))
                if n in used:
                    blue += edge + stem
                    wanted.add(other)
                else:
                    grey += edge
        used = wanted
        apart = 1 << (level - 1 if tree == "interleaved" else 5 - level) if level else 0
        texts.append([41, y(level) + 12, f"+{apart}" if level else "start", "w-end"])
    return {
        "values": values, "working": len(working), "counts": counts, "said": said,
        "height": y(levels) + HIGH + 2,
        "paths": [["w-grid", grey], ["w-lines", idle], ["w-hot", hot], ["w-used", full],
                  ["w-blue", blue],
                  ["w-frame", box(x(lane), y(levels), 12, HIGH)]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "A tree of additions over the lanes of a warp",
    "A row is a level: what the 32 lanes hold after it. The frame is the lane that you follow. "
    "Blue: what its sum is made of. Orange: lanes that add as well, for sums that it does not "
    "need. Empty: lanes that add nothing.",
    tree,
    {
        "tree": Knob("The tree", "interleaved", TREES),
        "levels": Knob("Levels done", 5, range(6)),
        "lane": Knob("Follow lane", 0, range(32)),
    },
    ("tree",),
)
