"""What the exercises of 40_profiling ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out

TABLE = (np.arange(256) * (510 - np.arange(256)) / 65025).astype(np.float32)


@exercise(
    sizes=((1,), (31,), (257,), (drawn(3000, 5000),)),
    technique=(
        most("atomic_requests", 1, lambda n: -(-n // 256), "One atomic for a block."),
        least("atomic_requests", 0.9, lambda n: n // 256, "Each block adds what it has counted."),
        most("global_ld_sectors", 1.1, lambda n: n / 8 + 4),
    ),
)
def bright(size, rng):
    (n,) = size
    values = rng.random(n, dtype=np.float32)
    level = float(rng.uniform(0.2, 0.8))
    return Case(
        grid=(-(-n // 256),),
        block=(256,),
        args=(values, out((1,), np.int32, fill=0), level, n),
        want=np.array([np.count_nonzero(values >= np.float32(level))], np.int32),
        bytes=4 * n,
    )


@exercise(
    sizes=((1,), (31,), (257,), (drawn(3000, 5000),)),
    technique=(
        most("shared_bytes", 0, None, "No shared memory."),
        most("global_ld_sectors", 1.1, lambda n: n / 8 + 1, "No load but that of in."),
        least("global_ld_sectors", 0.9, lambda n: n / 8),
    ),
)
def formula(size, rng):
    (n,) = size
    values = rng.random(n, dtype=np.float32)
    return Case(
        grid=(-(-n // 256),),
        block=(256,),
        args=(values, TABLE, out((n,), np.float32), n),
        want=TABLE[(256 * values).astype(int)],
        rtol=1e-5,
        atol=1e-6,
        bytes=8 * n,
    )
