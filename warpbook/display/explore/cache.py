"""A small cache that gives up its oldest line, and an array that is read through it in some order.

No rule of the emulator stands behind it, which has no caches: real ones are neither so simple.
"""

from collections import OrderedDict
from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, at, box, several, short

COLS, ROUNDS = 16, 4  # elements of a row; how often each element is read
LEFT, TOP, WIDE, HIGH = 6, 20, 27, 15  # px: of the array, and of its elements
SLICES, DEEP = 64, 48  # of the time, each with as many reads as there are rows; px: of the plot
ORDERS = {"rows": "row by row", "back": "row by row, there and back",
          "columns": "column by column", "strip8": "in strips of 8 columns",
          "strip4": "in strips of 4 columns", "tile8": "in tiles of 8 × 8",
          "tile4": "in tiles of 4 × 4"}  # fmt: skip


def part_of(order: str, rows: int) -> tuple[int, int]:
    """How high and how wide the part is that is read ROUNDS times before the next part."""
    wide = int(order[-1]) if order[-1] in "48" else COLS
    return wide if order.startswith("tile") else rows, wide


def reads(order: str, rows: int) -> list[int]:
    """The elements in the order in which they are read."""
    high, wide = part_of(order, rows)
    found: list[int] = []
    for top in range(0, rows, high):
        for left in range(0, COLS, wide):
            part = [
                COLS * row + col
                for row in range(top, min(top + high, rows))
                for col in range(left, left + wide)
            ]
            if order == "columns":
                part.sort(key=lambda element: element % COLS)
            for turn in range(ROUNDS):
                found += part[::-1] if order == "back" and turn % 2 else part
    return found


def areas(grid: list[list[int]], value: int) -> list[tuple[int, int, int, int]]:
    """Boxes [x, y, width, height] that cover all places of a value, each place once."""
    width, left = len(grid[0]), [[cell == value for cell in row] for row in grid]
    found = []
    for y, row in enumerate(left):
        for x in range(width):
            if not row[x]:
                continue
            end, low = x, y
            while end < width and row[end]:
                end += 1
            while low < len(grid) and all(left[low][x:end]):
                left[low][x:end] = [False] * (end - x)
                low += 1
            found.append((x, y, end - x, low - y))
    return found


