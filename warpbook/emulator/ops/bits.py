"""and, or, xor, not, cnot, shl, shr, shf, lop3, bfe, bfi, popc, clz, brev, bfind, prmt."""

import numpy as np

from ..ptx import BYTES, Imm
from . import DTYPES, op, pure

LOGIC = "pred b16 b32 b64"


@op("and", types=LOGIC)
def and_(instruction):
    return pure(instruction, np.bitwise_and)


@op("or", types=LOGIC)
def or_(instruction):
    return pure(instruction, np.bitwise_or)


@op("xor", types=LOGIC)
def xor(instruction):
    return pure(instruction, np.bitwise_xor)


@op("not", types=LOGIC)
def not_(instruction):
    return pure(instruction, np.invert)


@op("cnot", types="b16 b32 b64")
def cnot(instruction):
    return pure(instruction, lambda a: (a == 0).astype(a.dtype))


def shift(instruction, fn, beyond):
    """A shift; amounts of the width or more give beyond(a), where NumPy's result would be
    undefined.
    """
    dtype, bits = DTYPES[instruction.type], 8 * BYTES[instruction.type]
    amount = instruction.operands[2]
    if isinstance(amount, Imm):
        count = dtype(min(amount.bits, bits))
        if amount.bits < bits:
            return pure(instruction, lambda a, b: fn(a, count), ins=[instruction.type, "u32"])
        return pure(instruction, lambda a, b: beyond(a), ins=[instruction.type, "u32"])

    def general(a, b):
        inside = fn(a, np.minimum(b, np.uint32(bits - 1)).astype(dtype))
        return np.where(b < bits, inside, beyond(a))[()]

    return pure(instruction, general, ins=[instruction.type, "u32"])


@op("shl", types="b16 b32 b64")
def shl(instruction):
    return shift(instruction, np.left_shift, lambda a: a * a.dtype.type(0))


@op("shr", types="b16 b32 b64 u16 u32 u64 s16 s32 s64")
def shr(instruction):
    if instruction.type[0] == "b":
        instruction.opcode = instruction.opcode.replace(".b", ".u")
    signed = instruction.type[0] == "s"
    last = DTYPES[instruction.type](8 * BYTES[instruction.type] - 1)
    return shift(
        instruction,
        np.right_shift,
        (lambda a: a >> last) if signed else (lambda a: a * a.dtype.type(0)),
    )


@op("shf", modifiers="l r clamp wrap", types="b32")
def shf(instruction):
    """Funnel shift of the pair (b, a)."""
    left, wrap = "l" in instruction.parts, "wrap" in instruction.parts

    def fn(a, b, c):
        count = (c & np.uint32(31) if wrap else np.minimum(c, np.uint32(32))).astype(np.uint64)
        pair = b.astype(np.uint64) << np.uint64(32) | a
        return (pair << count >> np.uint64(32) if left else pair >> count).astype(np.uint32)

    return pure(instruction, fn, out="u32", ins=["u32"] * 3)


@op("lop3", types="b32")
def lop3(instruction):
    """Any function of three bits: table entry 4a + 2b + c."""
    table = instruction.operands[4].bits

    def fn(a, b, c, _):
        result = None
        for k in range(8):
            if table >> k & 1:
                term = (a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c)
                result = term if result is None else result | term
        return a & ~a if result is None else result

    return pure(instruction, fn)


def ones(count, dtype):
    """count low bits set; count up to the width."""
    bits = 8 * np.dtype(dtype).itemsize
    count = np.minimum(count, bits).astype(dtype)
    return np.where(
        count == bits, ~dtype(0), (dtype(1) << np.minimum(count, dtype(bits - 1))) - dtype(1)
    )


