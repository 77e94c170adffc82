"""What the exercises of 08_bank_conflicts and 09_transpose ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out

FREE = (most("shared_ld_conflicts", 0), most("shared_st_conflicts", 0))


def tiles(size, tall=32):
    """The grid that covers a matrix of (rows, cols) with tiles 32 wide."""
    rows, cols = size
    return -(-cols // 32), -(-rows // tall)


def sectors(rows, cols):
    """Sectors that a warp's requests need for a matrix: whole rows of 32 lanes, five if split."""
    return rows * -(-cols // 32) * 5


def requests(rows, cols):
    """Requests that take each element once, a row of 32 at a time."""
    return rows * -(-cols // 32)


@exercise(
    sizes=((1, 1), (31, 33), (32, 32), (33, 70), (drawn(50, 64), drawn(80, 96))),
    technique=(
        *FREE,
        least("shared_ld_requests", 0.2, requests, "Keep the tile in shared memory."),
        most("global_ld_sectors", 1, sectors, "Load the tile's rows coalesced."),
    ),
)
def fix_conflict(size, rng):
    # float4 reads a row of the tile in a quarter of the requests
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size[0] // 32),),
        block=(32,),
        args=(a, out(size[0], np.float32), *size),
        want=a.sum(axis=1, dtype=np.float64),
        bytes=4 * a.size,
    )


@exercise(
    sizes=((1, 1), (31, 33), (33, 31), (1, 100), (70, 1), (drawn(65, 100), drawn(65, 100))),
    technique=(
        *FREE,
        most("global_ld_sectors", 1, sectors),
        most(
            "global_st_sectors",
            1,
            lambda rows, cols: sectors(cols, rows),
            "The lanes of a warp should store neighbours: that is what the tile is for.",
        ),
    ),
    bound_share=0.45,
    gpu_size=(8191, 8193),
)
def edges(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=tiles(size),
        block=(32, 8),
        args=(a, out(size[::-1], np.float32), *size),
        want=a.T,
        bytes=8 * a.size,
    )


@exercise(
    sizes=((1, 1), (31, 33), (33, 31), (70, 45), (drawn(40, 64), drawn(65, 96))),
    technique=(
        *FREE,
        most("shared_bytes", 1, lambda rows, cols: 8 * 32 * 32, "No room for padding."),
        most("global_ld_sectors", 1, lambda rows, cols: 2 * sectors(rows, cols)),
        most(
            "global_st_sectors",
            1,
            lambda rows, cols: 2 * sectors(cols, rows),
            "The lanes of a warp should store neighbours: that is what the tile is for.",
        ),
    ),
    bound_share=0.5,
    gpu_size=(8191, 8193),
)
def swizzle(size, rng):
    a = rng.random((*size, 2), dtype=np.float32)
    return Case(
        grid=tiles(size),
        block=(32, 8),
        args=(a, out((*size[::-1], 2), np.float32), *size),
        want=a.transpose(1, 0, 2),
        bytes=8 * a.size,
    )


def fours(rows, cols):
    """Requests of float4 that 4 x 4 patches need, each warp 8 patches wide and 4 high."""
    return 4 * -(-rows // 16) * -(-cols // 32)


@exercise(
    sizes=((4, 4), (32, 36), (36, 32), (4, 100), (100, 4), (128, drawn(64, 96, 4))),
    technique=(
        most("global_ld_requests", 1, fours),
        most("global_st_requests", 1, fours),
        most("shared_st_requests", 0),
        most("shuffles", 0),
        most("local_ld_requests", 0, why="Turn the patch in registers."),
    ),
    bound_share=0.5,
    gpu_size=(8192, 8192),
)
def patches(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=tiles(size, tall=128),
        block=(8, 32),
        args=(a, out(size[::-1], np.float32), *size),
        want=a.T,
        bytes=8 * a.size,
    )
