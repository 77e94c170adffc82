"""What the exercises of 25_hopper ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out, through

SIZES = ((64, 64, 64), (64, 128, 128), (128, 64, 256), (64, 64, drawn(320, 640, 64)))


def bfloat16(values):
    """Floats rounded to bfloat16, as 16-bit words."""
    words = values.astype(np.float32).view(np.uint32)
    return (words + 0x7FFF + (words >> 16 & 1) >> 16).astype(np.uint16)


def widened(words):
    """The floats that such words mean."""
    return (words.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def packed(matrix):
    """Tiles of 64 x 64, in each of them columns of 8 elements: 64 rows of 16 bytes."""
    rows, cols = matrix.shape
    tiles = matrix.reshape(rows // 64, 64, cols // 64, 8, 8)
    return np.ascontiguousarray(tiles.transpose(0, 2, 3, 1, 4)).reshape(rows // 64, cols // 64, -1)


def unpacked(tiles):
    """The matrix that ``packed`` packed."""
    rows, cols, _ = tiles.shape
    columns = tiles.reshape(rows, cols, 8, 64, 8).transpose(0, 3, 1, 2, 4)
    return columns.reshape(64 * rows, 64 * cols)


def multiplied(case, factors):
    """The product of these factors."""
    given = (words if words.ndim == 2 else unpacked(words) for words in case.args[:2])
    a, b = (factors(widened(words)) for words in given)
    return a @ b.T


def stored(case, outputs, factors):
    """Whether the result is the product of these factors."""
    want = multiplied(case, factors)
    return np.allclose(outputs[0], want, rtol=case.rtol, atol=case.atol)


def layer(case, outputs, factors):
    """Whether the result is the layer of these factors."""
    sums = multiplied(case, factors) + case.args[2]
    return np.array_equal(outputs[0], bfloat16(np.maximum(sums, 0)))


FROM_MMA = through("products", stored, "Store what the products have added up.")


def product(size, rng, pack, shared_bytes=0):
    """A case: c = a @ b.T, a warp group for each 64 x 64."""
    m, n, k = size
    a, b = (bfloat16(rng.standard_normal((rows, k))) for rows in (m, n))
    given = (packed(a), packed(b)) if pack else (a, b)
    return Case(
        grid=(n // 64, m // 64),
        block=(128,),
        args=(*given, out((m, n), np.float32), m, n, k),
        want=widened(a) @ widened(b).T,
        shared_bytes=shared_bytes,
        rtol=1e-3,
        atol=1e-3,
        bytes=2 * (m + n) * k + 4 * m * n,
    )


def steps(m, n, k):
    """Tiles of 64 along k, of all blocks."""
    return m * n * k / 64**3


def products(m, n, k):
    """Products of a warp, each a quarter of 64 x 64 x 16."""
    return 16 * steps(m, n, k)


@exercise(
    sizes=SIZES,
    technique=(
        most(
            "ptx wgmma.wait_group.sync.aligned 0",
            1,
            lambda m, n, k: 4 * m * n / 4096,
            "Leave the newest step's products under way.",
        ),
        most(
            "ptx wgmma.commit_group",
            1,
            lambda m, n, k: 4 * steps(m, n, k),
            "One group a step: an empty one holds nothing back.",
        ),
        most(
            "ptx wgmma.wait_group",
            1,
            lambda m, n, k: 4 * (steps(m, n, k) + m * n / 4096),
            "One wait a step, and one at the end.",
        ),
        most("shared_bytes", 1, lambda m, n, k: 3 * 16384 + 24, "Three stages, no more."),
        least("bulk_copies", 2, steps, "Each step's tiles come by two bulk copies."),
        least("mma", 1, products),
        FROM_MMA,
    ),
)
def early(size, rng):
    return product(size, rng, pack=True, shared_bytes=3 * 16384 + 24)


@exercise(
    sizes=SIZES,
    technique=(
        least("mma", 1, products, "Let wgmma make the products."),
        most("shared_ld_requests", 0, None, "wgmma reads shared memory by itself."),
        least("shared_st_conflicts", 64, steps, "place() stays as it is, and who lays what."),
        most("shared_st_conflicts", 128, steps, "place() stays as it is, and who lays what."),
        FROM_MMA,
    ),
)
def layout(size, rng):
    return product(size, rng, pack=False)


@exercise(
    sizes=SIZES,
    technique=(
        most("global_st_requests", 1, lambda m, n, k: m * n / 64, "Store each pair once."),
        most("global_ld_requests", 32, lambda m, n, k: m * n / 1024, "c is not read again."),
        least("mma", 1, products),
        through("products", layer, "Add the bias to what wgmma has added up."),
    ),
)
def bias(size, rng):
    m, n, k = size
    # Whole numbers: their sums are exact in float, and not in bfloat16.
    a, b = (rng.integers(-8, 9, (rows, k)).astype(np.float32) for rows in (m, n))
    add = rng.integers(-400, 401, n).astype(np.float32)
    sums = np.maximum(a.astype(np.float64) @ b.T + add, 0)
    return Case(
        grid=(n // 64, m // 64),
        block=(128,),
        args=(packed(bfloat16(a)), packed(bfloat16(b)), add, out((m, n), np.uint16), m, n, k),
        want=bfloat16(sums),
        bytes=2 * (m + n) * k + 2 * m * n + 4 * n,
    )
