"""What the exercises of 14_matmul_on_cpu ask for. One thread: a request is one float loaded."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out


def matrices(m, n, k, rng):
    """Return a and b, random, and their product in float64."""
    a, b = (rng.random(shape, dtype=np.float32) for shape in ((m, k), (k, n)))
    return a, b, a.astype(float) @ b


@exercise(
    sizes=(
        (1, 1, 1),
        (2, 3, 5),
        (1, 9, 7),
        (5, 4, 3),
        (drawn(4, 6), drawn(6, 9), drawn(12, 20, 4)),
    ),
    technique=(
        most("global_st_requests", 1, lambda m, n, k: m * n * (k // 4 + 1)),
        most("global_ld_requests", 1.1, lambda m, n, k: m * n * k * 5 / 4 + m * k),
    ),
)
def four_steps(size, rng):
    # loads, of b, c and a
    a, b, want = matrices(*size, rng)
    return Case(grid=(1,), block=(1,), args=(a, b, out(want.shape, np.float32), *size), want=want)


@exercise(
    sizes=((1, 1, 1), (2, 4, 6), (3, 4, 6), (2, 5, 6), (2, 4, 7), (drawn(2, 6), drawn(3, 6), 7)),
    technique=(
        most("global_ld_requests", 1, lambda m, n, k: 2 * m * n * k),
        most("local_st_requests", 0, why="Copy no view: find each element where it is."),
    ),
)
def strides(size, rng):
    # an odd m gives a column by column, an odd n b, an odd k the result
    m, n, k = size
    a, b, want = matrices(m, n, k, rng)
    a_strides, b_strides, c_strides = (
        (1, rows) if odd % 2 else (columns, 1)
        for odd, rows, columns in ((m, m, k), (n, k, n), (k, m, n))
    )
    flat = [np.ravel(x, order="F" if odd % 2 else "C") for x, odd in ((a, m), (b, n), (want, k))]
    if size == (2, 5, 6):  # every second column of a wider a
        flat[0] = np.repeat(a, 2, axis=1).ravel()
        flat[0][1::2] = -7777
        a_strides = (2 * k, 2)
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
    sizes=((1, 1), (3, 5), (4, 1), (5, 7), (9, 3), (drawn(8, 12, 4), drawn(9, 16))),
    technique=(
        most("global_ld_requests", 1, lambda m, k: m * m * k * 2 / 4),
        most("local_ld_requests", 0, why="Sums and fragments in registers."),
    ),
)
def gram(size, rng):
    m, k = size
    a = rng.random((m, k), dtype=np.float32)
    return Case(
        grid=(1,), block=(1,), args=(a, out((m, m), np.float32), m, k), want=a.astype(float) @ a.T
    )


@exercise(
    sizes=((1, 1, 1), (5, 3, 7), (3, 6, 33), (17, 5, 2), (32, drawn(8, 12, 4), drawn(7, 12))),
    technique=(
        most("global_ld_requests", 1, lambda m, n, k: m * n * k * (1 / 4 + 1 / 16)),
        least(
            "global_ld_requests",
            0.97,
            lambda m, n, k: m * n * k * (1 / 4 + 1 / 16),
            "Copy a panel anew for each band of B1 rows.",
        ),
    ),
)
def pack(size, rng):
    # a quarter of a float of a for each multiply-add, and a sixteenth of one of b
    a, b, want = matrices(*size, rng)
    return Case(grid=(1,), block=(1,), args=(a, b, out(want.shape, np.float32), *size), want=want)
