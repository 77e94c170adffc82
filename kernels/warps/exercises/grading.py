"""What the exercises of 04_warps_and_waves ask for."""

import numpy as np

from warpbook import Case, exercise, out

STEPS = 8  # of Newton's method, from 1: enough for float32 and numbers from 0.5 to 1.5


@exercise(sizes=((1, 8, 1), (31, 8, 1), (33, 8, 2), (1000, 56, 3), (300, 132, 16)))
def staircase(size, rng):
    n, sms, places = size
    wave = sms * places
    # up to four waves, and some that are exactly full
    blocks = rng.integers(1, 4 * wave + 1, n, dtype=np.int32)
    blocks[::3] = wave * rng.integers(1, 5, len(blocks[::3]), dtype=np.int32)
    waves = -(-blocks // wave)
    return Case(
        grid=(-(-n // 128),),
        block=(128,),
        args=(blocks, out(n, np.int32), out(n, np.int32), n, sms, places),
        want=(waves, waves * wave - blocks),
    )


@exercise(sizes=(1, 31, 32, 33, 1000, 4096), limits={"divergent_branches": 0})
def uniform(size, rng):
    # 4,096 elements fill 16 blocks, so that the guard does not diverge either
    a = 0.5 + rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        args=(a, out(size, np.float32), size, STEPS),
        want=np.where(np.arange(size) % 2 == 0, np.sqrt(a), 1 / a),
    )


@exercise(sizes=((1, 1, 1), (32, 1, 1), (8, 8, 1), (5, 7, 1), (33, 2, 3), (3, 5, 7), (4, 4, 64)))
def place(size, rng):
    x, y, z = np.indices(size)
    number = (z * size[1] + y) * size[0] + x
    return Case(
        grid=(1,),
        block=size,
        args=(out(size, np.int32), out(size, np.int32)),
        want=(number // 32, number % 32),
    )


@exercise(sizes=(1, 31, 33, 1000, 4096), limits={"instructions": 7168})
def dense(size, rng):
    # 8 elements of 61: 17 warps at 4,096, where all 128 have some; as given 28,672 instructions
    chosen = np.flatnonzero(np.arange(size) * 7 % 61 < 8).astype(np.int32)
    flag = np.zeros(size, np.int32)
    flag[chosen] = 1
    a = 0.5 + rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        args=(a, flag, chosen, out(size, np.float32), size, len(chosen), 4 * STEPS),
        want=np.where(flag == 1, np.sqrt(a), np.float32(np.nan)),
    )  # NaN: untouched


@exercise(
    sizes=((1, 1), (3, 31), (4, 32), (5, 33), (9, 100), (16, 256)),
    bound_share=0.5,
    gpu_size=(1 << 16, 1 << 10),
    limits={"sectors_per_ld_request": 4.0, "global_ld_requests": 128},
)
def row_sums(size, rng):
    # 16 rows of 256 floats are 8 requests of a warp each: 128
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size[0] // 4),),
        block=(128,),
        args=(a, out(size[0], np.float32), *size),
        want=a.sum(axis=1, dtype=np.float64),
        bytes=4 * (a.size + size[0]),
        flops=a.size,
    )
