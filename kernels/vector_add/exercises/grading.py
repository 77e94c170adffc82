"""What the exercises of vector_add must do: launches, right answers and limits."""

import numpy as np

from warpbook import Case, drawn, exercise, most, out

THREADS = 128


def sectors(*shape):
    """Sectors of 32 bytes that hold so many floats."""
    return int(np.prod(shape)) / 8


def once(loads, stores=1):
    """Ask that each element be loaded and stored once, by warps whose lanes are neighbours."""
    return (
        most("global_ld_sectors", 1.1, lambda *shape: loads * sectors(*shape)),
        most("global_st_sectors", 1.1, lambda *shape: stores * sectors(*shape)),
    )


@exercise(sizes=(1, 31, 33, 129, 1000, drawn(3000, 4096)), technique=once(1))
def deal(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=(1,),
        block=(96 if size < 1000 else THREADS,),
        args=(a, out(size, np.float32), size),
        want=a + 1,
        bytes=8 * size,
    )


@exercise(
    sizes=(1, 31, 33, 129, drawn(1000, 3000)), technique=once(2), bound_share=0.5, gpu_size=1 << 26
)
def saxpy(size, rng):
    x, y0 = rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size // THREADS),),
        block=(THREADS,),
        args=(x, y0, out(size, np.float32), 2.5, size),
        want=2.5 * x + y0,
        bytes=12 * size,
    )


@exercise(
    sizes=(1, 31, 33, 129, drawn(500, 900), drawn(1000, 3000, 8)),
    technique=once(1),
    bound_share=0.3,
    gpu_size=1 << 26,
)
def reverse(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=(-(-size // THREADS),),
        block=(THREADS,),
        args=(a, out(size, np.float32), size),
        want=a[::-1],
        bytes=8 * size,
    )


@exercise(
    sizes=((1, 1), (8, 32), (31, 33), (33, 31), (100, 77), (drawn(40, 100), drawn(64, 128, 32))),
    technique=once(2),  # a row of the matrix, and the bias again for each
    bound_share=0.45,
    gpu_size=(8192, 8192),
)
def add_bias(size, rng):
    rows, cols = size
    a, bias = rng.random(size, dtype=np.float32), rng.random(cols, dtype=np.float32)
    return Case(
        grid=(-(-cols // 32), -(-rows // 8)),
        block=(32, 8),
        args=(a, bias, out(size, np.float32), rows, cols),
        want=a + bias,
        bytes=8 * rows * cols,
    )


@exercise(
    sizes=(1, 31, 33, 512, 513, drawn(3000, 5000)),
    technique=once(1),
    bound_share=0.6,
    gpu_size=1 << 26,
)
def clamp(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(
        grid=(3 if size < 1000 else 4 + size % 4 if size <= 5000 else 2048,),
        block=(THREADS,),
        args=(a, out(size, np.float32), 0.25, 0.75, size),
        want=np.clip(a, np.float32(0.25), np.float32(0.75)),
        bytes=8 * size,
    )
