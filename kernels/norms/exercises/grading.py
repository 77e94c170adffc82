"""What the exercises of 31_norms ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, most, out


@exercise(
    sizes=((1, 1), (3, 31), (2, 129), (2, 1024), (drawn(4, 8), drawn(500, 1000))),
    technique=(
        most(
            "global_ld_requests",
            1.1,
            lambda rows, cols: 3 * rows * 4 * -(-cols // 128),  # whole rounds of four warps
            "Keep the sums in registers, and read each element once.",
        ),
        most("local_ld_requests", 0, why="The array is not in registers: unroll its loops."),
    ),
    bound_share=0.3,
    gpu_size=(65536, 1024),
)
def add_rms(size, rng):
    a, b = (rng.standard_normal(size, dtype=np.float32) for _ in range(2))
    weight = rng.random(size[1], dtype=np.float32)
    total = a.astype(np.float64) + b
    scale = 1 / np.sqrt((total * total).mean(axis=1, keepdims=True) + 1e-5)
    return Case(
        grid=(size[0],),
        block=(128,),
        args=(a, b, weight, out(size, np.float32), out(size, np.float32), *size, 1e-5),
        want=(total, total * scale * weight),
        bytes=16 * a.size,
    )


@exercise(
    sizes=((1, 1), (3, 31), (2, 257), (2, 300), (drawn(3, 6), drawn(1000, 2000))),
    technique=(
        most(
            "global_ld_requests",
            1.2,
            lambda rows, cols: rows * (2 * -(-cols // 32) + 8),  # a warp also asks for one element
            "One pass for mean and variance, one to write.",
        ),
    ),
    bound_share=0.3,
    gpu_size=(16384, 16384),
)
def shift(size, rng):
    """Rows with a standard deviation of 3 and means between 2,000 and 4,000, of either sign."""
    a = 3 * rng.standard_normal(size, dtype=np.float32)
    a += rng.choice([-1, 1], (size[0], 1)) * rng.uniform(2000, 4000, (size[0], 1))
    exact = a.astype(np.float64)
    apart = exact - exact.mean(axis=1, keepdims=True)
    variance = (apart * apart).mean(axis=1, keepdims=True)
    return Case(
        grid=(size[0],),
        block=(256,),
        args=(a, out(size, np.float32), *size, 1e-5),
        want=apart / np.sqrt(variance + 1e-5),
        bytes=8 * a.size,
        rtol=1e-3,
        atol=1e-3,
    )
