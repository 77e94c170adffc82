"""What the exercises of 07_bank_conflicts ask for."""

import numpy as np

from warpbook import Case, exercise, out

FREE = {"shared_ld_conflicts": 0, "shared_st_conflicts": 0}


def tiles(size, tall=32):
    """The grid that covers a matrix of (rows, cols) with tiles 32 wide."""
    rows, cols = size
    return -(-cols // 32), -(-rows // tall)


@exercise(sizes=((1, 1), (31, 33), (32, 32), (33, 70), (64, 96)), limits=FREE)
def fix_conflict(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size[0] // 32),),
        block=(32,),
        args=(a, out(size[0], np.float32), *size),
        want=a.sum(axis=1, dtype=np.float64),
        bytes=4 * a.size,
    )


@exercise(
    sizes=((1, 1), (31, 33), (33, 31), (1, 100), (70, 1), (100, 77), (64, 96)),
    limits=FREE,
    bound_share=0.5,
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
    sizes=((1, 1), (31, 33), (33, 31), (70, 45), (64, 96)),
    limits=FREE,
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


@exercise(
    sizes=((4, 4), (32, 36), (36, 32), (4, 100), (100, 4), (128, 64)),
    limits={"global_ld_requests": 64, "global_st_requests": 64, "shared_st_requests": 0},
    bound_share=0.5,
    gpu_size=(8192, 8192),
)
def patches(size, rng):
    # 128 x 64 floats as float4 are 64 requests of a warp each way
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=tiles(size, tall=128),
        block=(8, 32),
        args=(a, out(size[::-1], np.float32), *size),
        want=a.T,
        bytes=8 * a.size,
    )
