"""cvt: between all number types, in all rounding modes."""

import numpy as np

from ..ptx import BYTES
from . import DTYPES, Op, fp8, half, op, pure, refuse
from .floats import flush, odd, saturate, sum64, toward, two_sum, without_limit

INTS = "u8 s8 u16 s16 u32 s32 u64 s64"
ROUND = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
HALVES = ("f16", "bf16")
BYTE_PAIRS = ("e4m3x2", "e5m2x2")


@op(
    "cvt",
    modifiers="rn rz rm rp rna rni rzi rmi rpi ftz sat satfinite relu",
    types=INTS + " f16 bf16 f32 f64 f16x2 bf16x2 tf32 e4m3x2 e5m2x2",
)
def cvt(instruction):
    """a (one type), or two floats for a packed result -> the other type."""
    types = [p for p in instruction.parts[1:] if p in BYTES]
    out, source = types[0], types[-1]
    if out in BYTE_PAIRS or source in BYTE_PAIRS:
        return pairs_of_bytes(instruction, out, source)
    if "satfinite" in instruction.parts:
        raise refuse(instruction, "saturation to the largest number, but of 8-bit floats")
    if out == "bf16x2" and direction(instruction) in ("rm", "rp"):
        raise refuse(instruction, "this rounding")
    if out in ("f16x2", "bf16x2"):
        return packed(instruction, out[:-2])
    if out == "tf32":
        return tf32(instruction)
    stored = "b16" if source in HALVES else source
    kept = "b16" if out in HALVES else out
    return Op(
        converter(instruction, out, source),
        [(instruction.operands[0], kept)],
        [(instruction.operands[1], stored)],
    )


def converter(instruction, out, source):
    rounding = next((p for p in instruction.parts if p in ROUND), None)
    if out[0] in "us" and source[0] in "us":
        return between_integers(instruction, out)
    if out[0] in "us":
        return to_integer(instruction, out, source, rounding)
    if source[0] in "us":
        return from_integer(instruction, out, source)
    return between_floats(instruction, out, source, rounding)


def between_integers(instruction, out):
    dtype = DTYPES[out]
    if "sat" not in instruction.parts:
        return lambda a: a.astype(dtype)
    info = np.iinfo(dtype)

    def clip(a):
        low, high = max(info.min, np.iinfo(a.dtype).min), min(info.max, np.iinfo(a.dtype).max)
        return np.clip(a, a.dtype.type(low), a.dtype.type(high)).astype(dtype)

    return clip


def wide(a, source):
    """Any float as f64 (exact), f32 bits of halves included."""
    return half.wide(a, source) if source in HALVES else a.astype(np.float64)


def to_integer(instruction, out, source, rounding):
    """Rounded, then clamped to the range; NaN gives 0, or from f64 or to 64 bits the highest bit
    alone, as the PTX manual says.
    """
    dtype, fn = DTYPES[out], ROUND[rounding or "rzi"]
    info = np.iinfo(dtype)
    ftz = "ftz" in instruction.parts
    highest_bit = dtype(1) << dtype(info.bits - 1)
    lost = highest_bit if source == "f64" or info.bits == 64 else dtype(0)

    def run(a):
        x = fn(wide(flush(a) if ftz else a, source))
        nan, over, under = np.isnan(x), x >= float(info.max), x <= float(info.min)
        safe = np.where(nan | over | under, 0.0, x).astype(dtype)
        safe = np.where(over, info.dtype.type(info.max), safe)
        return np.where(nan, lost, np.where(under, dtype(info.min), safe))[()]

    return run


def from_integer(instruction, out, source):
    mode, dtype = direction(instruction), DTYPES[out]
    last = saturated(out) if "sat" in instruction.parts else lambda a: a
    if mode == "rn" and out not in HALVES:
        return lambda a: last(a.astype(dtype))

    def run(a):
        if BYTES[source] < 8:
            return last(resize(a.astype(np.float64), out, mode))
        low = (a & a.dtype.type(0xFFFFFFFF)).astype(np.float64)
        high = (a >> a.dtype.type(32)).astype(np.float64) * 2.0**32
        if out == "f64":
            return last(sum64(high, low, mode))
        return last(resize(odd(*two_sum(high, low)), out, mode))

    return run


def saturated(out):
    """The function that brings floats, or the bits of halves, to [0, 1]."""
    if out in HALVES:
        return lambda a: half.narrow(saturate(half.wide(a, out)), out)
    return saturate


def direction(instruction):
    return next((m for m in ("rz", "rm", "rp") if m in instruction.parts), "rn")


