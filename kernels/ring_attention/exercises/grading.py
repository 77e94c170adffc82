"""What the exercises of 36_ring_attention ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, most, out

HEAD = 64


@exercise(
    sizes=(1, 31, 33, drawn(100, 200)),
    technique=(
        # A row needs 24 sectors of part and 3 of part_lse, and gives 8 and 1.
        most("global_ld_sectors", 1.1, lambda rows: 27 * rows, "Load each element once."),
        most(
            "global_st_sectors",
            1.2,
            lambda rows: 9 * rows,
            "Write the result alone, lane beside lane: what lies between stays in registers.",
        ),
    ),
    bound_share=0.3,
    gpu_size=65536,
)
def merge_three(size, rng):
    part = rng.standard_normal((3, size, HEAD), dtype=np.float32)
    lse = rng.choice([-800, -30, 0, 30, 800], size) + 2 * rng.standard_normal((3, size))
    far = rng.random(size) < 0.2  # one part counts alone, and no other is in sight
    lse[:, far] += rng.permuted(np.repeat([[-150], [0], [150]], far.sum(), axis=1), axis=0)
    lse = np.clip(lse, -800, 800).astype(np.float32)
    # Rows 1 to 7, 33 to 39 and so on: each choice of parts that met no key.
    row = np.arange(size) % 32
    none = (row < 8) & (row >> np.arange(3)[:, None] & 1 == 1)
    lse[none], part[none] = -np.inf, np.nan
    a, counts = lse.astype(np.float64), np.where(none[..., None], 0, part.astype(np.float64))
    top = np.where(none.all(axis=0), 0, a.max(axis=0))
    weights = np.exp(a - top)
    total = weights.sum(axis=0)
    with np.errstate(divide="ignore"):
        want_lse = top + np.log(total)
    want = (weights[..., None] * counts).sum(axis=0) / np.where(total, total, 1)[:, None]
    return Case(
        grid=(-(-size // 8),),
        block=(32, 8),
        args=(part, lse, out((size, HEAD), np.float32), out(size, np.float32), size),
        want=(want, want_lse),
        bytes=16 * size * (HEAD + 1),
        rtol=1e-3,  # near 800 floats lie 0.0001 apart
        atol=1e-3,
    )


def sectors(gpus, length, width):
    """Of as many rows: a request of a warp may begin and end inside of one."""
    return gpus * length * (-(-width // 8) + -(-width // 32))


@exercise(
    sizes=(
        (1, 2, 1),
        (2, 30, 31),
        (drawn(3, 6), drawn(6, 14, 2), drawn(33, 64)),
        (drawn(2, 5), drawn(16, 30, 2), drawn(65, 130)),
    ),
    technique=(
        most("global_ld_sectors", 1.5, sectors, "Neighbouring lanes, neighbouring elements."),
        most("global_st_sectors", 1.5, sectors, "Neighbouring lanes, neighbouring elements."),
    ),
    bound_share=0.5,
    gpu_size=(4, 65536, 128),
)
def deal(size, rng):
    gpus, length, width = size
    values = rng.standard_normal((gpus * length, width), dtype=np.float32)
    chunks = values.reshape(2 * gpus, length // 2, width)
    want = np.concatenate([chunks[:gpus], chunks[: gpus - 1 : -1]], axis=1)
    return Case(
        grid=(-(-gpus * length // 8),),
        block=(32, 8),
        args=(values, out(want.shape, np.float32), *size),
        want=want,
        bytes=2 * values.nbytes,
        rtol=0,
        atol=0,
    )
