"""Integer arithmetic: mul24, mad24, rem, sad, dp4a, dp2a, vabsdiff here; add, sub, mul, mad, div,
min, max, abs, neg are registered in arithmetic.py and computed here for integers.
"""

import numpy as np

from ..ptx import BYTES
from . import DTYPES, op, pure, refuse

INTS = "s16 u16 s32 u32 s64 u64"


def wider(type):
    return f"{type[0]}{2 * int(type[1:])}"


def saturated(instruction, fn):
    info = np.iinfo(DTYPES[instruction.type])

    def clip(a, b):
        return np.clip(fn(a.astype(np.int64), b.astype(np.int64)), info.min, info.max).astype(
            info.dtype
        )

    return pure(instruction, clip)


def add(instruction):
    return (
        saturated(instruction, np.add) if "sat" in instruction.parts else pure(instruction, np.add)
    )


def sub(instruction):
    return (
        saturated(instruction, np.subtract)
        if "sat" in instruction.parts
        else pure(instruction, np.subtract)
    )


def product(instruction):
    """(function, output type) of mul.lo, .hi, .wide."""
    if "wide" in instruction.parts:
        dtype = DTYPES[wider(instruction.type)]
        return (lambda a, b: np.multiply(a, b, dtype=dtype)), wider(instruction.type)
    if "hi" in instruction.parts:
        return high(instruction.type), instruction.type
    return np.multiply, instruction.type


def high(type):
    """The upper half of the product."""
    bits, dtype = 8 * BYTES[type], DTYPES[type]
    if bits < 64:
        double = DTYPES[wider(type)]
        return lambda a, b: (np.multiply(a, b, dtype=double) >> double(bits)).astype(dtype)
    return high64 if type[0] == "s" else high64_unsigned


def high64_unsigned(a, b):
    m, s = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & m, a >> s, b & m, b >> s
    middle = a1 * b0 + (a0 * b0 >> s)
    other = a0 * b1 + (middle & m)
    return a1 * b1 + (middle >> s) + (other >> s)


def high64(a, b):
    top = high64_unsigned(a.view(np.uint64), b.view(np.uint64)).view(np.int64)
    return top - np.where(a < 0, b, 0) - np.where(b < 0, a, 0)


def mul(instruction):
    fn, out = product(instruction)
    return pure(instruction, fn, out=out)


def mad(instruction):
    if "sat" in instruction.parts:
        raise refuse(instruction, "saturation")
    fn, out = product(instruction)
    return pure(
        instruction,
        lambda a, b, c: fn(a, b) + c,
        out=out,
        ins=[instruction.type, instruction.type, out],
    )


@op("mad24", modifiers="lo hi", types="s32 u32")
def mad24(instruction):
    """a, b, c (T) -> T: 32 bits of the 48 of a product of 24-bit numbers, plus c."""
    product = of24(instruction)
    return pure(instruction, lambda a, b, c: product(a, b) + c)


@op("mul24", modifiers="lo hi", types="s32 u32")
def mul24(instruction):
    """a, b (T) -> T: the lower or upper 32 bits of the 48 of a product of 24-bit numbers."""
    return pure(instruction, of24(instruction))


def of24(instruction):
    if "lo" in instruction.parts:
        return lambda a, b: low24(a) * low24(b)
    dtype, double = DTYPES[instruction.type], DTYPES[wider(instruction.type)]

    def upper(a, b):
        return (np.multiply(low24(a), low24(b), dtype=double) >> double(16)).astype(dtype)

    return upper


def low24(a):
    eight = a.dtype.type(8)
    return (a << eight) >> eight


