"""What the exercises of 33_flash_attention and 34_flash_hopper ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out, through


def tiles(n):
    return -(-n // 32)


def attention(q, k, v, hidden=None):
    """Output and log-sum-exp in float64."""
    scores = q.astype(np.float64) @ k.astype(np.float64).T
    if hidden is not None:
        scores[hidden] = -np.inf
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total @ v.astype(np.float64), (top + np.log(total))[:, 0]


@exercise(
    sizes=((1, 1), (3, 33), (2, 64), (1, 1500), (drawn(4, 8), drawn(200, 300))),
    technique=(
        most(
            "global_ld_requests",
            1.2,
            lambda queries, keys: queries * (1 + 32 * tiles(keys) + keys),
            "Read each key and each value once.",
        ),
        most("shared_bytes", 512, None, "Keep no scores: there may be any number of keys."),
        most("local_st_requests", 0, None, "Keep no scores: there may be any number of keys."),
    ),
)
def rescale(size, rng):
    queries, keys = size
    q, k = (rng.standard_normal((n, 64), dtype=np.float32) for n in size)
    q *= np.float32(2)  # scores up to 50: the maximum matters
    q[0] /= 64  # all weights alike: the sum is long
    q[-1] *= 4  # and beyond: exp overflows
    v = 1 + rng.standard_normal((keys, 64), dtype=np.float32)
    return Case(
        grid=(queries,),
        block=(32,),
        args=(q, k, v, out((queries, 64), np.float32), out(queries, np.float32), queries, keys),
        want=attention(q, k, v),
        rtol=2e-4,
        atol=2e-4,
    )


def visited(queries, keys, offset):
    """Tiles that count for some query of a block, of all blocks."""
    ends = (min(keys, 32 * (b + 1) + offset) for b in range(tiles(queries)))
    return sum(map(tiles, ends))


@exercise(
    sizes=((1, 1, 0), (33, 40, 7), (64, 96, 1), (31, 100, 50), (drawn(130, 160), 320, drawn(0, 8))),
    technique=(
        most(
            "global_ld_sectors",
            1.03,
            lambda queries, keys, offset: (
                128 * visited(queries, keys, offset) + 16 * 32 * tiles(queries)
            ),
            "Do not visit a tile that no query of the block meets.",
        ),
        most(
            "barriers",
            1.5,
            lambda queries, keys, offset: 2 * visited(queries, keys, offset),
            "Two barriers a tile, of the tiles that count.",
        ),
    ),
)
def diagonal_tiles(size, rng):
    queries, keys, offset = size
    q = rng.standard_normal((queries, 16), dtype=np.float32)
    k, v = (rng.standard_normal((keys, 16), dtype=np.float32) for _ in range(2))
    hidden = np.arange(keys)[None] > np.arange(queries)[:, None] + offset
    return Case(
        grid=(tiles(queries),),
        block=(32,),
        args=(
            q,
            k,
            v,
            out((queries, 16), np.float32),
            out(queries, np.float32),
            queries,
            keys,
            offset,
        ),
        want=attention(q, k, v, hidden),
        rtol=1e-4,
        atol=1e-5,
    )


def bfloat16(values):
    """Values rounded to bfloat16: their bits, and what they are."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return bits.astype(np.uint16), (bits << 16).view(np.float32).astype(np.float64)


def multiplied(case, outputs, factors):
    """Whether the result is the product of these factors."""
    weights, values = bfloat16(case.args[0])[1], case.args[1].astype(np.uint32) << 16
    want = factors(weights) @ factors(values.view(np.float32).astype(np.float64))
    return np.allclose(outputs[0], want, rtol=case.rtol, atol=case.atol)


@exercise(
    sizes=((1,), (3,), (drawn(8, 16),)),
    technique=(
        least("mma", 1, lambda blocks: blocks, "Let mma.sync make the product."),
        most("shuffles", 0),
        most("shared_st_requests", 0, None, "The weights stay in registers."),
        most("global_ld_requests", 1.1, lambda blocks: 12 * blocks, "Load the weights once."),
        through("products", multiplied, "Store what the product gives."),
    ),
)
def operand(size, rng):
    (blocks,) = size
    p = rng.random((blocks, 16, 16), dtype=np.float32)
    v, values = bfloat16(rng.standard_normal((blocks, 16, 8)))
    return Case(
        grid=(blocks,),
        block=(32,),
        args=(p, v, out((blocks, 16, 8), np.float32), blocks),
        want=bfloat16(p)[1] @ values,
        rtol=1e-4,
        atol=1e-4,
    )


def in_sections(heads, tiles, size):
    """The pieces of work in their order: section after section, the longest first."""
    order = []
    for first in range(0, heads, size):
        members = range(first, min(first + size, heads))
        order += [head * tiles + tile for tile in reversed(range(tiles)) for head in members]
    return np.array(order, np.int32)


@exercise(
    sizes=(
        (1, 1, 1),
        (4, 4, 2),
        (5, 3, 2),
        (7, 8, 7),
        (6, 5, 100),
        (drawn(9, 16), 11, drawn(2, 8)),
    ),
    technique=(
        most(
            "instructions",
            1,
            lambda heads, tiles, size: 250 * -(-heads * tiles // 32),
            "Work the piece out from n: no thread walks through all.",
        ),
        most("global_st_requests", 1, lambda heads, tiles, size: -(-heads * tiles // 32)),
    ),
)
def order(size, rng):
    heads, tiles, section = size
    return Case(
        grid=(-(-heads * tiles // 128),),
        block=(128,),
        args=(out((heads * tiles,), np.int32), heads, tiles, section),
        want=in_sections(heads, tiles, section),
    )
