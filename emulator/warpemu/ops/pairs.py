"""u16x2 and s16x2: two 16-bit integers in a register; registered in arithmetic.py."""

import numpy as np

from . import DTYPES, pure, refuse


def lifted(instruction, fn):
    """An Op that applies fn to each half."""
    if "sat" in instruction.parts:
        raise refuse(instruction, "saturation of packed integers")
    dtype = DTYPES[instruction.type.removesuffix("x2")]
    count = len(instruction.operands) - 1

    def run(*words):
        low = fn(*(w.astype(dtype) for w in words))
        high = fn(*((w >> np.uint32(16)).astype(dtype) for w in words))
        if "relu" in instruction.parts:
            low, high = np.maximum(low, dtype(0)), np.maximum(high, dtype(0))
        return low.view(np.uint16).astype(np.uint32) | (
            high.view(np.uint16).astype(np.uint32) << np.uint32(16)
        )

    return pure(instruction, run, out="u32", ins=["u32"] * count)


def add(instruction):
    return lifted(instruction, np.add)


def minimum(instruction):
    return lifted(instruction, np.minimum)


def maximum(instruction):
    return lifted(instruction, np.maximum)


def neg(instruction):
    return lifted(instruction, np.negative)
