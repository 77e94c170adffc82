"""u16x2 and s16x2: two 16-bit integers in a register; registered in arithmetic.py."""

import numpy as np

from . import DTYPES, pure, refuse


def lifted(i, fn):
    """An Op that applies fn to each half."""
    if "sat" in i.parts:
        raise refuse(i, "saturation of packed integers")
    dtype = DTYPES[i.type.removesuffix("x2")]
    count = len(i.operands) - 1

    def run(*words):
        low = fn(*(w.astype(dtype) for w in words))
        high = fn(*((w >> np.uint32(16)).astype(dtype) for w in words))
        if "relu" in i.parts:
            low, high = np.maximum(low, dtype(0)), np.maximum(high, dtype(0))
        return low.view(np.uint16).astype(np.uint32) | (
            high.view(np.uint16).astype(np.uint32) << np.uint32(16)
        )

    return pure(i, run, out="u32", ins=["u32"] * count)


def add(i):
    return lifted(i, np.add)


def minimum(i):
    return lifted(i, np.minimum)


def maximum(i):
    return lifted(i, np.maximum)


def neg(i):
    return lifted(i, np.negative)
