"""What a load of 32 lanes from shared memory waits for, counted by the emulator's rules."""

from typing import Any

import numpy as np

from warpbook.display.explore.kit import Knob, Recipe, cells, several
from warpbook.display.explore.sectors import BYTES, who
from warpbook.emulator import rules

ACCESS = {
    "column": "a column",
    "row": "a row",
    "pairs": "a column, two lanes an element",
}


def tile_addresses(access: str, row: int, pad: int, swizzle: int, width: int) -> np.ndarray:
    """The byte address that each of the 32 lanes reads in a row-major tile."""
    lane = rules.LANE
    r, c = {"row": (lane // row, lane % row), "column": (lane, 0 * lane),
            "pairs": (lane // 2, 0 * lane)}[access]  # fmt: skip
    if swizzle:
        c = c ^ r % (row & -row)
    return width * (r * (row + pad) + c)


def banks(access: str, row: int, pad: int, swizzle: int, width: int) -> dict[str, Any]:
    """Counts, a sentence, a drawing."""
    addresses = tile_addresses(access, row, pad, swizzle, width).tolist()
    passes = rules.served(dict(enumerate(addresses)), width)
    rows: list[list[Any]] = []
    for group, wavefronts in passes:
        for wavefront in wavefronts:
            runs: list[list[Any]] = []
            for bank, word in sorted(wavefront.items()):
                lanes = who([n for n, at in group.items() if at <= 4 * word < at + width])
                if runs and runs[-1][2] == lanes and sum(runs[-1][:2]) == bank:
                    runs[-1][1] += 1
                else:
                    runs.append([bank, 1, lanes])
            rows.append([len(rows) + 1, [], runs])
    most = max(len(wavefronts) for _, wavefronts in passes)
    conflicts = len(rows) - len(passes)
    xor = f", its columns XORed with its number modulo {row & -row}" if swizzle else ""
    verdict = (
        f"{most}-way bank conflict, {conflicts} more than without conflicts"
        if conflicts
        else "no bank conflict"
    )
    return {
        "wavefronts": len(rows), "conflicts": conflicts,
        "said": f"32 lanes read {width}-byte elements of {ACCESS[access]}; a row begins every "
        f"{several(row + pad, 'element')}{xor}: {several(len(rows), 'wavefront')}, {verdict}.",
        **cells("bank", 4, 1, 17, rows, ""),
    }  # fmt: skip


FIGURE = Recipe(
    "Banks of shared memory that a warp's load meets",
    "A row is a wavefront: in it, each of the 32 banks gives one word. Blue: a word given, "
    "with the number of the first lane that reads it (+: and others).",
    banks,
    {
        "access": Knob("The warp reads", "column", ACCESS),
        "row": Knob("Row length, elements", 32, range(1, 65)),
        "pad": Knob("Padding, elements", 0, range(5)),
        "swizzle": Knob("XOR swizzle", 0, {0: "off", 1: "on"}),
        "width": Knob("A lane reads", 4, BYTES),
    },
    ("cells", "banks"),
)
