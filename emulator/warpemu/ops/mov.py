"""mov, cvta, isspacep, selp, and the packing of registers into wider ones."""

import numpy as np

from ..clusters import RANK
from ..memory import LOCAL_WINDOW, SHARED_WINDOW, of_parameter
from ..ptx import BYTES, Vector
from . import DTYPES, Op, effect, op, pure, refuse

ANY = "pred b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"


def copy(a):
    return a.copy() if a.ndim else a


@op("mov", types=ANY)
def mov(instruction):
    """T -> T, the same bits; a tuple of registers -> one wider, or one -> a tuple."""
    target, source = instruction.operands
    if isinstance(source, Vector):
        return pack(instruction, source.items)
    if isinstance(target, Vector):
        return unpack(instruction, target.items)
    return Op(copy, [(target, instruction.type)], [(source, instruction.type)])


def pack(instruction, items):
    """mov.b64 %rd1, {%r1, %r2}: the first is lowest."""
    part = f"b{8 * BYTES[instruction.type] // len(items)}"
    wide, bits = DTYPES[instruction.type], 8 * BYTES[part]
    low = wide((1 << bits) - 1)

    def fn(*values):
        result = values[0].astype(wide) & low
        for k, value in enumerate(values[1:], 1):
            result = result | ((value.astype(wide) & low) << wide(k * bits))
        return result

    return Op(fn, [(instruction.operands[0], instruction.type)], [(o, part) for o in items])


def unpack(instruction, items):
    part = f"b{8 * BYTES[instruction.type] // len(items)}"
    wide, narrow, bits = DTYPES[instruction.type], DTYPES[part], 8 * BYTES[part]

    def fn(value):
        return tuple((value >> wide(k * bits)).astype(narrow) for k in range(len(items)))

    return Op(fn, [(o, part) for o in items], [(instruction.operands[1], instruction.type)])


@op(
    "cvta",
    modifiers="to global shared shared_cta shared_cluster local const param",
    types="u64 u32",
)
def cvta(instruction):
    """address (int64) -> address (int64): generic to that of one memory, or back."""
    if "param" in instruction.parts:
        if "to" in instruction.parts:
            raise refuse(instruction, "an address of a parameter from a generic one")
        return effect(
            lambda state, group, mask, instruction, address: of_parameter(state, address),
            [(instruction.operands[0], "s64")],
            [(instruction.operands[1], "s64")],
        )
    shift = (
        SHARED_WINDOW
        if any(p.startswith("shared") for p in instruction.parts)
        else LOCAL_WINDOW
        if "local" in instruction.parts
        else 0
    )
    step = np.int64(-shift if "to" in instruction.parts else shift)
    return pure(instruction, (lambda a: a + step) if shift else copy, out="s64", ins=["s64"])


@op("isspacep", modifiers="global shared local const param shared_cta shared_cluster")
def isspacep(instruction):
    """generic address (int64) -> bool: is it in that memory?"""
    kind = (
        1
        if any(p.startswith("shared") for p in instruction.parts)
        else 2
        if "local" in instruction.parts
        else 0
    )
    if kind == 1 and "shared_cluster" not in instruction.parts:
        return effect(
            own_shared, [(instruction.operands[0], "pred")], [(instruction.operands[1], "s64")]
        )
    return pure(instruction, lambda a: np.right_shift(a, 56) == kind, out="pred", ins=["s64"])


def own_shared(state, group, mask, instruction, a):
    """Is it in the shared memory of the thread's own block?"""
    rank = (a & np.int64((1 << 56) - 1)) >> RANK
    return (np.right_shift(a, 56) == 1) & (rank == state.special(group, "%cluster_ctarank"))


@op("selp", types=ANY)
def selp(instruction):
    """a, b (T), p (bool) -> T: a where p, else b."""

    def fn(a, b, p):
        if p.ndim == 0:
            return copy(a if p else b)
        return np.where(p, a, b)

    return pure(instruction, fn, ins=[instruction.type, instruction.type, "pred"])


@op("slct", modifiers="ftz", types=ANY)
def slct(instruction):
    """a, b (T), c (int32 or float32) -> T: a where c >= 0, else b."""
    sign = instruction.parts[-1]
    kind = instruction.parts[-2]
    return pure(
        instruction, lambda a, b, c: np.where(c >= 0, a, b), out=kind, ins=[kind, kind, sign]
    )