def cache(order: str, rows: int, line: int, lines: int, stay: int, step: int) -> dict[str, Any]:
    """Hits and misses so far, a sentence, a drawing."""
    walk = reads(order, rows)
    total, size = len(walk), COLS * rows // line
    staying, done = (stay * size + 7) // 8, step * rows // 4
    kept: OrderedDict[int, None] = OrderedDict()  # the oldest first
    last = [[0] * COLS for _ in range(rows)]  # of each element's last read: 1 a hit, 2 a miss
    missed = [0] * SLICES
    passing = -1
    for k, element in enumerate(walk[:done]):
        here = element // line
        hit = here in kept or here == passing
        passing = -1 if here < staying else here
        if here < staying:
            kept[here] = None
            kept.move_to_end(here)
            if len(kept) > lines:
                kept.popitem(last=False)
        missed[k // rows] += not hit
        last[element // COLS][element % COLS] = 1 if hit else 2
    misses = sum(missed)
    hits = done - misses

    high, wide = part_of(order, rows)
    part = {
        (COLS * row + col) // line for row in range(min(high, rows)) for col in range(wide)
    }  # the lines of the first part
    fits = sum(number < staying for number in part) <= lines
    name, how = "The whole array", ORDERS[order]
    if wide < COLS:
        name, how = f"A strip of {wide} columns", ORDERS["rows"]
        if order.startswith("tile"):
            name = f"A tile of {wide} × {wide}"
        how += ", before the next one"
    said = (
        f"{name} is read four times, {how}. It takes {several(len(part), 'line')} of "
        f"{several(line, 'element')}"
    )
    if stay < 8:
        said += f", of which {sum(number < staying for number in part)} may stay"
    said += f", and the cache has room for {lines}, which is {'enough' if fits else 'too little'}"
    if order == "columns" and not fits and stay == 8:
        fit = "fits" if rows <= lines else "does not fit either"
        said += f"; a column takes {several(rows, 'line')}, and {fit}"
    count = f"all {total:,}" if done == total else f"{done:,} of {total:,}"
    said += f". After {count} reads: {several(hits, 'hit')} and {misses:,} "
    said += "miss" if misses == 1 else "misses"
    said += f", {short(misses / size)} for each line." if done == total else "."

    bottom = TOP + HIGH * rows + 26 + DEEP
    blue = "".join(_element(*area) for area in areas(last, 1))
    orange = bars = ""
    for x, y, width, height in areas(last, 2):
        orange += _element(x, y, width, height)
        for col in range(x, x + width):
            bars += f"M{LEFT + WIDE * col + 5} {TOP + HIGH * y + 2}v{HIGH * height - 4}"
    grid = "".join(f"M{LEFT + WIDE * x} {TOP}v{HIGH * rows}" for x in range(COLS + 1))
    grid += "".join(f"M{LEFT} {TOP + HIGH * y}h{COLS * WIDE}" for y in range(rows + 1))
    grid += "".join(f"M{LEFT + x * COLS * WIDE // 4} {bottom}v{-DEEP}" for x in (1, 2, 3))
    grid += box(LEFT, bottom - DEEP, COLS * WIDE, DEEP)
    curve, level = f"M{LEFT} {bottom}", 0
    for k, height in enumerate([*missed, 0]):
        if height != level:
            curve += f"H{at(LEFT + 6.75 * k)}V{at(bottom - DEEP * height / rows)}"
            level = height

    def outline(number):
        row, col = divmod(number * line, COLS)
        return box(LEFT + WIDE * col + 1.5, TOP + HIGH * row + 1.5, WIDE * line - 3, HIGH - 3)

    held = list(kept)
    full = len(held) == lines  # the oldest one makes room next
    now = ""
    if done:
        row, col = divmod(walk[done - 1], COLS)
        now = box(LEFT + WIDE * col + 12, TOP + HIGH * row + 4, 7, 7)
        now += box(LEFT + 6.75 * done / rows - 1, bottom - DEEP, 2, DEEP)
    return {
        "hits": hits, "misses": misses, "missed": missed, "kept": held, "said": said,
        "height": bottom + 2,
        "paths": [
            ["w-lines", grid], ["w-used", blue], ["w-hot", orange + curve + "z"],
            ["w-orange", bars], ["w-frame", "".join(map(outline, sorted(held[full:])))],
            ["w-over", outline(held[0]) if full else ""], ["w-dot", now],
        ],
        "texts": [
            [LEFT, 13, "The array, and the lines that are in the cache now", ""],
            [LEFT, bottom - DEEP - 7, "Misses over time (at the top: every read misses)", ""],
        ],
    }  # fmt: skip


def _element(x, y, width, height):
    """A box round so many elements."""
    return box(LEFT + WIDE * x, TOP + HIGH * y, WIDE * width, HIGH * height)


FIGURE = Recipe(
    "What a small cache keeps of an array",
    "A row of the array has 16 elements, one behind the other in memory. Blue: its last read was a "
    "hit. Orange, with a bar: a miss. Thick frames: lines in the cache; the dashed one is the "
    "oldest, which makes room next. Small square: the read of this moment. Of lines that may not "
    "stay, the cache holds only the one that is being read. Real caches are less strict: a line "
    "has a few places where it may lie (sets), and what leaves is not always the oldest.",
    cache,
    {
        "order": Knob("The array is read", "rows", ORDERS),
        "rows": Knob("Rows of 16 elements", 16, range(1, 17)),
        "line": Knob("Elements in a line", 4, (1, 2, 4, 8, 16)),
        "lines": Knob("Lines in the cache", 16, range(1, 65)),
        "stay": Knob("Eighths of it that may stay", 8, range(1, 9)),
        "step": Knob("Time (256 is the end)", 256, range(257)),
    },
    ("cache",),
    ORDERS,
)
