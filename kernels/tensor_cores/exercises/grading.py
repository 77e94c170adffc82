"""What the exercises of 21_tensor_cores ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out, through

# Two bf16 tiles of 16 x 64 and of 64 x 64.
TILES = 2 * (16 * 64 + 64 * 64)
SIZES = ((16, 64, 64), (16, 128, 192), (48, 64, drawn(256, 512, 64)))


def bfloat16(values):
    """Floats rounded to bfloat16, as 16-bit words."""
    words = values.astype(np.float32).view(np.uint32)
    return (words + 0x7FFF + (words >> 16 & 1) >> 16).astype(np.uint16)


def widened(words):
    """The floats that such words mean."""
    return (words.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def multiplied(case, outputs, factors):
    """Whether the result is the product of these factors."""
    a, b = (factors(widened(words)) for words in case.args[:2])
    return np.allclose(outputs[0], a @ b, rtol=case.rtol, atol=case.atol)


FROM_MMA = through("products", multiplied, "Store what the products have added up.")


def product(grid, m, n, k, rng, sizes):
    """A case: c = a @ b, one warp a block."""
    a, b = bfloat16(rng.standard_normal((m, k))), bfloat16(rng.standard_normal((k, n)))
    return Case(
        grid=grid,
        block=(32,),
        args=(a, b, out((m, n), np.float32), *sizes),
        want=widened(a) @ widened(b),
        rtol=1e-3,
        atol=1e-3,
        bytes=2 * (m * k + k * n) + 4 * m * n,
    )


def products(m, n, k):
    """Products of a warp, 16 x 8 x 16, that the matrices need."""
    return m * n * k / (16 * 8 * 16)


def blocks(m, n, k):
    """Blocks of 16 x 64."""
    return m // 16 * (n // 64)


@exercise(
    sizes=((16, 8), (16, 24), (48, 8), (drawn(32, 96, 16), drawn(24, 64, 8))),
    technique=(
        least("mma", 1, lambda m, n: products(m, n, 16), "Let mma.sync make the products."),
        most(
            "global_ld_requests",
            12,  # four words of a and two of b, each of two elements
            lambda m, n: products(m, n, 16),
            "A lane loads the elements of its own registers only.",
        ),
        FROM_MMA,
    ),
)
def fragment(size, rng):
    m, n = size
    return product((n // 8, m // 16), m, n, 16, rng, size)


@exercise(
    sizes=((16, 16, 16), (16, 48, 32), (48, 16, 64), (32, 32, drawn(64, 160, 16))),
    technique=(
        most("shared_ld_requests", 1, products, "One ldmatrix.x4 fills all four words."),
        least("ldmatrix", 1, products, "Load the fragments with ldmatrix."),
        least("mma", 1, products),
        FROM_MMA,
    ),
)
def matrices(size, rng):
    m, n, k = size
    return product((n // 16, m // 16), m, n, k, rng, size)


@exercise(
    sizes=SIZES,
    technique=(
        most("shared_ld_conflicts", 0, None, "Eight rows, eight different runs."),
        most("shared_st_conflicts", 0),
        most("shared_bytes", 1, lambda m, n, k: TILES, "No room for padding."),
        least("ldmatrix", 0.5, products),
        least("mma", 1, products),
        FROM_MMA,
    ),
)
def conflicts(size, rng):
    m, n, k = size
    return product((n // 64, m // 16), m, n, k, rng, size)


@exercise(
    sizes=SIZES,
    technique=(
        least("shared_bytes", 1, lambda m, n, k: 3 * TILES, "Three stages need three tiles."),
        most("shared_bytes", 1, lambda m, n, k: 3 * TILES),
        most(
            "barriers",
            1,
            lambda m, n, k: (m // 16) * (n // 64) * (k // 64 + 1),
            "One barrier a tile is enough.",
        ),
        least("cp_async", 1, lambda m, n, k: (m // 16) * (n // 64) * (k // 64) * 20),
        most("cp_async_drains", 1, blocks, "Leave one group of copies on its way."),
        most(
            "ptx cp.async.commit_group",
            1,
            lambda m, n, k: blocks(m, n, k) * (k // 64 + 2),
            "One group a tile: an empty one holds nothing back.",
        ),
        least("mma", 1, products),
        FROM_MMA,
    ),
)
def stages(size, rng):
    m, n, k = size
    return product((n // 64, m // 16), m, n, k, rng, size)
