"""What the exercise of 28_histogram asks for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out

WHY = "A block needs one global atomic a counter: eight requests of a warp."


def flushes(n):
    """Requests that add the 256 counters of each of the four blocks, 32 at a time."""
    return 4 * 8


@exercise(
    sizes=(1, 31, 33, 1000, drawn(3000, 4000)),
    technique=(
        most("ptx red.global", 1, flushes, WHY),
        most("ptx atom.global", 1, flushes, WHY),
        most("ptx red.add", 0),
        most("global_ld_sectors", 2, lambda n: 2 * n / 32 + 2, "Neighbours load neighbours."),
        most("local_st_requests", 0, None, "Threads share their block's counters."),
        least("atomic_requests", 0.2, lambda n: n / 32, "Count with atomics, in shared memory."),
    ),
)
def joint(size, rng):
    a, b = (rng.integers(0, 256, size).astype(np.uint8) for _ in range(2))
    want = np.bincount(a // 16 * 16 + b // 16, minlength=256).astype(np.int32)
    return Case(
        grid=(4,),
        block=(256,),
        args=(a, b, out(256, np.int32, fill=0), size),
        want=want,
        bytes=2 * size,
    )
