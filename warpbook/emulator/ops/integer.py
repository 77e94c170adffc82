"""Integer arithmetic: mul24, mad24, rem, sad, dp4a here; add, sub, mul, mad, div, min, max, abs,
neg are registered in arithmetic.py and computed here for integers."""

import numpy as np

from ..ptx import BYTES
from . import DTYPES, op, pure, refuse

INTS = "s16 u16 s32 u32 s64 u64"


def wider(type):
    return f"{type[0]}{2 * int(type[1:])}"


def saturated(i, fn):
    info = np.iinfo(DTYPES[i.type])

    def clip(a, b):
        return np.clip(fn(a.astype(np.int64), b.astype(np.int64)), info.min, info.max).astype(
            info.dtype
        )

    return pure(i, clip)


def add(i):
    return saturated(i, np.add) if "sat" in i.parts else pure(i, np.add)


def sub(i):
    return saturated(i, np.subtract) if "sat" in i.parts else pure(i, np.subtract)


def product(i):
    """(function, output type) of mul.lo, .hi, .wide."""
    if "wide" in i.parts:
        dtype = DTYPES[wider(i.type)]
        return (lambda a, b: np.multiply(a, b, dtype=dtype)), wider(i.type)
    if "hi" in i.parts:
        return high(i.type), i.type
    return np.multiply, i.type


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


def mul(i):
    fn, out = product(i)
    return pure(i, fn, out=out)


def mad(i):
    if "sat" in i.parts:
        raise refuse(i, "saturation")
    fn, out = product(i)
    return pure(i, lambda a, b, c: fn(a, b) + c, out=out, ins=[i.type, i.type, out])


@op("mad24", modifiers="lo", types="s32 u32")
def mad24(i):
    return pure(i, lambda a, b, c: low24(a) * low24(b) + c)


@op("mul24", modifiers="lo", types="s32 u32")
def mul24(i):
    return pure(i, lambda a, b: low24(a) * low24(b))


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
    return np.where(b == 0, a, a - divide(a, b) * b)


def scalar(fn):
    """np.where makes 0-d arrays of scalars; a value for all lanes stays a NumPy scalar."""
    return lambda *values: fn(*values)[()]


def div(i):
    return pure(i, scalar(divide))


@op("rem", types=INTS)
def rem(i):
    return pure(i, scalar(remainder))


@op("sad", types=INTS)
def sad(i):
    return pure(i, lambda a, b, c: c + np.maximum(a, b) - np.minimum(a, b))


@op("dp4a", types="u32 s32")
def dp4a(i):
    kinds = i.parts[1:]

    def fn(a, b, c):
        for k in range(4):
            c = c + byte(a, k, kinds[0]) * byte(b, k, kinds[1])
        return c

    return pure(i, fn, out="s32", ins=["s32", "s32", "s32"])


def byte(a, k, type):
    """Byte k of a word, as an int32."""
    part = (a >> np.int32(8 * k)) & np.int32(255)
    return part if type[0] == "u" else part - ((part & np.int32(128)) << np.int32(1))


def minimum(i):
    return clamped(i, np.minimum)


def maximum(i):
    return clamped(i, np.maximum)


def clamped(i, fn):
    """With .relu, negative results become 0."""
    if "relu" in i.parts:
        return pure(i, lambda a, b: np.maximum(fn(a, b), a.dtype.type(0)))
    return pure(i, fn)


def neg(i):
    return pure(i, np.negative)


def absolute(i):
    return pure(i, np.absolute)