def between_floats(instruction, out, source, rounding):
    steps = []
    ftz = "ftz" in instruction.parts
    if (
        ftz and source in ("f32", "f64") and out != "f16"
    ):  # to f16 an H200 takes subnormals as they are
        steps.append(flush)
    if out == source:
        if rounding:
            steps.append(
                ROUND[rounding]
                if source not in HALVES
                else lambda a: half.narrow(ROUND[rounding](half.wide(a, source)), source)
            )
    else:
        mode = direction(instruction)

        def size(a):
            result = resize(wide(a, source), out, mode)
            if ftz and source == "f64":
                return without_limit(result, lambda a: resize(a, out, mode), [a], (64,))
            return result

        steps.append(size)
    if "sat" in instruction.parts:
        steps.append(saturated(out))
    if "relu" in instruction.parts:
        steps.append(lambda a: half.narrow(clamped(half.wide(a, out)), out))
    if ftz and out in ("f32", "f64"):
        steps.append(flush)
    if not steps:
        steps.append(lambda a: a.copy() if a.ndim else a)

    def run(a):
        for step in steps:
            a = step(a)
        return a

    return run


def resize(a, out, mode):
    """f64 -> out."""
    if out == "f64":
        return a
    if out == "bf16":
        if mode == "rn":
            return half.narrow_bf16(a)
        single = a.astype(np.float32)
        bits = toward(single, a - single, "rz").view(np.int32) >> np.int32(16)
        if mode != "rz":  # one step further from 0
            beyond = a < 0 if mode == "rm" else a > 0
            bits = bits + (beyond & (half.widen_bf16(bits) != a))
        return np.where(np.isnan(a), np.int32(0x7FFF), bits).astype(np.int16)[()]
    dtype = np.float16 if out == "f16" else np.float32
    result = a.astype(dtype)
    if mode != "rn":
        result = toward(result, np.nan_to_num(a - result.astype(np.float64)), mode)
    return half.narrow(result, out) if out == "f16" else result


def clamped(a):
    """.relu: nothing below zero; NaN stays."""
    return np.where((a > 0) | np.isnan(a), a, 0.0)[()]


def pairs_of_bytes(instruction, out, source):
    """To e4m3x2 or e5m2x2 from two f32 or from f16x2, and back to f16x2."""
    after = clamped if "relu" in instruction.parts else lambda a: a
    words = set(instruction.parts[1:]) - {out, source, "relu"}
    needed = {"rn"} if source in BYTE_PAIRS else {"rn", "satfinite"}
    if words != needed or (source in BYTE_PAIRS and out != "f16x2"):
        raise refuse(instruction, "these types and modifiers")
    if source == "f32":
        run, kinds = fp8.from_f32(out[:-2], after), ("b16", "f32")
    elif source == "f16x2":
        run, kinds = fp8.from_f16x2(out[:-2], after), ("b16", "b32")
    elif source in BYTE_PAIRS:
        run, kinds = fp8.to_f16x2(source[:-2], after), ("b32", "b16")
    else:
        raise refuse(instruction, "these types and modifiers")
    ins = [(o, kinds[1]) for o in instruction.operands[1:]]
    return Op(run, [(instruction.operands[0], kinds[0])], ins)


def packed(instruction, kind):
    """cvt.rn.f16x2.f32 d, a, b: a in the upper half."""
    mode = direction(instruction)
    relu = "relu" in instruction.parts

    def one(a):
        a = a.astype(np.float64)
        return resize(clamped(a) if relu else a, kind, mode)

    return Op(
        lambda a, b: half.pack(one(b), one(a)),
        [(instruction.operands[0], "b32")],
        [(o, "f32") for o in instruction.operands[1:3]],
    )


def round_tf32(bits):
    """f32 bits to 10 bits of fraction, halves away from zero."""
    return (bits + np.int32(0x1000)) & np.int32(~0x1FFF)


def tf32(instruction):
    if "relu" in instruction.parts:
        raise refuse(instruction, "clamping to zero")

    def even(bits):
        return (bits + np.int32(0xFFF) + ((bits >> np.int32(13)) & np.int32(1))) & np.int32(~0x1FFF)

    def zero(bits):
        return bits & np.int32(~0x1FFF)

    fn = round_tf32 if "rna" in instruction.parts else zero if "rz" in instruction.parts else even

    def run(bits):  # a NaN becomes the usual one, or, in an older instruction's way, loses its end
        nan = zero(bits if "rna" in instruction.parts else np.int32(0x7FFFFFFF))
        return np.where(np.isnan(bits.view(np.float32)), nan, fn(bits))[()]

    return pure(instruction, run, out="b32", ins=["b32"])
