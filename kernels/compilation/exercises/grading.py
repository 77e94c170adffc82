"""What the exercises of 39_compilation ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out


@exercise(
    sizes=((1, 1), (31, 33), (5, 200), (drawn(40, 60), drawn(300, 400))),
    technique=(
        most(
            "global_ld_sectors",
            1.3,
            lambda rows, cols: rows * cols / 8,
            "Nothing but in has to be loaded.",
        ),
        most(
            "global_st_sectors",
            1.3,
            lambda rows, cols: cols / 8,
            "Store each sum once; out[c] = 0 before the loop is a store, too.",
        ),
        least("global_st_sectors", 1, lambda rows, cols: cols / 8),
    ),
)
def column_sums(size, rng):
    rows, cols = size
    values = rng.standard_normal((rows, cols), dtype=np.float32)
    return Case(
        grid=(-(-cols // 128),),
        block=(128,),
        args=(values, out((cols,), np.float32), rows, cols),
        want=values.sum(axis=0, dtype=np.float64),
        rtol=1e-4,
        atol=1e-4,
        bytes=4 * rows * cols + 4 * cols,
    )


@exercise(
    sizes=((1,), (31,), (129,), (drawn(3000, 4000),)),
    technique=(
        most("global_ld_requests", 1.05, lambda n: n / 32 + 1, "Load the four bytes at once."),
        most("global_ld_sectors", 1.1, lambda n: n / 8 + 1),
    ),
)
def big_endian(size, rng):
    (n,) = size
    values = rng.integers(-(2**31), 2**31, n, dtype=np.int64).astype(np.int32)
    return Case(
        grid=(-(-n // 128),),
        block=(128,),
        args=(
            np.frombuffer(values.astype(">i4").tobytes(), np.uint8).copy(),
            out((n,), np.int32),
            n,
        ),
        want=values,
        bytes=8 * n,
    )
