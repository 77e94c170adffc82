"""What the exercise of 29_scan asks for."""

import numpy as np

from warpbook import Case, drawn, exercise, most, out


def warps(n):
    """Warps of the blocks that cover n elements."""
    return 8 * -(-n // 256)


@exercise(
    sizes=(1, 31, 33, 256, 257, drawn(1000, 1500)),
    technique=(
        most(
            "shared_ld_requests",
            24,
            warps,
            "One number a warp is enough in shared memory; the lanes can ask each other.",
        ),
        most("shared_bytes", 2, lambda n: 32, "One number a warp is enough in shared memory."),
        most("atomic_requests", 0, why="An atomic gives out places in no order."),
        most("global_ld_requests", 2, warps, "Load each element once."),
        most("instructions", 200, warps, "No thread works for all the others."),
    ),
)
def compact(size, rng):
    values = rng.integers(-99, 100, size).astype(np.int32)
    tiles = -(-size // 256)
    kept, counts = np.zeros(size, np.int32), np.zeros(tiles, np.int32)
    for tile in range(tiles):
        part = values[256 * tile : 256 * tile + 256]
        counts[tile] = (part >= 0).sum()
        kept[256 * tile : 256 * tile + counts[tile]] = part[part >= 0]
    return Case(
        grid=(tiles,),
        block=(256,),
        args=(values, out(size, np.int32), out(tiles, np.int32), size),
        want=(kept, counts),
        bytes=8 * size,
    )
