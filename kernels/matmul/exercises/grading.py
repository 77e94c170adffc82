"""What the exercises of 15_matmul_naive to 20_matmul_ladder ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, forbids, least, most, out, requires

SMALL = ((1, 1, 1), (15, 17, 16), (16, 16, 16), (33, 31, 40))
MEDIUM = (drawn(33, 48), drawn(33, 48), drawn(33, 48))


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


def tiled(rows, cols, depth):
    """Ask for loads of whole tiles, rows x depth and depth x cols: each float once a block."""

    def needed(m, n, k, *_):
        blocks, rounds = ceil(m, rows) * ceil(n, cols), ceil(k, depth)
        return blocks * (rounds * (rows + cols) * depth + rows * cols) / 32  # and c, for beta

    why = "Load each float of a block's tiles once, and use it from shared memory."
    return most("global_ld_requests", 1.05, needed, why)


def read_from_tile(side, counter, times, of_a_warp):
    """Ask for so many reads of shared memory a warp and step, tiles side x side, 8 warps."""

    def needed(m, n, k, *_):
        return ceil(m, side) * ceil(n, side) * 8 * of_a_warp * 16 * ceil(k, 16)

    return (most if counter == "most" else least)("shared_ld_requests", times, needed)


def whole_sectors(m, n, *_):
    """The sectors of c."""
    return m * n / 8


@exercise(
    sizes=((1, 1, 1), (33, 40, 17), (31, 70, 5), (drawn(33, 64), 96, drawn(16, 24))),
    technique=(  # a warp and step: one sector of a, four of b
        most(
            "global_ld_sectors",
            1.1,
            lambda m, n, k: m * n / 32 * (5 * k + 4),
            "The lanes of a warp should be neighbours in a row of c.",
        ),
        most("global_st_sectors", 1.05, whole_sectors),
    ),
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
        (drawn(33, 50), drawn(33, 50), drawn(8, 16), drawn(1, 3), drawn(1, 3)),
    ),
    technique=(  # a warp and step: two sectors of a and two of b, and more at the edges
        most(
            "global_ld_sectors",
            1.1,
            lambda m, n, k, *_: 8 * ceil(m, 16) * ceil(n, 16) * (4.5 * k + 6),
            "Each element is one thread's, and all threads take part.",
        ),
        requires("gridDim", "A thread's next element lies a whole grid further."),
    ),
)
def any_grid(size, rng):
    return product(size, rng, size[3:], (16, 16), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (7, 130, 9), (9, 97, 16), (16, 256, drawn(16, 24))),
    technique=(
        most("global_ld_requests", 1, lambda m, n, k: m * n / 128 * 5 * k, "Load a[row, i] once."),
        most("global_ld_sectors", 1.05, lambda m, n, k: m * n / 128 * 17 * k),
    ),
)
def four_columns(size, rng):
    # a warp and step: one load of a, four of b
    m, n, k = size
    return product(size, rng, (ceil(n, 128), ceil(m, 8)), (32, 8), 0.5 * (m == 7))


@exercise(sizes=(*SMALL, MEDIUM), technique=(tiled(16, 16, 16),))
def write_tiles(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(sizes=(*SMALL, (17, 1, 5), (1, 17, 33), MEDIUM), technique=(tiled(16, 16, 16),))
def odd_sizes(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (31, 33, 8), (33, 31, 23), (drawn(40, 64), drawn(20, 32), drawn(33, 40))),
    technique=(tiled(32, 32, 8),),
)
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
    sizes=((1, 1, 1), (65, 63, 17), (128, 128, drawn(24, 32, 8))),
    technique=(
        most(
            "global_ld_sectors",
            1.1,
            lambda m, n, k: m * n / 4096 * (64 + 64) * 16 * ceil(k, 16) / 8,
            "Which tile of 4,096 elements has the shortest sides?",
        ),
        most(
            "barriers", 1, lambda m, n, k: 8 * 8 * 2 * ceil(k, 16), "Fewer rounds: a deeper tile."
        ),
        most("shared_bytes", 8192, why="Both tiles together take 4 * BK * (BM + BN) bytes."),
    ),
)
def budget(size, rng):
    # All 8 blocks that are launched, 4 without a tile, have 8 warps that meet twice in each round.
    m, n, k = size
    return product(size, rng, (max(8, ceil(m, 16)),), (256,), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (63, 65, 17), (drawn(50, 64), drawn(50, 64), drawn(20, 32))),
    technique=(tiled(64, 64, 16), read_from_tile(64, "most", 1, of_a_warp=8)),
)
def thread_tile(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 64), ceil(m, 64)), (256,), beta_of(size))


@exercise(
    sizes=(
        (1, 1, 1, 32),
        (33, 31, 40, 96),
        (40, 33, 31, 1024),
        (32, 64, 32, 320),
        (drawn(33, 64), 64, drawn(50, 64), drawn(128, 512, 32)),
    ),
    technique=(
        most(
            "global_ld_sectors",
            1.1,
            lambda m, n, k, threads: ceil(m, 32) * ceil(n, 32) * (ceil(k, 32) * 64 * 5 + 32 * 5),
            "Load each float of a block's tiles once, by neighbouring lanes.",
        ),
    ),
)
def fetch(size, rng):
    m, n, k, threads = size
    return product(size, rng, (ceil(n, 32), ceil(m, 32)), (threads,), 0.5 * (threads == 96))


@exercise(
    sizes=((1, 1, 1), (63, 65, 17), (64, 64, drawn(20, 32))),
    technique=(tiled(64, 64, 16), most("global_st_sectors", 1.05, whole_sectors)),
)
def columns(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 64), ceil(m, 64)), (256,), beta_of(size))


FREE = (most("shared_st_conflicts", 0), most("shared_ld_conflicts", 0))


@exercise(
    sizes=((1, 1, 1), (63, 65, 17), (drawn(50, 64), drawn(50, 64), drawn(20, 32))),
    technique=(
        *FREE,
        tiled(64, 64, 16),
        most(
            "global_ld_sectors",
            1,
            lambda m, n, k: (
                ceil(m, 64)
                * ceil(n, 64)
                * (ceil(k, 16) * (256 + 160) + 2304 * (sum((m, n, k)) % 2))
            ),
            "Lanes that fetch one row of a should be neighbours in it.",
        ),
        read_from_tile(64, "most", 1, of_a_warp=2),
        read_from_tile(64, "least", 0.5, of_a_warp=2),
    ),
)
def conflict(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 64), ceil(m, 64)), (256,), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (63, 65, 17), (drawn(50, 64), drawn(50, 64), drawn(20, 32))),
    technique=(
        most("shared_ld_conflicts", 0),
        tiled(64, 64, 16),
        read_from_tile(64, "most", 1, of_a_warp=2),
    ),
)
def wide(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 64), ceil(m, 64)), (256,), beta_of(size))


@exercise(
    sizes=((1, 1, 1), (5, 6, 3), (9, 130, 4), (8, 132, 5), (16, drawn(132, 256, 4), 8)),
    technique=(most("global_st_requests", 1, lambda m, n, k: m * ceil(n, 128), "Store float4."),),
)
def wide_store(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 128), ceil(m, 8)), (32, 8), 0.5 * (m in (5, 8)))


def one_barrier(m, n, k):
    """One barrier a round of 16 for each of a block's 8 warps."""
    return ceil(m, 16) * ceil(n, 16) * 8 * ceil(k, 16)


