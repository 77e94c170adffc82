"""What the lanes of a warp want of a, b and c in one step of a product, by the emulator's rules."""

from typing import Any

import numpy as np

from warpbook.display.explore.kit import Knob, Recipe, box, several
from warpbook.emulator import rules

N, CELL = 32, 6  # floats in a row of each matrix, which is a line of 128 bytes; px of a float
SIDE, LEFT, TOP, FAR = N * CELL, 4, 20, N * CELL + 28
MAPPINGS = {"row": "the row (naive)", "column": "the column (coalesced)"}
LAYOUTS = {"rows": "by rows", "columns": "by columns"}


def lanes(wide: int, mapping: str, layout: str, step: int, lane: int) -> dict[str, Any]:
    """Lines and sectors of each request, a sentence, a drawing."""
    x, y = rules.LANE % wide, rules.LANE // wide
    row, col = (x, y) if mapping == "row" else (y, x)
    i = np.full(32, step)
    asked = {"a": (row, i), "b": (i, col), "c": (row, col)}  # [row, column] of each lane
    lines, sectors, grey, blue, orange, frame = {}, {}, "", "", "", ""
    for name, (down, across) in asked.items():
        left = LEFT + (0 if name == "a" else FAR)
        top = TOP + (0 if name == "b" else FAR)
        turned = name == "b" and layout == "columns"
        places = 4 * (across * N + down if turned else down * N + across)[None]
        lines[name], sectors[name] = (
            _distinct(places >> size) for size in (rules.LINE, rules.SECTOR)
        )
        for line in lines[name]:
            grey += _run(left, top, turned, line, 0, N)
        for sector in sectors[name]:
            blue += _run(left, top, turned, sector // 4, sector % 4 * 8, 8)
        for element in _distinct(places >> 2):
            orange += _run(left, top, turned, element // N, element % N, 1)
        own = int(places[0, lane]) >> 2
        frame += box(left, top, SIDE, SIDE) + _run(left, top, turned, own // N, own % N, 1)
    rows, cols = int(row[-1]) + 1, int(col[-1]) + 1
    touch = {
        name: f"{several(len(lines[name]), 'line')} and {several(len(sectors[name]), 'sector')}"
        for name in asked
    }
    said = (
        f"A warp covers {several(rows, 'row')} and {several(cols, 'column')} of c. In step {step} "
        f"its load of a touches {touch['a']}, its load of b {touch['b']}: "
        f"{len(lines['a']) + len(lines['b'])} lines for 32 multiply-adds. At the end its store to "
        f"c touches {touch['c']}. Lane {lane} multiplies a[{row[lane]}, {step}] by "
        f"b[{step}, {col[lane]}]."
    )

    # Above on the left: the lanes as c has them, enlarged.
    zoom = min(24, (SIDE - 32) // max(rows, cols))
    high = TOP + 24
    for k in range(32):
        orange += box(LEFT + int(col[k]) * zoom, high + int(row[k]) * zoom, zoom, zoom)
    frame += box(LEFT + int(col[lane]) * zoom, high + int(row[lane]) * zoom, zoom, zoom)
    texts: list[list[Any]] = [
        [LEFT, 13, "the warp, lane by lane", ""],
        [LEFT + FAR, 13, f"b, stored {LAYOUTS[layout]}", ""],
        [LEFT, TOP + FAR - 7, "a", ""],
        [LEFT + FAR, TOP + FAR - 7, "c", ""],
    ]
    if zoom >= 20:
        texts += [
            [LEFT + int(col[k]) * zoom + zoom // 2, high + int(row[k]) * zoom + 16, str(k), "w-mid"]
            for k in range(32)
        ]
    grid = "".join(
        f"M{LEFT + FAR + 48 * k} {TOP + FAR}v{SIDE}M{LEFT + 48 * k} {TOP + FAR}v{SIDE}"
        + (
            f"M{LEFT + FAR} {TOP + 48 * k}h{SIDE}"
            if layout == "columns"
            else f"M{LEFT + FAR + 48 * k} {TOP}v{SIDE}"
        )
        for k in range(1, 4)
    )
    return {
        "lines": {name: len(found) for name, found in lines.items()},
        "sectors": {name: len(found) for name, found in sectors.items()},
        "said": said, "height": TOP + FAR + SIDE + 4,
        "paths": [
            ["w-idle", grey], ["w-lines", grid], ["w-used", blue], ["w-hot", orange],
            ["w-frame", frame],
        ],
        "texts": texts,
    }  # fmt: skip


def _distinct(numbers):
    """The distinct numbers of one row, ascending."""
    rows, first = rules.distinct(numbers)
    return rows[first].tolist()


def _run(left, top, turned, line, first, count):
    """A box for so many neighbours of a line; the lines of a turned matrix are its columns."""
    if turned:
        return box(left + line * CELL, top + first * CELL, CELL, count * CELL)
    return box(left + first * CELL, top + line * CELL, count * CELL, CELL)


FIGURE = Recipe(
    "What a warp wants of a, b and c in one step of a product",
    "The matrices have 32 × 32 floats, so a row is a line of 128 bytes with four sectors. Orange: "
    "what the lanes want. Blue: the sectors in which it lies. Grey: the lines. Thick frames: what "
    "one lane wants. Above on the left are the lanes as they lie in c.",
    lanes,
    {
        "wide": Knob("Threads of the block along x", 32, (1, 2, 4, 8, 16, 32)),
        "mapping": Knob("threadIdx.x counts", "row", MAPPINGS),
        "step": Knob("Step of the loop, i", 9, range(32)),
        "layout": Knob("b is stored", "rows", LAYOUTS),
        "lane": Knob("Follow lane", 5, range(32)),
    },
    ("lanes",),
    LAYOUTS,
)
