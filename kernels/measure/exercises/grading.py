"""What the grader asks of each exercise of the chapter on measuring."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out


def sectors(*shape):
    """Sectors of 32 bytes that hold so many floats."""
    return int(np.prod(shape)) / 8


@exercise(
    sizes=((1, 1), (8, 31), (7, 33), (33, 7), (64, 100), (drawn(60, 100), drawn(128, 256, 32))),
    technique=(
        most("global_ld_sectors", 1.05, sectors, "Keep a warp on neighbouring columns."),
        most("global_st_sectors", 1.05, sectors),
    ),
    bound_share=0.45,
    gpu_size=(1 << 13, 1 << 13),
)
def swapped(size, rng):
    rows, cols = size
    a = rng.random((rows, cols), dtype=np.float32)
    return Case(
        grid=(-(-rows // 8), -(-cols // 32)),
        block=(32, 8),
        args=(a, out((rows, cols), np.float32), rows, cols),
        want=2 * a,
        bytes=8 * rows * cols,
    )


@exercise(
    sizes=((1, 1), (2, 31), (33, 32), (3, 129), (50, 33), (drawn(40, 64), drawn(160, 256, 32))),
    technique=(most("global_ld_sectors", 1.05, sectors, "Keep a warp on neighbouring columns."),),
    bound_share=0.6,
    gpu_size=(1 << 8, 1 << 18),
)
def unwritten(size, rng):
    rows, cols = size
    a = rng.random((rows, cols), dtype=np.float32)
    a[rng.random((rows, cols)) < 0.1] = np.inf
    a[rng.random((rows, cols)) < 0.3] = np.nan
    return Case(
        grid=(-(-cols // 128),),
        block=(128,),
        args=(a, out(cols, np.int32), rows, cols),
        want=np.isnan(a).sum(axis=0, dtype=np.int32),
        bytes=4 * rows * cols + 4 * cols,
    )


@exercise(
    sizes=(1, 31, 32, 255, 1000, drawn(3000, 5000)),
    technique=(most("global_st_sectors", 1.1, sectors, "Each element once, by neighbours."),),
    bound_share=0.6,
    gpu_size=1 << 26,
)
def scrub(size, rng):
    value = float(rng.integers(1, 100))
    return Case(
        grid=(1 + size % 4 if size < 1 << 20 else 4096,),
        block=(256,),
        args=(out(size, np.float32), size, value),
        want=np.full(size, value, np.float32),
        bytes=4 * size,
    )


@exercise(
    sizes=(1, 31, 33, 257, drawn(900, 1200)),
    technique=(
        least("fmas", 0.95, lambda n: 4 * 7 * -(-n // 32), "Run all four chains, every round."),
    ),
    bound_share=0.5,
    gpu_size=1 << 22,
)
def keep_work(size, rng):
    rounds = 7 if size < 1 << 20 else 1024
    scale = rng.random(size, dtype=np.float32) / 2
    limit = 1 / (1 - scale.astype(np.float64))  # where every chain ends: x = scale * x + 1
    want = 4 * limit + scale.astype(np.float64) ** rounds * (0 + 1 + 2 + 3 - 4 * limit)
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        args=(scale, out(size, np.float32), size, rounds),
        want=want.astype(np.float32),
        bytes=8 * size,
        flops=8 * size * rounds,
    )
