"""Where a tensor copy puts a tile's pieces of 16 bytes in shared memory, and what reads cost."""

from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, box, several
from warpbook.emulator import rules

LAYOUTS = {
    "none": "none, one box of 64 columns",
    "none64": "none, two boxes of 32",
    "none32": "none, four boxes of 16",
    "none16": "none, eight boxes of 8",
    "32B": "32 bytes, four boxes of 16",
    "64B": "64 bytes, two boxes of 32",
    "128B": "128 bytes, one box of 64",
}
SIZES = {  # bytes of a box's row, bits of a line's number that are XORed
    "none": (128, 0), "none64": (64, 0), "none32": (32, 0), "none16": (16, 0),
    "32B": (32, 1), "64B": (64, 2), "128B": (128, 3),
}  # fmt: skip
ACCESS = {"column": "a column: 8 rows", "row": "a row: 8 pieces"}
LEFT, WIDE, TALL, TOP = 46, 48, 18, 34  # px: of the tile above, of a piece
LOW = TOP + 8 * TALL + 54  # px: of the lines of shared memory below


def place(swizzle: str, row: int, column: int) -> int:
    """The byte of shared memory at which a piece of the tile begins."""
    wide, bits = SIZES[swizzle]
    number, inside = divmod(16 * column, wide)
    at = number * 8 * wide + row * wide + inside
    return at ^ (at >> 7 & (1 << bits) - 1) << 4


def swizzles(swizzle: str, access: str, row: int, column: int) -> dict[str, Any]:
    """The piece's place, wavefronts, a sentence, a drawing."""
    at = place(swizzle, row, column)
    line, slot = divmod(at // 16, 8)
    pieces = [(row, k) if access == "row" else (k, column) for k in range(8)]
    found = rules.served({k: place(swizzle, *piece) for k, piece in enumerate(pieces)}, 16)
    wavefronts = sum(len(rows) for _, rows in found)
    wide, bits = SIZES[swizzle]
    boxes = "1 box" if wide == 128 else f"{128 // wide} boxes"
    said = (
        f"{f'Swizzle of {wide} bytes' if bits else 'No swizzle'}, {boxes}: piece {column} of row "
        f"{row} (columns {8 * column} to {8 * column + 7}) lies at byte {at}, in line {line}, "
        f"banks {4 * slot} to {4 * slot + 3}. To read "
        f"{f'the 8 pieces of row {row}' if access == 'row' else f'piece {column} of all 8 rows'} "
        f"takes {several(wavefronts, 'wavefront')}: "
        f"{f'{wavefronts}-way' if wavefronts > 1 else 'no'} bank conflict."
    )

    lines = frames = used = hot = ""
    for top in (TOP, LOW):
        lines += "".join(f"M{LEFT} {top + TALL * k}h{8 * WIDE}" for k in range(1, 8))
        lines += "".join(f"M{LEFT + WIDE * k} {top}v{8 * TALL}" for k in range(1, 8))
        frames += box(LEFT, top, 8 * WIDE, 8 * TALL)
    ends = range(wide // 16, 8, wide // 16)  # of boxes: in pieces above, in lines below
    frames += "".join(f"M{LEFT + WIDE * k} {TOP}v{8 * TALL}" for k in ends)
    frames += "".join(f"M{LEFT} {LOW + TALL * k}h{8 * WIDE}" for k in ends)
    texts: list[list[Any]] = [
        [LEFT, 13, "the tile: 8 rows of 64 elements of 2 bytes", ""],
        [LEFT, LOW - 25, "shared memory: lines of 128 bytes", ""],
        [41, 29, "row", "w-end"], [41, LOW - 7, "bank", "w-end"],
    ]  # fmt: skip
    for k in range(8):
        x, y = LEFT + WIDE * k, TALL * k + 14
        texts += [[x, 29, str(8 * k), ""], [x, LOW - 7, str(4 * k), ""],
                  [41, TOP + y, str(k), "w-end"], [41, LOW + y, str(128 * k), "w-end"]]  # fmt: skip
    for r in range(8):
        for c in range(8):
            there, slot = divmod(place(swizzle, r, c) // 16, 8)
            x, y = LEFT + WIDE * slot, LOW + TALL * there
            cells = box(LEFT + WIDE * c, TOP + TALL * r, WIDE, TALL) + box(x, y, WIDE, TALL)
            mine = (r, c) == (row, column)
            if mine:
                hot += cells
            elif (r, c) in pieces:
                used += cells
            texts.append([x + 4, y + 14, f"{r}, {c}", "w-bold" if mine else ""])
    return {
        "place": at, "wavefronts": wavefronts, "said": said, "height": LOW + 8 * TALL + 2,
        "paths": [["w-lines", lines], ["w-used", used], ["w-hot", hot], ["w-frame", frames]],
        "texts": texts,
    }  # fmt: skip


FIGURE = Recipe(
    "A tile in shared memory, swizzled or not",
    "A cell is a piece of 16 bytes, which no swizzle tears apart. Above, the tile; frames are the "
    "boxes that a tensor copy takes it in. Below, where its pieces lie: their row and piece, byte "
    "addresses beside them. Blue and orange: what is read at once. Orange: the piece you follow.",
    swizzles,
    {
        "swizzle": Knob("Swizzle", "128B", LAYOUTS),
        "access": Knob("Read at once", "column", ACCESS),
        "row": Knob("Follow row", 2, range(8)),
        "column": Knob("Piece of the row", 3, range(8)),
    },
    ("swizzles",),
)