LONG = (drawn(17, 32), drawn(17, 32), drawn(70, 90))


@exercise(
    sizes=(*SMALL, LONG),
    technique=(
        tiled(16, 16, 16),
        most("barriers", 1, one_barrier, "With two buffers one barrier a tile is enough."),
    ),
)
def two_buffers(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(
    sizes=(*SMALL, LONG),
    technique=(
        tiled(16, 16, 16 + 8),  # a tile more than there are may be asked for
        least(
            "loads_ahead", 2, why="Load both next elements between the barrier and the products."
        ),
    ),
)
def prefetch(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


WAIT = "Wait for this tile's group and no other."


@exercise(
    sizes=(*SMALL, LONG),
    technique=(
        tiled(16, 16, 16 + 8),  # two tiles more than there are may be started
        least(
            "cp_async",
            0.2,
            lambda m, n, k: 2 * one_barrier(m, n, k),
            "Let cp.async fill the stages.",
        ),
        forbids("cp.async.wait_all", WAIT, compiled=True),
        forbids("cp.async.wait_group 0", WAIT, compiled=True),
        most("barriers", 1, one_barrier, "One barrier a tile is enough."),
    ),
)
def stages(size, rng):
    m, n, k = size
    return product(size, rng, (ceil(n, 16), ceil(m, 16)), (16, 16), beta_of(size))


@exercise(
    sizes=((1, 1), (8, 3), (drawn(2, 7), drawn(6, 9)), (20, 5), (drawn(17, 31), drawn(9, 16)))
)
def tile_order(size, rng):
    rows, cols = size
    group = 8 if rows == 20 else 3
    walk = [
        row * cols + col
        for top in range(0, rows, group)
        for col in range(cols)
        for row in range(top, min(top + group, rows))
    ]
    return Case(
        grid=(rows * cols,),
        block=(32,),
        args=(out(rows * cols, np.int32), rows, cols),
        want=np.array(walk),
        bytes=4 * rows * cols,
        defines={"GROUP": group},
    )


@exercise(
    sizes=(
        (1, 1, 1, 1),
        (3, 5, 7, 4),
        (17, 16, 100, 8),
        (drawn(17, 32), 33, drawn(30, 40), 3),
        (16, 16, drawn(48, 72, 12), drawn(2, 4)),
    ),
    technique=(
        least("atomic_requests", 1, lambda m, n, k, parts: 8 * parts, "Each part adds to c."),
        most("global_ld_requests", 1, lambda m, n, k, parts: 8 * 2 * k, "A part sums its own k."),
    ),
)
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


@exercise(
    sizes=(
        (1, 1, 1),
        (7, 3, 4),
        (drawn(300, 600), drawn(200, 300), 132),
        (5, 100_000, 132),
        (drawn(3500, 4096), drawn(18_000, 20_000), 108),
    )
)
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
