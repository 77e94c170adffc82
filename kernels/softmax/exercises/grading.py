"""What the exercises on softmax of 30_softmax ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, most, out


def words(cols):
    """Requests of a warp for so many floats of a row."""
    return -(-cols // 32)


def exact(rows):
    """The softmax of each row, in float64; zeros for one of length 0."""
    rows = rows.astype(np.float64)
    terms = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return terms / terms.sum(axis=-1, keepdims=True)


@exercise(
    sizes=((1, 1), (3, 31), (5, 33), (4, 64), (2, 1500), (drawn(20, 30), drawn(200, 400))),
    technique=(
        most(
            "global_ld_requests",
            1.5,  # an unrolled loop asks for its rest separately
            lambda rows, cols: rows * words(cols),
            "One pass: read each element once.",
        ),
        most("shared_bytes", 512, None, "Keep no copy of the row: it may have any length."),
        most("local_st_requests", 0, None, "Keep no copy of the row: it may have any length."),
    ),
    bound_share=0.3,
    gpu_size=(32768, 4096),
)
def logsumexp(size, rng):
    values = (30 * rng.standard_normal(size, dtype=np.float32)).astype(np.float32)
    values += rng.choice([-1000, 0, 1000], (size[0], 1)).astype(np.float32)
    values[rng.random(size) < 0.1] = -np.inf
    values[size[0] // 2] = -np.inf  # a row of nothing else
    values[-1, : size[1] // 2] = -np.inf
    values[-1, -1] = 100
    top = np.maximum(values.max(axis=1), np.float32(-3e38)).astype(np.float64)
    with np.errstate(divide="ignore"):
        want = top + np.log(np.exp(values.astype(np.float64) - top[:, None]).sum(axis=1))
    return Case(
        grid=(-(-size[0] // 4),),
        block=(32, 4),
        args=(values, out(size[0], np.float32), *size),
        want=want,
        bytes=values.nbytes,
    )


def length(row, cols):
    """How many elements of a row count: 0, 1, all, and then this and that."""
    return (0, 1, cols)[row] if row < 3 else (37 * row + 11) % (cols + 1)


@exercise(
    sizes=((1, 1), (3, 31), (4, 33), (drawn(30, 40), drawn(200, 400))),
    technique=(
        most(
            "global_ld_requests",
            1.4,
            lambda rows, cols: sum(3 * words(length(r, cols)) + 1 for r in range(rows)),
            "Do not read what does not count.",
        ),
    ),
)
def lengths(size, rng):
    rows, cols = size
    values = (5 * rng.standard_normal(size, dtype=np.float32)).astype(np.float32)
    counts = np.array([length(r, cols) for r in range(rows)], np.int32)
    want = np.zeros(size)
    for row, count in enumerate(counts):
        if count:
            want[row, :count] = exact(values[row, :count])
        values[row, count:] = np.nan if row % 2 else np.inf
    return Case(
        grid=(-(-rows // 4),),
        block=(32, 4),
        args=(values, counts, out(size, np.float32), rows, cols),
        want=want,
        bytes=8 * rows * cols,
    )


@exercise(
    sizes=((1, 1), (3, 31), (2, 257), (drawn(4, 8), drawn(600, 900))),
    technique=(
        most("shared_bytes", 1, lambda rows, cols: 32, "Do with the shared memory that there is."),
        most(
            "global_ld_requests",
            1.3,
            lambda rows, cols: 3 * rows * -(-cols // 32),
            "Each element is read by one thread a pass.",
        ),
        most("barriers", 3, lambda rows, cols: 8 * rows, "One more barrier is enough."),
    ),
)
def one_buffer(size, rng):
    values = (5 * rng.standard_normal(size, dtype=np.float32)).astype(np.float32)
    return Case(
        grid=(size[0],),
        block=(256,),
        args=(values, out(size, np.float32), *size),
        want=exact(values),
        bytes=8 * values.size,
    )
