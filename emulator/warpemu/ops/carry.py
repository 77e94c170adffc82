"""add.cc, addc, sub.cc, subc, mad.cc, madc: arithmetic wider than a register, through a carry
flag.

A subtraction adds ~b, as the hardware does: its flag is 1 where nothing is borrowed. It makes no
difference in a chain of one kind, and where a subc follows an add.cc an H200 computes the same.
"""

import numpy as np

from ..ptx import BYTES, Reg
from . import DTYPES, Op, op
from .integer import high

CARRY = Reg("%cc")  # the flag, a predicate register that every function has
TYPES = "u32 s32 u64 s64 b32"


def plus(a, b, carry):
    """(a + b + carry, carry out) of unsigned numbers."""
    first = a + b
    result = first + carry.astype(a.dtype)
    return result, (first < a) | (result < first)


def minus(a, b, carry):
    """(a - b less what is borrowed where carry is 0, carry out)."""
    return plus(a, ~b, carry)


def chained(instruction, compute, reads, sources):
    """An Op that writes the flag if the instruction has .cc. reads: whether it reads it, too."""
    type = f"u{8 * BYTES[instruction.type]}"
    outs = [(instruction.operands[0], type)] + (
        [(CARRY, "pred")] if "cc" in instruction.parts else []
    )
    ins = [(o, type) for o in instruction.operands[1 : 1 + sources]] + (
        [(CARRY, "pred")] if reads else []
    )

    def fn(*values):
        flag = values[sources] if reads else np.bool_(compute is minus)
        result, carry = compute(*values[:sources], flag)
        return (result, carry) if "cc" in instruction.parts else result

    return Op(fn, outs, ins)


def multiply_add(instruction):
    part = high(instruction.type) if "hi" in instruction.parts else np.multiply
    dtype = DTYPES[instruction.type]
    if "hi" in instruction.parts and instruction.type[0] == "s":
        return lambda a, b, c, flag: plus(part(a.view(dtype), b.view(dtype)).view(a.dtype), c, flag)
    return lambda a, b, c, flag: plus(part(a, b), c, flag)


@op("addc", modifiers="cc", types=TYPES)
def addc(instruction):
    """a, b (uT), carry (bool) -> uT [, bool]: the sum, and the carry out of .cc."""
    return chained(instruction, plus, True, 2)


@op("subc", modifiers="cc", types=TYPES)
def subc(instruction):
    """a, b (uT), carry (bool) -> uT [, bool]: the difference, and the carry out of .cc."""
    return chained(instruction, minus, True, 2)


@op("madc", modifiers="lo hi cc", types=TYPES)
def madc(instruction):
    """a, b, c (uT), carry (bool) -> uT [, bool]: half of a * b, plus c; the carry out of .cc."""
    return chained(instruction, multiply_add(instruction), True, 3)


def starts(instruction):
    """The .cc form of add, sub or mad: the flag goes out but not in."""
    compute, sources = {"add": (plus, 2), "sub": (minus, 2), "mad": (multiply_add(instruction), 3)}[
        instruction.name
    ]
    return chained(instruction, compute, False, sources)
