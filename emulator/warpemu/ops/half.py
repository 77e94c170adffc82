"""f16 and bf16 arithmetic, one value or packed pairs; registered in arithmetic.py.

bf16 values are kept as int16 bits; arithmetic is done in f64 and rounded once. A product of two
halves is exact there, and so is a sum wherever its last bits can matter, but for one case: a bf16
product halfway between two results, and an addend far below it that decides (see fma).
"""

import numpy as np

from . import pure, refuse
from .floats import extremes, odd, saturate, two_sum

F16, F32, F64 = np.float16, np.float32, np.float64
TINY = 2.0**-14  # the least normal f16, for .ftz (bf16 has none)


def widen_bf16(bits):
    """bf16 bits (int16) -> float32."""
    return (bits.astype(np.int32) << np.int32(16)).view(F32)


def narrow_bf16(value):
    """float32 or float64 -> bf16 bits (int16), to nearest even."""
    single = value.astype(F32) if value.dtype == F64 else value
    if value.dtype == F64:  # round to odd first, so that rounding again is exact
        inexact = single.astype(F64) != value
        above = np.abs(single.astype(F64)) > np.abs(value)
        bits = single.view(np.int32) - (above & np.isfinite(value)).astype(np.int32)
        single = (bits | inexact.astype(np.int32)).view(F32) if inexact.any() else single
    bits = single.view(np.int32)
    rounded = (bits + np.int32(0x7FFF) + ((bits >> np.int32(16)) & np.int32(1))) >> np.int32(16)
    return np.where(np.isnan(value), np.int32(0x7FFF), rounded).astype(np.int16)[()]


def unpack(word, kind):
    """int32 -> its two halves as f64: (low, high)."""
    low, high = word.astype(np.int16), (word >> np.int32(16)).astype(np.int16)
    return wide(low, kind), wide(high, kind)


def wide(bits, kind):
    return bits.view(F16).astype(F64) if kind == "f16" else widen_bf16(bits).astype(F64)


def narrow(value, kind):
    """f64 -> int16 bits; a NaN becomes the one NaN that the hardware writes."""
    if kind == "bf16":
        return narrow_bf16(value)
    return np.where(np.isnan(value), np.int16(0x7FFF), value.astype(F16).view(np.int16))[()]


def flush(value):
    """f64 -> f64: what is subnormal as f16 to zero, keeping the sign."""
    return np.where(np.abs(value) < TINY, np.copysign(0.0, value), value)[()]


def pack(low, high):
    """Two int16 -> int32."""
    return (low.astype(np.int32) & np.int32(0xFFFF)) | (high.astype(np.int32) << np.int32(16))


def lifted(instruction, fn):
    """An Op that applies fn, on f64 values, to each half."""
    if any(mode in instruction.parts for mode in ("rz", "rm", "rp")):
        raise refuse(instruction, "this rounding")
    kind = instruction.type.removesuffix("x2")
    after = []
    if "sat" in instruction.parts:
        after.append(saturate)
    if "relu" in instruction.parts:
        after.append(lambda v: np.where(v > 0, v, np.where(np.isnan(v), v, 0.0))[()])

    if "ftz" in instruction.parts:
        after.append(flush)
        inner = fn

        def fn(*values):
            return inner(*map(flush, values))

    def one(*values):
        value = fn(*values)
        for step in after:
            value = step(value)
        return narrow(value, kind)

    if instruction.type.endswith("x2"):

        def run(*words):
            low, high = zip(*(unpack(w, kind) for w in words), strict=True)
            return pack(one(*low), one(*high))

        return pure(instruction, run, out="b32", ins=["b32"] * (len(instruction.operands) - 1))
    return pure(
        instruction,
        lambda *bits: one(*(wide(b, kind) for b in bits)),
        out="b16",
        ins=["b16"] * (len(instruction.operands) - 1),
    )


def add(instruction):
    return lifted(instruction, np.add)


def sub(instruction):
    return lifted(instruction, np.subtract)


def mul(instruction):
    return lifted(instruction, np.multiply)


def fma(instruction):
    if instruction.type.startswith(
        "bf16"
    ):  # rounded to odd, so that rounding to bf16 sees every bit
        return lifted(instruction, lambda a, b, c: odd(*two_sum(a * b, c)))
    return lifted(instruction, lambda a, b, c: a * b + c)


def minimum(instruction):
    return lifted(instruction, extremes(instruction, np.fmin, np.minimum))


def maximum(instruction):
    return lifted(instruction, extremes(instruction, np.fmax, np.maximum))


def signs(instruction, fn):
    """neg and abs change bits alone."""
    if "ftz" in instruction.parts:
        raise refuse(instruction, "flushing to zero")
    mask = 0x80008000 if instruction.type.endswith("x2") else 0x8000
    type = "u32" if instruction.type.endswith("x2") else "u16"
    dtype = np.uint32 if instruction.type.endswith("x2") else np.uint16
    return pure(instruction, lambda a: fn(a, dtype(mask)), out=type, ins=[type])


def neg(instruction):
    return signs(instruction, np.bitwise_xor)


def absolute(instruction):
    return signs(instruction, lambda a, m: a & ~m)


def lifted_add(a, b, type):
    """The sum of packed or single values given as bits, for atomics."""
    kind = type.removesuffix("x2")
    if type.endswith("x2"):
        return pack(
            *(narrow(x + y, kind) for x, y in zip(unpack(a, kind), unpack(b, kind), strict=True))
        )
    return narrow(wide(a, kind) + wide(b, kind), kind)
