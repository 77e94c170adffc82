"""What the exercises of 27_reduction ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out

BLOCKS = 6  # of spread's grid


def warps(n):
    """Warps of a grid of blocks of 256 threads, one for each element."""
    return 8 * -(-n // 256)


@exercise(
    sizes=(1, 31, 33, 256, 257, drawn(2100, 4000)),
    technique=(
        # One warp finishes for its block, so a block has 43 shuffles; 5 for each warp may do.
        least("shuffles", 0.9, lambda n: 5 * warps(n), "Add up the lanes of a warp by shuffles."),
        most("barriers", 2, warps, "The levels inside a warp need no barrier of the block."),
        most("shared_ld_requests", 2, warps, "The lanes of a warp can ask each other."),
        most("atomic_collisions", 0, None, "Lanes that add to one place wait for one another."),
        most("global_ld_sectors", 1.1, lambda n: 2 * n / 8, "Read each element once."),
    ),
    bound_share=0.3,
    gpu_size=1 << 26,
)
def dot(size, rng):
    x, y = (rng.random(size, dtype=np.float32) for _ in range(2))
    blocks = -(-size // 256)
    products = np.zeros(256 * blocks)
    products[:size] = x.astype(np.float64) * y
    return Case(
        grid=(blocks,),
        block=(256,),
        args=(x, y, out(blocks, np.float32), size),
        want=products.reshape(blocks, 256).sum(axis=1),
        bytes=8 * size,
    )


@exercise(
    sizes=(1, 31, 257, 1600, drawn(3000, 5000)),
    technique=(
        least("fences", 1, lambda n: BLOCKS, "A ticket alone does not carry the results along."),
        least("atomic_requests", 1, lambda n: BLOCKS, "Let each block draw a ticket."),
        most("atomic_requests", 1, lambda n: BLOCKS, "One ticket for each block is enough."),
        most("global_ld_sectors", 1.1, lambda n: n / 8 + 4 * BLOCKS, "Read each element once."),
    ),
)
def spread(size, rng):
    a = rng.standard_normal(size, dtype=np.float32)
    # Which blocks find what: thread t of block b has the elements b*256 + t, and so on.
    block = np.arange(size) // 256 % BLOCKS
    lows, highs = (np.full(BLOCKS, end, np.float32) for end in (np.inf, -np.inf))
    np.minimum.at(lows, block, a)
    np.maximum.at(highs, block, a)
    return Case(
        grid=(BLOCKS,),
        block=(256,),
        args=(
            a,
            out(BLOCKS, np.float32),
            out(BLOCKS, np.float32),
            out(1, np.uint32, fill=0),
            out(1, np.float32),
            size,
        ),
        want=(lows, highs, np.zeros(1), np.array([a.max() - a.min()])),
        bytes=4 * size,
    )