@op("bfe", types="u32 s32 u64 s64")
def bfe(instruction):
    bits, unsigned = 8 * BYTES[instruction.type], DTYPES[f"u{8 * BYTES[instruction.type]}"]
    signed = instruction.type[0] == "s"

    def fn(a, b, c):
        position, count = b & np.uint32(255), c & np.uint32(255)
        source = a.view(unsigned)
        inside = np.where(
            position < bits, source >> np.minimum(position, bits - 1).astype(unsigned), unsigned(0)
        )
        field = inside & ones(count, unsigned)
        if signed:
            top = np.minimum(position + count - np.uint32(1), bits - 1).astype(unsigned)
            negative = (source >> top & unsigned(1) != 0) & (count > 0)
            held = np.where(
                position < bits, np.minimum(count, bits - np.minimum(position, bits)), 0
            )
            field = np.where(negative, field | ~ones(held.astype(np.uint32), unsigned), field)
        return field.view(DTYPES[instruction.type])[()]

    return pure(instruction, fn, ins=[instruction.type, "u32", "u32"])


@op("bfi", types="b32 b64")
def bfi(instruction):
    bits, dtype = 8 * BYTES[instruction.type], DTYPES[f"u{8 * BYTES[instruction.type]}"]

    def fn(a, b, c, d):
        position, count = c & np.uint32(255), d & np.uint32(255)
        amount = np.minimum(position, bits - 1).astype(dtype)
        mask = np.where(position < bits, ones(count, dtype) << amount, dtype(0))
        return ((b & ~mask) | ((a << amount) & mask))[()]

    return pure(instruction, fn, out=f"u{bits}", ins=[f"u{bits}"] * 2 + ["u32"] * 2)


@op("popc", types="b32 b64")
def popc(instruction):
    return pure(
        instruction,
        lambda a: np.bitwise_count(a).astype(np.int32),
        out="s32",
        ins=[f"u{instruction.type[1:]}"],
    )


def leading_zeros(a):
    """Leading zeros of unsigned a, as int32: the exponent of a double, in two halves for 64
    bits.
    """
    if a.dtype.itemsize == 8:
        top = (a >> np.uint64(32)).astype(np.uint32)
        return np.where(top, leading_zeros(top), np.int32(32) + leading_zeros(a.astype(np.uint32)))[
            ()
        ]
    return (np.int32(32) - np.frexp(a.astype(np.float64))[1]).astype(np.int32)


@op("clz", types="b32 b64")
def clz(instruction):
    return pure(instruction, leading_zeros, out="s32", ins=[f"u{instruction.type[1:]}"])


@op("bfind", modifiers="shiftamt", types="u32 s32 u64 s64")
def bfind(instruction):
    bits = 8 * BYTES[instruction.type]
    unsigned = DTYPES[f"u{bits}"]
    amount = "shiftamt" in instruction.parts

    def fn(a):
        source = (np.where(a < 0, ~a, a) if instruction.type[0] == "s" else a).astype(unsigned)
        zeros = leading_zeros(source)
        return np.where(
            zeros == bits, np.int32(-1), zeros if amount else np.int32(bits - 1) - zeros
        )[()]

    return pure(instruction, fn, out="s32")


@op("brev", types="b32 b64")
def brev(instruction):
    bits = 8 * BYTES[instruction.type]
    dtype = DTYPES[f"u{bits}"]

    def fn(a):
        step = bits // 2
        mask = (1 << bits) - 1
        while step:
            mask = mask ^ (mask << step) & ((1 << bits) - 1)
            a = (a >> dtype(step)) & dtype(mask) | (a & dtype(mask)) << dtype(step)
            step //= 2
        return a

    return pure(instruction, fn, out=f"u{bits}", ins=[f"u{bits}"])


@op("prmt", types="b32")
def prmt(instruction):
    """Pick four bytes out of eight."""

    def fn(a, b, c):
        pair = b.astype(np.uint64) << np.uint64(32) | a
        result = np.uint32(0)
        for k in range(4):
            choice = (c >> np.uint32(4 * k)).astype(np.uint64)
            part = (pair >> ((choice & np.uint64(7)) << np.uint64(3)) & np.uint64(255)).astype(
                np.uint32
            )
            part = np.where(choice & np.uint64(8), (part >> np.uint32(7)) * np.uint32(255), part)
            result = result | part << np.uint32(8 * k)
        return result[()]

    return pure(instruction, fn, out="u32", ins=["u32"] * 3)
