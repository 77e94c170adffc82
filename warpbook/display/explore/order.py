"""In which order the tiles of a product are computed, and what the tiles at one time share."""

from typing import Any

import numpy as np

from warpbook.display.explore.kit import Knob, Recipe, amount, at, box, several, short

ORDERS = {"rows": "row after row", "groups": "groups of rows", "hilbert": "Hilbert's curve"}
LEFT, TOP, BAND, SIDE = 4, 22, 84, 320  # px: A's and B's bands, and C


def walk(order: str, group: int, down: int, across: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows and the columns of all tiles, in order."""
    tile = np.arange(down * across)
    if order == "rows":
        return tile // across, tile % across
    if order == "groups":
        top = tile // (group * across) * group  # the first row of a tile's group
        high = np.minimum(group, down - top)
        inside = tile - top * across
        return top + inside % high, inside // high
    side = max(down, across)
    left = np.arange(side * side)
    row, col = np.zeros_like(left), np.zeros_like(left)
    size = 1
    while size < side:
        lower = left >> 1 & 1
        right = (left ^ lower) & 1
        turned = (lower == 1) & (right == 0)
        row, col = np.where(turned, size - 1 - row, row), np.where(turned, size - 1 - col, col)
        row, col = np.where(right, row, col) + size * lower, np.where(right, col, row)
        col += size * right
        left >>= 2
        size *= 2
    within = (row < down) & (col < across)
    return row[within], col[within]


def runs(values: list[int]) -> list[list[int]]:
    """Ascending numbers as runs [first, how many]."""
    found: list[list[int]] = []
    for value in values:
        if found and sum(found[-1]) == value:
            found[-1][1] += 1
        else:
            found.append([value, 1])
    return found


def order(order: str, group: int, n: int, bm: int, bn: int, sms: int, wave: int) -> dict[str, Any]:
    """What a wave of tiles reads, a sentence, a drawing."""
    down, across = n // bm, n // bn
    rows, cols = walk(order, group, down, across)
    number = np.arange(len(rows)) // sms
    waves = int(number[-1]) + 1
    here = min(wave, waves)
    total = (
        2
        * n
        * (bm * len(np.unique(number * down + rows)) + bn * len(np.unique(number * across + cols)))
    )
    first, last = (here - 1) * sms, min(here * sms, len(rows))
    mine = list(zip(rows[first:last].tolist(), cols[first:last].tolist(), strict=True))
    a_rows, b_cols = sorted({row for row, _ in mine}), sorted({col for _, col in mine})
    read = 2 * n * (bm * len(a_rows) + bn * len(b_cols))
    alone = 2 * n * (bm + bn) * len(mine)
    name = f"groups of {several(group, 'row')}" if order == "groups" else ORDERS[order]
    said = (
        f"{several(len(rows), 'tile')} of {bm} × {bn}, {name}, {several(sms, 'tile')} at once: "
        f"wave {here} of {waves} has {several(len(mine), 'tile')}, in {several(len(a_rows), 'row')}"
        f" and {several(len(b_cols), 'column')} of tiles. What it reads is {amount(read, 'B')} of A"
        f" and B in bfloat16, and each byte is used {short(alone / read)} times. All waves read "
        f"{amount(total, 'B')}."
    )

    x, y, high, wide = LEFT + BAND, TOP + BAND, SIDE / down, SIDE / across
    used = "".join(box(LEFT, y + high * k, BAND - 8, high * many) for k, many in runs(a_rows))
    used += "".join(box(x + wide * k, TOP, wide * many, BAND - 8) for k, many in runs(b_cols))
    hot = ""
    for row in a_rows:
        for k, many in runs(sorted(col for r, col in mine if r == row)):
            hot += box(x + wide * k, y + high * row, wide * many, high)
    path = "M" + "L".join(
        f"{at(x + wide * (col + 0.5))} {at(y + high * (row + 0.5))}" for row, col in mine
    )
    grid = ""
    if min(high, wide) >= 4:
        grid += "".join(f"M{at(x + wide * k)} {y}v{SIDE}" for k in range(1, across))
        grid += "".join(f"M{x} {at(y + high * k)}h{SIDE}" for k in range(1, down))
    frame = box(LEFT, y, BAND - 8, SIDE) + box(x, TOP, SIDE, BAND - 8) + box(x, y, SIDE, SIDE)
    texts: list[list[Any]] = [
        [x, 14, f"B: {several(len(b_cols), 'column')} of {across}", ""],
        [LEFT, y - 22, f"A: {several(len(a_rows), 'row')}", ""],
        [LEFT, y - 7, f"of {down}", ""],
        [x, y + SIDE + 17, f"C: wave {here} of {waves}", ""],
    ]
    return {
        "read": read, "alone": alone, "total": total, "waves": waves,
        "tiles": [list(tile) for tile in mine], "said": said, "height": y + SIDE + 22,
        "paths": [["w-grid", grid], ["w-used", used], ["w-hot", hot], ["w-frame", frame],
                  ["w-frame", path if len(mine) > 1 else ""]],
        "texts": texts,
    }  # fmt: skip


def _powers(low, high):
    return tuple(2**k for k in range(15) if low <= 2**k <= high)


FIGURE = Recipe(
    "The order of the tiles, and what they share",
    "Orange: the tiles of C that the SMs compute at the same time; the line runs through them in "
    "order. Blue: the bands of A and B that they read. The L2 cache can serve a band to many SMs "
    "if they want it at the same time; two waves are taken to share nothing.",
    order,
    {
        "order": Knob("Order", "rows", ORDERS),
        "group": Knob("Rows of tiles in a group", 8, range(1, 33)),
        "n": Knob("M = N = K", 8192, _powers(1024, 16384)),
        "bm": Knob("BM, rows of a tile", 128, _powers(64, 256)),
        "bn": Knob("BN, columns of it", 256, _powers(64, 256)),
        "sms": Knob("Tiles at once, one an SM", 132, range(1, 161)),
        "wave": Knob("Wave", 1, range(1, 33)),
    },
    ("plot", "order"),
)
