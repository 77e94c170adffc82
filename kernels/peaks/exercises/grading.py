"""What the exercises of 02_know_your_gpu ask for."""

import numpy as np

from warpbook import Case, exercise, out

SIZES = ((1, 1), (31, 2), (32, 3), (33, 8), (1000, 9), (1025, 1), (4096, 33))


def polynomial(size, rng, block_points):
    n, terms = size
    x = rng.random(n, dtype=np.float32)
    c = rng.random(terms, dtype=np.float32)
    return Case(
        grid=(-(-n // block_points),), block=(256,), args=(x, c, out(n, np.float32), n, terms),
        want=np.polynomial.polynomial.polyval(x.astype(np.float64), c),
        bytes=8 * n + 4 * terms, flops=2 * (terms - 1) * n,
    )  # fmt: skip


# 33 terms at 4,096 points: Horner's rule takes about 150 PTX instructions a warp,
# powers from the start more than 1,000.
@exercise(sizes=SIZES, limits={"instructions": 300 * 128})
def horner(size, rng):
    return polynomial(size, rng, block_points=256)


# 4,096 points: 128 requests for x; 33 for each of 32 warps for the coefficients.
@exercise(sizes=SIZES, limits={"global_ld_requests": 128 + 32 * 33, "sectors_per_st_request": 4.0})
def amortise(size, rng):
    return polynomial(size, rng, block_points=1024)


# 4,096 elements: 128 requests for in, and none for the weights.
@exercise(
    sizes=(1, 2, 31, 32, 33, 1000, 4096),
    bound_share=0.75,
    gpu_size=1 << 26,
    limits={"global_ld_requests": 128},
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
