"""What a matrix product in tiles reads: how often, how many bytes, in how many sectors."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, amount, at, box, several, short
from warpbook.profiles import KB

SIDE, GAP = 196, 28  # px of a matrix, and between two
POWERS = tuple(2**k for k in range(15))


def tiles(bm: int, bn: int, bk: int, n: int) -> dict[str, Any]:
    """Counts, a sentence, a drawing."""
    blocks = (n // bm) * (n // bn)
    loads = {"a": n**3 // bn, "b": n**3 // bm}  # floats, in all
    # A request reads rows of a tile: neighbours, as many as a row has and a warp has lanes.
    lanes = min(32, bm * bn)
    sectors = loads["a"] // min(8, bk, lanes) + loads["b"] // min(8, bn, lanes)
    total = 4 * (loads["a"] + loads["b"])
    shared = 4 * (bm * bk + bk * bn)
    intensity = bm * bn / (2 * (bm + bn))
    note = (
        ", more than any SM gives a block" if shared > 227 * KB
        else ", more than the 48 KB that a block has without asking" if shared > 48 * KB
        else ""
    )  # fmt: skip
    said = (
        f"{several(blocks, 'block')}: every row of A is read {several(n // bn, 'time')}, every "
        f"column of B {several(n // bm, 'time')}. That is {amount(total, 'B')} in "
        f"{several(sectors, 'sector')} of 32 bytes, of which {short(100 * total / 32 / sectors)} % "
        f"is used: {short(intensity)} flops for each byte. A block's two tiles take "
        f"{shared:,} bytes of shared memory{note}."
    )

    # A below on the left, B above on the right, C between them: to scale. One block of each.
    far, scale = SIDE + GAP, SIDE / n
    left, top = 4, 20
    row, col = n // bm * 5 // 8 * bm, n // bn * 3 // 8 * bn
    step = n // bk * 3 // 8 * bk
    a_x, a_y, b_x, b_y = left, top + far, left + far, top
    frame = box(a_x, a_y, SIDE, SIDE) + box(b_x, b_y, SIDE, SIDE) + box(b_x, a_y, SIDE, SIDE)
    band = box(a_x, a_y + row * scale, SIDE, bm * scale)
    band += box(b_x + col * scale, b_y, bn * scale, SIDE)
    tile = box(a_x + step * scale, a_y + row * scale, bk * scale, bm * scale)
    tile += box(b_x + col * scale, b_y + step * scale, bn * scale, bk * scale)
    out = box(b_x + col * scale, a_y + row * scale, bn * scale, bm * scale)
    grid = ""
    if min(bm, bn) * scale >= 4:
        grid += "".join(f"M{at(b_x + k * bn * scale)} {a_y}v{SIDE}" for k in range(1, n // bn))
        grid += "".join(f"M{b_x} {at(a_y + k * bm * scale)}h{SIDE}" for k in range(1, n // bm))
    if bk * scale >= 4:
        grid += "".join(
            f"M{at(a_x + k * bk * scale)} {at(a_y + row * scale)}v{at(bm * scale)}"
            f"M{at(b_x + col * scale)} {at(b_y + k * bk * scale)}h{at(bn * scale)}"
            for k in range(1, n // bk)
        )

    # The same block enlarged, above on the left: its tiles to scale among themselves.
    zoom = min(16, (SIDE - 6) / (bk + max(bm, bn)))
    deep = bk * zoom + 6
    near = box(left, top + deep, bk * zoom, bm * zoom) + box(left + deep, top, bn * zoom, bk * zoom)
    out += box(left + deep, top + deep, bn * zoom, bm * zoom)
    texts: list[list[Any]] = [
        [left, 13, f"a block: {bm} × {bn}, in steps of {bk}", ""],
        [b_x, 13, f"B, read {several(n // bm, 'time')}", ""],
        [left, a_y - 7, f"A, read {several(n // bn, 'time')}", ""],
        [b_x, a_y - 7, f"C, {several(blocks, 'block')}", ""],
    ]
    for name, x, y, wide, high in (("of A", 0, deep, bk, bm), ("of B", deep, 0, bn, bk),
                                   ("of C", deep, deep, bn, bm)):  # fmt: skip
        if wide * zoom >= 34 and high * zoom >= 18:
            texts.append([at(left + x + wide * zoom / 2), at(top + y + high * zoom / 2 + 4.5),
                          name, "w-mid"])  # fmt: skip
    return {
        "blocks": blocks, "loads": loads, "sectors": sectors, "bytes": total, "shared": shared,
        "flops_a_byte": intensity, "said": said, "height": top + far + SIDE + 4,
        "paths": [
            ["w-grid", grid], ["w-idle", band], ["w-used", tile + near], ["w-hot", out],
            ["w-frame", frame],
        ],
        "texts": texts,
    }  # fmt: skip


def _powers(low, high):
    return tuple(power for power in POWERS if low <= power <= high)


FIGURE = Recipe(
    "Tiles of a matrix product",
    "Orange: the tile of C that one block computes. Grey: the rows of A and the columns of B that "
    "it reads for it. Blue: the two tiles of them that are in shared memory at one time. Above on "
    "the left, the same three tiles enlarged.",
    tiles,
    {
        "bm": Knob("BM, rows of a tile of C", 32, _powers(1, 256)),
        "bn": Knob("BN, columns of it", 32, _powers(1, 256)),
        "bk": Knob("BK, columns of a tile of A", 32, _powers(1, 128)),
        "n": Knob("M = N = K", 512, _powers(256, 16384)),
    },
    ("plot", "tiles"),
)
