"""What the exercises of 02_know_your_gpu ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, most, out

SIZES = (
    (1, 1),
    (31, 2),
    (32, 3),
    (33, 8),
    (1000, 9),
    (1025, 1),
    (65, 70),
    (drawn(3500, 4096), drawn(20, 33)),
)


def polynomial(size, rng, block_points):
    n, terms = size
    x = rng.random(n, dtype=np.float32)
    c = rng.random(terms, dtype=np.float32)
    return Case(
        grid=(-(-n // block_points),),
        block=(256,),
        args=(x, c, out(n, np.float32), n, terms),
        want=np.polynomial.polynomial.polyval(x.astype(np.float64), c),
        bytes=8 * n + 4 * terms,
        flops=2 * (terms - 1) * n,
    )


@exercise(
    sizes=SIZES,
    technique=(
        most(
            "float_ops",
            1.1,
            lambda n, terms: terms * -(-n // 32),
            "One fused multiply-add for each term, and no power of x at all.",
        ),
        most("instructions", 1, lambda n, terms: (9 * terms + 40) * -(-n // 32)),
    ),
)
def horner(size, rng):
    return polynomial(size, rng, block_points=256)


def loads(n, terms):
    """Requests for x, and for each coefficient once a warp, which has four points a thread."""
    return -(-n // 32) + 8 * -(-n // 1024) * terms


@exercise(
    sizes=SIZES,
    technique=(
        most("global_ld_requests", 1.05, loads, "Load a coefficient once for all four points."),
        most("global_st_sectors", 1.05, lambda n, terms: n / 8),
    ),
)
def amortise(size, rng):
    return polynomial(size, rng, block_points=1024)


@exercise(
    sizes=(1, 2, 31, 32, 33, 1000, drawn(2000, 4096)),
    technique=(most("global_ld_sectors", 1.05, lambda n: n / 8, "Read no weight at all."),),
    bound_share=0.5,
    gpu_size=1 << 26,
)
def recompute(size, rng):
    a = rng.random(size, dtype=np.float32)
    weights = (1 - np.abs((2 * np.arange(size) + 1) / size - 1)).astype(np.float32)
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        args=(a, weights, out(size, np.float32), size),
        want=a * weights,
        bytes=8 * size,
    )
