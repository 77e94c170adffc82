"""What the exercises of 12_matmul_on_cpu ask for. One thread: a request is one float loaded."""

import numpy as np

from warpbook import Case, exercise, out


def matrices(m, n, k, rng):
    """Return a and b, random, and their product in float64."""
    a, b = (rng.random(shape, dtype=np.float32) for shape in ((m, k), (k, n)))
    return a, b, a.astype(float) @ b


@exercise(
    sizes=((1, 1, 1), (2, 3, 5), (1, 9, 7), (5, 4, 3), (6, 8, 16)),
    limits={"global_st_requests": 6 * 8 * (16 / 4 + 1), "global_ld_requests": 1200},
)
def four_steps(size, rng):
    # loads, of b, c and a: 768 + 192 + 96 at the last size, where one step at a time takes 1,632
    a, b, want = matrices(*size, rng)
    return Case(grid=(1,), block=(1,), args=(a, b, out(want.shape, np.float32), *size), want=want)


@exercise(sizes=((1, 1, 1), (2, 4, 6), (3, 4, 6), (2, 5, 6), (2, 4, 7), (5, 3, 7)))
def strides(size, rng):
    # an odd m gives a column by column, an odd n b, an odd k the result
    m, n, k = size
    a, b, want = matrices(m, n, k, rng)
    a_strides, b_strides, c_strides = (
        (1, rows) if odd % 2 else (columns, 1)
        for odd, rows, columns in ((m, m, k), (n, k, n), (k, m, n))
    )
    flat = [np.ravel(x, order="F" if odd % 2 else "C") for x, odd in ((a, m), (b, n), (want, k))]
    return Case(
        grid=(1,),
        block=(1,),
        want=flat[2],
        args=(
            flat[0],
            flat[1],
            out(m * n, np.float32),
            m,
            n,
            k,
            *a_strides,
            *b_strides,
            *c_strides,
        ),
    )


@exercise(
    sizes=((1, 1), (3, 5), (4, 1), (5, 7), (9, 3), (8, 16)),
    limits={"global_ld_requests": 8 * 8 * 16 * 2 // 4},
)
def gram(size, rng):
    m, k = size
    a = rng.random((m, k), dtype=np.float32)
    return Case(
        grid=(1,), block=(1,), args=(a, out((m, m), np.float32), m, k), want=a.astype(float) @ a.T
    )


@exercise(
    sizes=((1, 1, 1), (5, 3, 7), (3, 6, 33), (17, 5, 2), (16, 8, 8)),
    limits={"global_ld_requests": 16 * 8 * 8 // 4 + 16 * 8 * 8 // 16},
)
def pack(size, rng):
    # a quarter of a float of a for each multiply-add, and a sixteenth of one of b
    a, b, want = matrices(*size, rng)
    return Case(grid=(1,), block=(1,), args=(a, b, out(want.shape, np.float32), *size), want=want)
