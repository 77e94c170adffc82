"""What the exercises of 13_host_and_device ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out


def padded(array, pitch):
    """The array with each row filled up to ``pitch`` bytes, with numbers that nobody should use."""
    whole = np.full((*array.shape[:-1], pitch // array.itemsize), -7777, array.dtype)
    whole[..., : array.shape[-1]] = array
    return whole


@exercise(
    sizes=((1, 1), (3, 31), (5, 128), (33, 33), (7, 333), (drawn(9, 16), drawn(700, 1001))),
    technique=(
        most("global_ld_sectors", 1.05, lambda rows, cols: rows * -(-cols // 8)),
        most("global_st_sectors", 1.05, lambda rows, cols: rows * -(-cols // 8)),
    ),
    bound_share=0.4,
    gpu_size=(1 << 16, 1001),
)
def negate(size, rng):
    rows, cols = size
    in_pitch, out_pitch = (-(-4 * cols // unit) * unit for unit in (128, 512))
    a = rng.random(size, dtype=np.float32)
    want = np.full((rows, out_pitch // 4), np.nan, np.float32)  # NaN: untouched
    want[:, :cols] = -a
    return Case(
        grid=(rows, -(-cols // 256)),
        block=(256,),
        args=(padded(a, in_pitch), out(want.shape, np.float32), rows, cols, in_pitch, out_pitch),
        want=want,
        bytes=8 * a.size,
    )


def volume(depth, height, width):
    """Sectors that hold so many floats."""
    return depth * height * width / 8


@exercise(
    sizes=(
        (1, 1, 1),
        (1, 9, 33),
        (3, 8, 32),
        (2, 17, 31),
        (5, 4, 70),
        (drawn(2, 4), drawn(9, 16), 64),
    ),
    technique=(  # five sectors in place of four where a row of the box begins inside a sector
        most("global_ld_sectors", 1.3, volume, "Lanes should read along x, where floats lie."),
        most("global_st_sectors", 1.05, volume),
    ),
)
def box(size, rng):
    (depth, height, width), (z0, y0, x0) = size, (1, 2, 3)
    a = rng.random((depth + 2, height + 5, width + 7), dtype=np.float32)
    pitch = -(-4 * a.shape[2] // 512) * 512
    want = a[z0 : z0 + depth, y0 : y0 + height, x0 : x0 + width].copy()
    return Case(
        grid=(-(-width // 32), -(-height // 8), depth),
        block=(32, 8),
        args=(
            padded(a, pitch),
            out(size, np.float32),
            a.shape[1],
            pitch,
            x0,
            y0,
            z0,
            width,
            height,
            depth,
        ),
        want=want,
        bytes=8 * want.size,
    )


@exercise(
    sizes=((1, 1), (31, 2), (33, 1), (1000, 3), (drawn(2000, 4096, 8), drawn(2, 5))),
    technique=(most("global_st_sectors", 1.05, lambda n, every: 2 * n / 8),),
)
def pack(size, rng):
    n, every = size
    particles = rng.random((every * (n - 1) + 1, 8), dtype=np.float32)
    return Case(
        grid=(-(-n // 256),),
        block=(256,),
        args=(particles, out((2, n), np.float32), n, every),
        want=particles[::every, [0, 4]].T.copy(),
        bytes=16 * n,
    )


@exercise(
    sizes=(1, 31, 32, 33, 1000, drawn(60_000, 70_000), drawn(2000, 8000)),
    technique=(
        least(
            "barriers",
            1,
            lambda n: 8 * -(-n // 256),
            "All threads of a block must have counted before one of them takes the ticket.",
        ),
        least(
            "fences",
            1,
            lambda n: -(-n // 256),
            "The counts must be visible to every block before the ticket is: __threadfence().",
        ),
        least(
            "atomic_requests",
            1,
            lambda n: n // 32 + -(-n // 256),
            "Let each block draw a ticket from `done`.",
        ),
        most("global_ld_sectors", 1.05, lambda n: n / 8),
    ),
)
def ticket(size, rng):
    # one kernel for all sizes, in this order: what a launch leaves behind, the next one finds
    a, limit = rng.random(size, dtype=np.float32), np.float32(0.25)
    return Case(
        grid=(-(-size // 256),),
        block=(256,),
        args=(a, out(1, np.uint32), size, float(limit)),
        want=np.array([(a > limit).sum()], np.uint32),
        bytes=4 * size,
    )
