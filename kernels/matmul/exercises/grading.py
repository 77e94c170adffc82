"""What the exercises of 13_matmul_naive to 18_matmul_ladder ask for."""

import numpy as np

from warpbook import Case, exercise, out

SMALL = ((1, 1, 1), (15, 17, 16), (16, 16, 16), (33, 31, 40))


def ceil(length, tile):
    """How many tiles cover a length."""
    return -(-length // tile)


def product(size, rng, grid, block, beta=0.0, **more):
    """The Case of c = 1.5 * a @ b + beta * c at size (m, n, k).

    Where beta is 0, c holds NaN before the launch, which a kernel that reads it carries on.
    """
    m, n, k = size[:3]
    a, b, c = (rng.random(shape, dtype=np.float32) for shape in ((m, k), (k, n), (m, n)))
    want = 1.5 * a.astype(np.float64) @ b + (beta * c if beta else 0)
    place = out((m, n), np.float32, c if beta else None)
    return Case(
        grid=grid,
        block=block,
        args=(a, b, place, m, n, k, 1.5, beta),
        want=want,
        flops=2 * m * n * k,
        rtol=1e-4,
        **more,
    )


def beta_of(size):
    """Read c at every other size, so that both cases are graded everywhere."""
    return 0.5 * (sum(size) % 2)


@exercise(
    sizes=((1, 1, 1), (33, 40, 17), (31, 70, 5), (64, 96, 24)),
    limits={"sectors_per_ld_request": 4.0, "sectors_per_st_request": 4.0},
)
def fix_mapping(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 32), ceil(m, 32)), (32, 32), beta_of(size))


@exercise(
    sizes=(
        (1, 1, 1, 1, 1),
        (40, 20, 9, 1, 1),
        (20, 50, 8, 2, 1),
        (50, 20, 8, 1, 2),
        (33, 47, 16, 3, 2),
    )
)
def any_grid(size, rng):
    return product(size, rng, size[3:], (16, 16), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (7, 130, 9), (9, 97, 16), (16, 256, 24)),
    limits={"global_ld_requests": 3840, "sectors_per_ld_request": 4.0},
)
def four_columns(size, rng):
    # 4 blocks of 8 warps, 24 steps, 5 loads each
    m, n, k = size
    return product(size, rng, (ceil(n, 128), ceil(m, 8)), (32, 8), 0.5 * (m == 7))


