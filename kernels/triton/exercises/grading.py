"""What the exercises of 37_triton ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out, through

THREADS = 128


def formula(threads):
    """Ask that so many threads compute what they are asked, and search for nothing."""
    return most(
        "instructions",
        10,
        lambda *size: 40 * -(-threads(*size) // 32),
        "A few divisions and remainders say it: go through nothing.",
    )


@exercise(
    sizes=(
        (1, 1024, 4, 4),
        (600, 1024, 4, 4),
        (3000, 1024, 4, 8),
        (700, 256, 1, 2),
        (drawn(1100, 1500), 512, 8, 1),
        (drawn(2000, 4000), 2048, 2, 4),
    ),
    technique=(formula(lambda n, *_: n),),
)
def owner(size, rng):
    n, tile, size_per_thread, warps = size
    at = np.arange(n) % tile
    turn = size_per_thread * 32 * warps
    held = at // turn * size_per_thread + at % size_per_thread
    return Case(
        grid=(-(-n // THREADS),),
        block=(THREADS,),
        args=(out(2 * n, np.int32), n, tile, size_per_thread, warps),
        want=np.stack([at % turn // size_per_thread, held], axis=1).reshape(-1),
        bytes=8 * n,
    )


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
    return np.allclose(outputs[0], a @ b.T, rtol=case.rtol, atol=case.atol)


@exercise(
    sizes=((64, 64, 64), (64, 128, 128), (128, 64, drawn(128, 320, 64))),
    technique=(
        least("cp_async", 1, lambda m, n, k: 32 * m * n * k / 64**3, "The copies stay cp.async."),
        least("mma", 1, lambda m, n, k: 16 * m * n * k / 64**3, "wgmma makes the products."),
        most("fences", 1.1, lambda m, n, k: 4 * m * n * k / 64**3, "One fence a step is enough."),
        through("products", multiplied, "Store what wgmma has added up."),
    ),
)
def fence(size, rng):
    m, n, k = size
    a, b = (bfloat16(rng.standard_normal((rows, k))) for rows in (m, n))
    return Case(
        grid=(n // 64, m // 64),
        block=(128,),
        args=(a, b, out((m, n), np.float32), m, n, k),
        want=widened(a) @ widened(b).T,
        rtol=1e-3,
        atol=1e-3,
        bytes=2 * (m + n) * k + 4 * m * n,
    )


@exercise(
    sizes=(
        (1, 1, 8),
        (8, 3, 8),
        (3, 5, 8),
        (17, 6, 8),
        (7, 4, 1),
        (drawn(20, 30), drawn(9, 15), 4),
        (drawn(40, 60), drawn(17, 25), drawn(5, 9)),
    ),
    technique=(formula(lambda down, across, _: down * across),),
)
def groups(size, rng):
    down, across, group = size
    order = [
        (row, col)
        for first in range(0, down, group)
        for col in range(across)
        for row in range(first, min(first + group, down))
    ]
    return Case(
        grid=(-(-down * across // THREADS),),
        block=(THREADS,),
        args=(out(2 * down * across, np.int32), down, across, group),
        want=np.array(order).reshape(-1),
        bytes=8 * down * across,
    )


@exercise(
    sizes=(
        (16, 8, 1, 1),
        (64, 64, 2, 2),
        (64, 64, 4, 1),
        (32, 128, 1, 4),
        (drawn(64, 128, 64), drawn(32, 96, 32), 4, 2),
        (drawn(32, 96, 32), drawn(64, 128, 64), 2, 4),
    ),
    technique=(formula(lambda rows, cols, *_: rows * cols),),
)
def sums(size, rng):
    rows, cols, down, across = size
    row, col = np.indices((rows, cols))
    warp = row // 16 % down * across + col // 8 % across
    return Case(
        grid=(-(-cols // 32), -(-rows // 4)),
        block=(32, 4),
        args=(out((rows, cols), np.int32), rows, cols, down, across),
        want=32 * warp + row % 8 * 4 + col % 8 // 2,
        bytes=4 * rows * cols,
    )
