"""What the exercises of 32_attention and 35_decode ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, most, out

SCALE = np.float32(0.125)


def blocks(n):
    return -(-n // 16)


def bfloat16(values):
    """Values rounded to bfloat16: their bits, and what they are as floats."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint32)
    return bits.astype(np.uint16), (bits << 16).view(np.float32).astype(np.float64)


@exercise(
    sizes=((1,), (16,), (33,), (drawn(100, 160),)),
    technique=(
        most(
            "global_ld_sectors",
            1.05,
            lambda n: blocks(n) * (blocks(n) + 1) / 2 * 2 * 16 * 64 / 8,
            "In a block of which no score counts, load nothing.",
        ),
        most(
            "barriers",
            1.3,
            lambda n: 64 * blocks(n) * (blocks(n) + 1) / 2,
            "In a block of which no score counts, do not go round the loop.",
        ),
    ),
)
def diagonal(size, rng):
    (n,) = size
    q, k = (rng.standard_normal((n, 64), dtype=np.float32) for _ in range(2))
    want = SCALE * (q.astype(np.float64) @ k.T.astype(np.float64))
    want[np.triu_indices(n, 1)] = -np.inf
    return Case(
        grid=(blocks(n), blocks(n)),
        block=(16, 16),
        args=(q, k, out((n, n), np.float32), n, SCALE),
        want=want,
        rtol=1e-4,
        atol=1e-5,
    )


@exercise(
    sizes=((1, 1), (2, 33), (3, 64), (1, 1500), (drawn(4, 8), drawn(300, 400))),
    technique=(
        most(
            "global_ld_sectors",
            1.2,
            lambda heads, n: heads * n * 8,
            "Read each key and each value once.",
        ),
        most("shared_bytes", 512, None, "Keep no scores: there may be any number of keys."),
        most("local_st_requests", 0, None, "Keep no scores: there may be any number of keys."),
    ),
    bound_share=0.2,
    gpu_size=(4096, 1024),
)
def one_pass(size, rng):
    heads, n = size
    q = rng.standard_normal((heads, 64), dtype=np.float32)
    q[0] /= 16  # all weights alike: the sum is long
    q[1:] *= 4  # scores up to 100 and beyond: exp overflows
    k, keys = bfloat16(rng.standard_normal((heads, n, 64), dtype=np.float32))
    v, values = bfloat16(1 + rng.standard_normal((heads, n, 64), dtype=np.float32))
    score = np.einsum("hd,hjd->hj", q.astype(np.float64), keys)
    top = score.max(axis=1, keepdims=True)
    weight = np.exp(score - top)
    total = weight.sum(axis=1, keepdims=True)
    result = np.einsum("hj,hjd->hd", weight / total, values)
    return Case(
        grid=(heads,),
        block=(32,),
        args=(
            q,
            k.view(np.uint32),
            v.view(np.uint32),
            out((heads, 64), np.float32),
            out(heads, np.float32),
            heads,
            n,
        ),
        want=(result, (top + np.log(total))[:, 0]),
        rtol=1e-4,
        atol=1e-4,
        bytes=256 * heads * n,
    )


@exercise(sizes=((1,), (5,), (drawn(20, 40),)))
def merge_two(size, rng):
    (rows,) = size
    a, b = (rng.standard_normal((rows, 128), dtype=np.float32) for _ in range(2))
    base = rng.choice([-800, 0, 1000], rows)
    lse_a, lse_b = ((base + 2 * rng.standard_normal(rows)).astype(np.float32) for _ in range(2))
    lse_a[1::5], a[1::5] = -np.inf, 0
    lse_b[2::5], b[2::5] = -np.inf, 0
    lse_a[3::5], a[3::5], lse_b[3::5], b[3::5] = -np.inf, 0, -np.inf, 0
    with np.errstate(divide="ignore", invalid="ignore"):
        both = np.logaddexp(lse_a.astype(np.float64), lse_b)
        of_a, of_b = (np.where(both > -np.inf, np.exp(x - both), 0) for x in (lse_a, lse_b))
    return Case(
        grid=(rows,),
        block=(128,),
        args=(a, lse_a, b, lse_b, out((rows, 128), np.float32), out(rows, np.float32), rows),
        want=(of_a[:, None] * a + of_b[:, None] * b, both),
        rtol=1e-4,
        atol=1e-5,
    )
