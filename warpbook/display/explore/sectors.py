"""What a request of 32 lanes to global memory moves, counted by the emulator's rules."""

from typing import Any

import numpy as np

from warpbook.display.explore.kit import Knob, Recipe, cells, several, short
from warpbook.emulator import rules

LINES = 8  # of 128 bytes that the picture shows
BYTES = {4: "4 bytes, float", 8: "8 bytes, float2", 16: "16 bytes, float4"}
WIDTHS = {1: "1 byte, char", 2: "2 bytes, half"} | BYTES


def sectors(stride: int, offset: int, width: int) -> dict[str, Any]:
    """Counts, a sentence, a drawing."""
    lanes = ((stride * rules.LANE + offset) * width).tolist()
    numbers = rules.distinct(np.array([lanes]) >> rules.SECTOR)
    moved = numbers[0][numbers[1]].tolist()
    lines = sorted({sector // 4 for sector in moved})
    addresses = sorted(set(lanes))
    share = short(100 * len(addresses) * width / (32 * len(moved)))
    rows = [
        [
            128 * line,
            [[8 * (sector % 4), 8] for sector in moved if sector // 4 == line],
            [
                [at % 128 / 4, width / 4, who([n for n in range(32) if lanes[n] == at])]
                for at in addresses
                if at // 128 == line
            ],
        ]
        for line in lines[:LINES]
    ]
    apart = f"{several(stride * width, 'byte')} apart" if stride else "all at one address"
    more = len(lines) - LINES
    return {
        "requests": 1, "sectors": len(moved), "lines": len(lines), "share": float(share),
        "said": f"32 lanes ask for {several(width, 'byte')} each, {apart}: 1 request moves "
        f"{several(len(moved), 'sector')} of 32 bytes, in {several(len(lines), 'line')} of "
        f"128 bytes. {share} % of the bytes moved are used.",
        **cells("byte", 8, 4, 20, rows, f"and {several(more, 'more line')}" if more > 0 else ""),
    }  # fmt: skip


def who(lanes: list[int]) -> str:
    """The first of some lanes, and whether there are others."""
    return f"{lanes[0]}+" if len(lanes) > 1 else str(lanes[0])


FIGURE = Recipe(
    "Sectors of global memory that a warp's request moves",
    "A row is a line of 128 bytes, a thick frame in it a sector that is moved. Blue: what "
    "lanes read, with the first lane's number (+: and others'). Grey: moved, but unused.",
    sectors,
    {
        "stride": Knob("Stride, elements", 1, range(33)),
        "offset": Knob("Offset, elements", 0, range(32)),
        "width": Knob("A lane reads", 4, WIDTHS),
    },
    ("cells", "sectors"),
)