def divide(a, b):
    """Quotient rounded toward zero; all ones where b is 0, as the hardware gives."""
    if a.dtype.kind == "u":
        return np.where(b == 0, ~b.dtype.type(0), a // np.where(b == 0, b.dtype.type(1), b))
    safe = np.where(b == 0, b.dtype.type(1), b)
    quotient = a // safe
    inexact = quotient * safe != a
    return np.where(b == 0, b.dtype.type(-1), quotient + (inexact & ((a < 0) != (safe < 0))))


def remainder(a, b):
    return np.where(b == 0, divide(a, b), a - divide(a, b) * b)


def scalar(fn):
    """np.where makes 0-d arrays of scalars; a value for all lanes stays a NumPy scalar."""
    return lambda *values: fn(*values)[()]


def div(instruction):
    return pure(instruction, scalar(divide))


@op("rem", types=INTS)
def rem(instruction):
    """a, b (T) -> T: what is left of a / b, with the sign of a; all ones where b is 0."""
    return pure(instruction, scalar(remainder))


@op("sad", types=INTS)
def sad(instruction):
    """a, b, c (T) -> T: c + |a - b|."""
    return pure(instruction, lambda a, b, c: c + np.maximum(a, b) - np.minimum(a, b))


@op("dp4a", types="u32 s32")
def dp4a(instruction):
    """a, b: four 8-bit numbers each, c (int32) -> int32: c + their dot product."""
    kinds = instruction.parts[1:]

    def fn(a, b, c):
        for k in range(4):
            c = c + byte(a, k, kinds[0]) * byte(b, k, kinds[1])
        return c

    return pure(instruction, fn, out="s32", ins=["s32", "s32", "s32"])


@op("dp2a", modifiers="lo hi", types="u32 s32")
def dp2a(instruction):
    """a: two 16-bit numbers, b: four 8-bit numbers, c (int32) -> int32: c + the dot product of a
    and the lower or upper two of b.
    """
    of_a, of_b = instruction.parts[2:]
    first = 2 if "hi" in instruction.parts else 0

    def fn(a, b, c):
        for k in range(2):
            c = c + part(a, k, 16, of_a) * byte(b, first + k, of_b)
        return c

    return pure(instruction, fn, out="s32", ins=["s32", "s32", "s32"])


@op("vabsdiff4", modifiers="add", types="u32 s32")
def vabsdiff4(instruction):
    """a, b: four 8-bit numbers each, c (int32) -> int32: |a - b|, four 8-bit numbers; with .add,
    c + their sum.
    """
    return differences(instruction, 8)


@op("vabsdiff2", modifiers="add", types="u32 s32")
def vabsdiff2(instruction):
    """a, b: two 16-bit numbers each, c (int32) -> int32: |a - b|, two 16-bit numbers; with .add,
    c + their sum.
    """
    return differences(instruction, 16)


def differences(instruction, bits):
    """vabsdiff of numbers of so many bits."""
    _, of_a, of_b = (word for word in instruction.parts[1:] if word != "add")
    total = "add" in instruction.parts

    def fn(a, b, c):
        result = c if total else np.int32(0)
        for k in range(32 // bits):
            difference = np.abs(part(a, k, bits, of_a) - part(b, k, bits, of_b))
            result = result + difference if total else result | difference << np.int32(bits * k)
        return result

    return pure(instruction, fn, out="s32", ins=["s32", "s32", "s32"])


def part(a, k, bits, type):
    """Number k of those of so many bits that are packed in a word (int32), as an int32."""
    word = (a >> np.int32(bits * k)) & np.int32((1 << bits) - 1)
    sign = np.int32(1 << (bits - 1))
    return word if type[0] == "u" else word - ((word & sign) << np.int32(1))


def byte(a, k, type):
    """Byte k of a word, as an int32."""
    return part(a, k, 8, type)


def minimum(instruction):
    return clamped(instruction, np.minimum)


def maximum(instruction):
    return clamped(instruction, np.maximum)


def clamped(instruction, fn):
    """With .relu, negative results become 0."""
    if "relu" in instruction.parts:
        return pure(instruction, lambda a, b: np.maximum(fn(a, b), a.dtype.type(0)))
    return pure(instruction, fn)


def neg(instruction):
    return pure(instruction, np.negative)


def absolute(instruction):
    return pure(instruction, np.absolute)
