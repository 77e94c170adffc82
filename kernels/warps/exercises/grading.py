"""What the exercises of 04_warps_and_waves ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out

STEPS = 8  # of Newton's method, from 1: enough for float32 and numbers from 0.5 to 1.5


@exercise(
    sizes=((1, 8, 1), (31, 8, 1), (33, 8, 2), (1000, 56, 3), (300, drawn(60, 140), drawn(2, 16))),
    technique=(most("global_ld_sectors", 1.05, lambda n, *_: -(-n // 8)),),
)
def staircase(size, rng):
    n, sms, places = size
    wave = sms * places
    # up to four waves, and some that are exactly full
    blocks = rng.integers(1, 4 * wave + 1, n, dtype=np.int32)
    blocks[::3] = wave * rng.integers(1, 5, len(blocks[::3]), dtype=np.int32)
    blocks[-1] = 2**31 - wave  # too large for a float
    waves = -(-blocks // wave)
    return Case(
        grid=(-(-n // 128),),
        block=(128,),
        args=(blocks, out(n, np.int32), out(n, np.int32), n, sms, places),
        want=(waves, waves * wave - blocks),
    )


@exercise(
    sizes=(1, 31, 32, 33, 1000, drawn(2048, 4096, 256)),
    technique=(
        most("divergent_branches", 0),
        most(
            "ptx div.rn.f32", 1, lambda n: STEPS * n / 64, "No warp should do both kinds of work."
        ),
        least("ptx div.rn.f32", 1, lambda n: STEPS * n / 64, "Keep the steps as they are."),
    ),
)
def uniform(size, rng):
    # the last size fills its blocks, so that the guard does not diverge either
    a = 0.5 + rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        args=(a, out(size, np.float32), size, STEPS),
        want=np.where(np.arange(size) % 2 == 0, np.sqrt(a), 1 / a),
    )


@exercise(
    sizes=(
        (1, 1, 1),
        (32, 1, 1),
        (8, 8, 1),
        (5, 7, 1),
        (33, 2, 3),
        (4, 4, 64),
        (drawn(3, 9), drawn(3, 9), drawn(3, 9)),
        (drawn(3, 9), drawn(3, 9), drawn(3, 9)),
    )
)
def place(size, rng):
    x, y, z = np.indices(size)
    number = (z * size[1] + y) * size[0] + x
    return Case(
        grid=(1,),
        block=size,
        args=(out(size, np.int32), out(size, np.int32)),
        want=(number // 32, number % 32),
    )


def chosen_of(size):
    """8 elements of 61: with 4,096 they fill 17 warps, and lie in all 128."""
    return np.flatnonzero(np.arange(size) * 7 % 61 < 8).astype(np.int32)


@exercise(
    sizes=(1, 31, 33, 1000, drawn(3000, 4096)),
    technique=(
        most(
            "ptx div.rn.f32",
            1,
            lambda n: 4 * STEPS * -(-len(chosen_of(n)) // 32),
            "The chosen fill a few warps. The others have no work.",
        ),
        least(
            "ptx div.rn.f32",
            1,
            lambda n: 4 * STEPS * -(-len(chosen_of(n)) // 32),
            "Keep the steps as they are.",
        ),
    ),
)
def dense(size, rng):
    chosen = chosen_of(size)
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
    sizes=((1, 1), (3, 31), (4, 32), (5, 33), (9, 100), (drawn(5, 9), drawn(400, 600, 8))),
    technique=(most("global_ld_sectors", 1.05, lambda rows, cols: rows * cols / 8),),
    bound_share=0.5,
    gpu_size=(1 << 16, 1 << 10),
)
def row_sums(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size[0] // 4),),
        block=(128,),
        args=(a, out(size[0], np.float32), *size),
        want=a.sum(axis=1, dtype=np.float64),
        bytes=4 * (a.size + size[0]),
        flops=a.size,
    )
