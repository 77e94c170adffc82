"""What the exercises of 24_clusters ask for."""

import numpy as np

from warpbook import Case, drawn, exercise, least, most, out, through

NO_GLOBAL_ATOMICS = (
    most("ptx atom.global", 0),
    most("ptx red.global", 0, why="Blocks of a cluster reach one another's shared memory."),
)


def own_maximum(case, outputs):
    """Whether each output is the maximum of one block of its cluster, and of no other."""
    (values,) = (a for a in case.args if isinstance(a, np.ndarray))
    (seen,) = outputs
    padded = np.zeros(32 * seen.size, np.float32)
    padded[: values.size] = values
    maxima = padded.reshape(-1, 4, 1, 32).max(axis=3)
    return bool((maxima == seen.reshape(-1, 1, 4)).any(axis=1).all())


@exercise(
    sizes=(1, 31, 129, drawn(300, 400), drawn(600, 900)),
    technique=(
        most(
            "global_ld_requests",
            1,
            lambda n: 4 * -(-n // 128),
            "Each block loads its own values only.",
        ),
        through("distant", own_maximum, "Each block finds its own maximum, and they tell it."),
        *NO_GLOBAL_ATOMICS,
    ),
)
def leave(size, rng):
    values = rng.random(size, dtype=np.float32)
    blocks = 4 * -(-size // 128)
    padded = np.zeros(32 * blocks, np.float32)
    padded[:size] = values
    maxima = padded.reshape(-1, 4, 32).max(axis=2).sum(axis=1, dtype=np.float64)
    return Case(
        grid=(blocks,),
        block=(32,),
        args=(values, out(blocks, np.float32), size),
        want=maxima.repeat(4),
        bytes=4 * size,
    )


def own_eighth(case, outputs):
    """Whether less than three quarters of the pairs are counted: those of other blocks are lost."""
    return bool(np.minimum(outputs[0], case.want).sum() < 0.75 * case.want.sum())


@exercise(
    sizes=(1, 2, 33, 2049, drawn(20000, 24000)),
    technique=(
        # 512 kinds of pairs: 32 warps hold their counters, or 256 if these are dealt out in turn
        most("ptx atom.global", 1.5, lambda n: 256, "Add to the global counters once, at the end."),
        most("ptx red.global", 1.5, lambda n: 256),
        most("shared_bytes", 1, lambda n: 4 * 65536 / 8, "An eighth of the counters a block."),
        most("global_ld_sectors", 3, lambda n: 2 * n / 32, "Each byte is one block's affair."),
        through(
            "distant", own_eighth, "Each counter lies in one block, and all of them add to it."
        ),
    ),
)
def pairs(size, rng):
    values = rng.integers(0, 16, size).astype(np.uint8)
    values[1::2] += 240  # the first eighth of the counters, and the last
    kinds = 256 * values[:-1].astype(np.int64) + values[1:]
    return Case(
        grid=(8,),
        block=(256,),
        args=(values, out(65536, np.int32, fill=0), size),
        want=np.bincount(kinds, minlength=65536),
        bytes=size,
    )


def one_part(case, outputs):
    """Whether each row's sum is what one block has added up: some, and less than three quarters."""
    share = outputs[0] / case.want
    return bool(((share > 0) & (share < 0.75)).all())


@exercise(
    sizes=((1, 1), (2, 31), (3, 129), (1, 1000), (drawn(2, 4), drawn(1025, 2000))),
    technique=(
        *NO_GLOBAL_ATOMICS,
        most("global_ld_requests", 1, lambda rows, cols: rows * -(-cols // 32), "Read it once."),
        most("global_st_requests", 1, lambda rows, cols: rows, "Store each sum once."),
        least(
            "ptx mapa", 1, lambda rows, cols: rows, "Read the others' parts in their shared memory."
        ),
        through("distant", one_part, "Each block adds up its own part, and they meet in one."),
    ),
)
def total(size, rng):
    rows, cols = size
    matrix = rng.random(size, dtype=np.float32)
    return Case(
        grid=(4 * rows,),
        block=(128,),
        args=(matrix, out(rows, np.float32), rows, cols),
        want=matrix.sum(axis=1, dtype=np.float64),
        bytes=4 * rows * cols,
    )