@exercise(sizes=SMALL + ((48, 48, 48),), limits={"global_ld_requests": 432})
def write_tiles(size, rng):
    # 9 blocks, 3 rounds, 8 warps, 2 loads a round
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(sizes=SMALL + ((17, 1, 5), (1, 17, 33)))
def odd_sizes(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(sizes=((1, 1, 1), (31, 33, 8), (33, 31, 23), (64, 32, 40)))
def swapped(size, rng):
    m, n, k = size
    case = product(size, rng, (ceil(n, 32), ceil(m, 32)), (16, 16), beta_of(size))
    a, *rest = case.args
    return Case(
        grid=case.grid,
        block=case.block,
        args=(np.ascontiguousarray(a.T), *rest),
        want=case.want,
        flops=case.flops,
        rtol=case.rtol,
    )


@exercise(
    sizes=((1, 1, 1), (65, 63, 17), (128, 128, 32)),
    limits={"global_ld_sectors": 2048, "barriers": 256},
)
def budget(size, rng):
    # 4 blocks of 64 x 64, each 32 * (64 + 64) floats, eight to a sector; other shapes need more.
    # All 8 blocks that are launched, 4 without a tile, have 8 warps that meet twice in 2 rounds.
    m, n, k = size
    return product(size, rng, (max(8, ceil(m, 16)),), (256,), beta_of(size))


@exercise(sizes=((1, 1, 1), (63, 65, 17), (64, 64, 32)), limits={"shared_ld_requests": 2048})
def thread_tile(size, rng):
    # 8 warps, 32 steps, at most 8 reads each
    m, n, k = size
    return product(size, rng, (ceil(n, 64), ceil(m, 64)), (256,), beta_of(size))


@exercise(
    sizes=(
        (1, 1, 1, 32),
        (33, 31, 40, 96),
        (40, 33, 31, 1024),
        (32, 64, 32, 320),
        (32, 64, 64, 256),
    ),
    limits={"sectors_per_ld_request": 4.0},
)
def fetch(size, rng):
    m, n, k, threads = size
    return product(size, rng, (ceil(n, 32), ceil(m, 32)), (threads,), 0.5 * (threads == 96))


@exercise(sizes=((1, 1, 1), (63, 65, 17), (64, 64, 32)), limits={"sectors_per_st_request": 4.0})
def columns(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 64), ceil(m, 64)), (256,), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (63, 65, 17), (64, 64, 32)),
    limits={"shared_st_conflicts": 0, "shared_ld_conflicts": 0},
)
def conflict(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 64), ceil(m, 64)), (256,), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (63, 65, 17), (64, 64, 32)),
    limits={"shared_ld_requests": 512, "shared_ld_conflicts": 0},
)
def wide(size, rng):
    # 8 warps, 32 steps, 2 reads each
    m, n, k = size
    return product(size, rng, (ceil(n, 64), ceil(m, 64)), (256,), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (5, 6, 3), (9, 130, 4), (8, 132, 5), (16, 256, 8)),
    limits={"global_st_requests": 32},
)
def wide_store(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 128), ceil(m, 8)), (32, 8), 0.5 * (m in (5, 8)))


@exercise(sizes=SMALL + ((17, 20, 90),), limits={"barriers": 192})
def two_buffers(size, rng):
    # 4 blocks of 8 warps, 6 rounds, a barrier each
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(sizes=SMALL + ((17, 20, 90),))
def prefetch(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(sizes=SMALL + ((17, 20, 90),))
def stages(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(sizes=((1, 1), (8, 3), (3, 8), (20, 5), (19, 16)))
def tile_order(size, rng):
    rows, cols = size
    walk = [
        row * cols + col
        for top in range(0, rows, 8)
        for col in range(cols)
        for row in range(top, min(top + 8, rows))
    ]
    return Case(
        grid=(rows * cols,),
        block=(32,),
        args=(out(rows * cols, np.int32), rows, cols),
        want=np.array(walk),
        bytes=4 * rows * cols,
    )


@exercise(sizes=((1, 1, 1, 1), (3, 5, 7, 4), (17, 16, 100, 8), (20, 33, 31, 3), (16, 16, 64, 4)))
def split_k(size, rng):
    m, n, k, parts = size
    case = product(size, rng, (ceil(n, 16), ceil(m, 16), parts), (16, 16))
    a, b, _, *rest = case.args
    if k % parts == 0:  # a float holds the sum of each part, but not that of the first and more
        a[0], b[:] = 0, 1
        a[0, [0, *range(k // parts, k, k // parts)]] = 2e38
        a[0, k // parts + 1 :: k // parts] = -2e38
    want = 1.5 * a.astype(np.float64) @ b
    return Case(
        grid=case.grid,
        block=case.block,
        want=want,
        flops=case.flops,
        rtol=case.rtol,
        args=(a, b, out((m, n), np.float32, 0.0), *rest),
    )


@exercise(sizes=((1, 1, 1), (7, 3, 4), (512, 256, 132), (5, 100_000, 132), (4096, 20_000, 108)))
def even_share(size, rng):
    tiles, k_tiles, blocks = size
    want = np.arange(blocks + 1, dtype=np.int64) * tiles * k_tiles // blocks
    return Case(
        grid=(blocks,),
        block=(32,),
        want=want,
        bytes=4 * blocks,
        args=(out(blocks + 1, np.int32), tiles, k_tiles),
    )
