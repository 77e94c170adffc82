"""What the exercises of 26_matvec ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, forbids, least, most, out, through


def vector(rng, count):
    return rng.random(count, dtype=np.float32)


def blocks(rows):
    return -(-rows // 8)


@exercise(
    sizes=((1, 1), (31, 33), (33, 31), (drawn(40, 60), drawn(300, 400))),
    technique=(
        most(
            "global_ld_sectors",
            1.5,
            lambda rows, cols: rows * cols / 4,  # a and x, eight floats a sector
            "Let the 32 lanes of a load read neighbouring floats.",
        ),
        most(
            "instructions",
            3,
            lambda rows, cols: 14 * rows * -(-cols // 32),
            "Let all lanes add, not lane 0 for the others.",
        ),
    ),
    bound_share=0.4,
    gpu_size=(16384, 8192),
)
def warp_row(size, rng):
    rows, cols = size
    a, x = vector(rng, rows * cols).reshape(size), vector(rng, cols)
    return Case(
        grid=(blocks(rows),),
        block=(256,),
        args=(a, x, out(rows, np.float32), rows, cols),
        want=a.astype(np.float64) @ x,
        bytes=4 * (rows * cols + rows + cols),
    )


@exercise(
    sizes=((1, 1), (31, 1), (33, 3), (31, 33), (5, 1000), (drawn(30, 40), drawn(401, 799))),
    technique=(
        most(
            "global_ld_requests",
            1.7,
            lambda rows, cols: rows * (-(-cols // 128) + 2),
            "Load the aligned part of a row as float4, 128 floats a request.",
        ),
    ),
    bound_share=0.4,
    gpu_size=(16384, 8191),
)
def odd_rows(size, rng):
    rows, cols = size
    a = vector(rng, rows * cols).reshape(size)
    return Case(
        grid=(blocks(rows),),
        block=(256,),
        args=(a, out(rows, np.float32), rows, cols),
        want=a.astype(np.float64).sum(axis=1),
        bytes=4 * (rows * cols + rows),
    )


def unfinished(case, outputs):
    """Whether the first block, on its own, leaves the result to the last."""
    return bool(np.isnan(outputs[0]).all())


@exercise(
    sizes=((1, 1, 1), (8, 64, 2), (31, 33, 5), (drawn(17, 30), drawn(200, 300), drawn(3, 7))),
    technique=(
        most(
            "atomic_requests",
            1,
            lambda rows, cols, split: blocks(rows) * split,
            "One thread of a block counts for all of it.",
        ),
        least(
            "fences",
            1,
            lambda rows, cols, split: blocks(rows) * split,
            "What a block has stored must arrive before it is counted: __threadfence().",
        ),
        least(
            "barriers",
            2,
            lambda rows, cols, split: 8 * blocks(rows) * split,
            "A block meets before it is counted, and again before it reads the count.",
        ),
        most(
            "global_ld_sectors",
            2,
            lambda rows, cols, split: rows * cols / 4,
            "Each block reads its own columns only; the rest is in partial.",
        ),
        through("one block", unfinished, "The block that comes last adds up."),
    ),
)
def last_block(size, rng):
    rows, cols, parts = size
    a, x = vector(rng, rows * cols).reshape(rows, cols), vector(rng, cols)
    share = -(-cols // parts)
    products = a.astype(np.float64) * x
    sums = np.stack([products[:, p * share : (p + 1) * share].sum(axis=1) for p in range(parts)])
    return Case(
        grid=(blocks(rows), parts),
        block=(256,),
        args=(
            a,
            x,
            out(rows, np.float32),
            out((parts, rows), np.float32),
            out(blocks(rows), np.uint32, fill=0),
            rows,
            cols,
            parts,
        ),
        want=(sums.sum(axis=0), sums, np.full(blocks(rows), parts, np.uint32)),
    )


@exercise(
    sizes=((1, 8), (31, 40), (5, 1000), (drawn(30, 50), drawn(64, 120, 8))),
    technique=(
        most(
            "global_ld_requests",
            1.1,
            lambda rows, cols: 3 * rows * -(-cols // 256),
            "Load 16 bytes a lane: a uint4 of a, two float4 of x.",
        ),
        forbids("cuda_bf16.h", "A bfloat16 is the upper half of a float: a shift makes one."),
    ),
    bound_share=0.4,
    gpu_size=(16384, 16384),
)
def bfloat16(size, rng):
    rows, cols = size
    a, x = rng.random(size, dtype=np.float32), vector(rng, cols)
    bits = (a.view(np.uint32) >> 16).astype(np.uint16)
    full = (bits.astype(np.uint32) << 16).view(np.float32)
    return Case(
        grid=(blocks(rows),),
        block=(256,),
        args=(bits, x, out(rows, np.float32), rows, cols),
        want=full.astype(np.float64) @ x,
        bytes=2 * rows * cols + 4 * (rows + cols),
    )
