"""What the exercises of 07_shared_memory ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out

RADIUS, THREADS = 16, 256


def windows(a, radius):
    """Every window of 2*radius + 1 neighbours of a, one a row."""
    return np.lib.stride_tricks.sliding_window_view(a, 2 * radius + 1)


def sums(a, radius):
    """The window sums of a, in float64."""
    total = np.concatenate(([0.0], np.cumsum(a, dtype=np.float64)))
    return total[2 * radius + 1 :] - total[: -2 * radius - 1]


def tile_of(width, arrays=1):
    """Ask for one load of a tile of so many floats in each block."""
    return most(
        "global_ld_requests",
        1.1,
        lambda n, *_: arrays * -(-n // THREADS) * -(-width // 32),
        "Load what a block's windows cover into shared memory, once.",
    )


@exercise(
    sizes=(1, 31, 32, 33, 255, 256, 257, drawn(900, 1020)),
    technique=(tile_of(THREADS + 2 * RADIUS),),
    bound_share=0.2,
    gpu_size=1 << 26,
)
def halo(size, rng):
    a = rng.random(size + 2 * RADIUS, dtype=np.float32)
    return Case(
        grid=(-(-size // THREADS),),
        block=(THREADS,),
        args=(a, out(size, np.float32), size),
        want=sums(a, RADIUS),
        bytes=8 * size,
    )


@exercise(
    sizes=(1, 31, 32, 33, 257, 1000, drawn(770, 799)),
    technique=(
        tile_of(THREADS + 4 * RADIUS),
        most("barriers", 1, lambda n: 2 * 8 * -(-n // THREADS), "Two barriers are enough."),
        least("barriers", 1, lambda n: 2 * 8 * -(-n // THREADS), "Let all threads reach both."),
    ),
    bound_share=0.1,
    gpu_size=1 << 26,
)
def twice(size, rng):
    a = rng.random(size + 4 * RADIUS, dtype=np.float32)
    return Case(
        grid=(-(-size // THREADS),),
        block=(THREADS,),
        args=(a, out(size, np.float32), size),
        want=sums(sums(a, RADIUS), RADIUS),
        bytes=8 * size,
    )


@exercise(
    sizes=(1, 4, 31, 32, 33, 257, drawn(900, 1020)),
    technique=(tile_of(THREADS + 2 * 4),),
    bound_share=0.35,
    gpu_size=1 << 26,
)
def maximum(size, rng):
    radius = 4
    a = rng.standard_normal(size, dtype=np.float32) - 4  # mostly negative: a zero would win
    padded = np.pad(a, radius, constant_values=-np.inf)
    return Case(
        grid=(-(-size // THREADS),),
        block=(THREADS,),
        args=(a, out(size, np.float32), size),
        want=windows(padded, radius).max(axis=1),
        bytes=8 * size,
    )


@exercise(
    sizes=((1, 0), (31, 1), (33, 16), (257, 100), (drawn(900, 1020), drawn(150, 200))),
    technique=(
        most(
            "global_ld_requests",
            1.05,
            lambda n, radius: 2 * -(-n // THREADS) * -(-(THREADS + 2 * radius) // 32),
            "Load what a block's windows cover into both tiles, once.",
        ),
    ),
)
def products(size, rng):
    n, radius = size
    a, b = (rng.random(n + 2 * radius, dtype=np.float32) for _ in range(2))
    return Case(
        grid=(-(-n // THREADS),),
        block=(THREADS,),
        args=(a, b, out(n, np.float32), n, radius),
        want=sums(a * b, radius),
        shared_bytes=8 * (THREADS + 2 * radius),
        bytes=12 * n,
    )
