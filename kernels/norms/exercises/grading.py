"""What the exercise of 31_norms asks for."""

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
