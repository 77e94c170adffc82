"""f32 and f64 arithmetic, in all rounding modes, bit for bit as IEEE 754 says.

f32 results are computed in f64, where the product of two f32 is exact. Rounding twice would be
wrong only where the f64 result lies halfway between two f32, or is subnormal as f32; ``fma32``
looks for that and repairs it. f64 fma is Boldo and Melquiond's: error-free transformations and one
addition rounded to odd.
"""

from contextlib import suppress
from fractions import Fraction

import numpy as np

from . import op, pure, refuse

F32, F64 = np.float32, np.float64
TINY = np.finfo(F32).tiny


# Modifiers -----------------------------------------------------------------------------------
def saturate(a):
    """To [0, 1]; NaN to 0."""
    return np.fmin(np.fmax(a, a.dtype.type(0)), a.dtype.type(1))


def flush(a):
    """Subnormal numbers to zero, keeping the sign."""
    small = np.abs(a) < np.finfo(a.dtype).tiny
    return np.where(small, np.copysign(a.dtype.type(0), a), a)[()]


def dressed(instruction, fn, ins=None):
    """pure with the .ftz and .sat of the instruction applied."""
    if "relu" in instruction.parts:
        raise refuse(instruction, "relu")
    run = fn
    if "ftz" in instruction.parts:

        def run(*values):
            return flush(fn(*map(flush, values)))

    if "sat" in instruction.parts:
        inner = run

        def run(*values):
            return saturate(inner(*values))

    return pure(instruction, run, ins=ins)


def mode(instruction):
    return next((m for m in ("rz", "rm", "rp") if m in instruction.parts), "rn")


def toward(result, error, mode):
    """result moved by one step where the exact value, result + error, calls for it."""
    if mode == "rz":
        error = np.where(np.signbit(result), np.fmax(error, 0), np.fmin(error, 0))
    down = error < 0 if mode in ("rz", "rm") else np.False_
    up = error > 0 if mode in ("rz", "rp") else np.False_
    inf = result.dtype.type(np.inf)
    result = np.where(down, np.nextafter(result, -inf), result)
    return np.where(up, np.nextafter(result, inf), result)[()]


# Error-free transformations --------------------------------------------------------------------
def two_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a, b):
    p = a * b
    a1, a2 = halves(a)
    b1, b2 = halves(b)
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def halves(a):
    t = a * F64(134217729)
    high = t - (t - a)
    return high, a - high


def odd(s, error):
    """s rounded to odd, given that the exact value is s + error."""
    even = (s.view(np.int64) & 1) == 0
    step = np.nextafter(s, np.where(error > 0, F64(np.inf), F64(-np.inf)))
    return np.where((error != 0) & even & np.isfinite(s), step, s)[()]


# Functions -------------------------------------------------------------------------------------
def sum32(a, b, mode):
    wide, error = two_sum(a.astype(F64), b.astype(F64))
    result = odd(wide, error).astype(F32)
    return toward(result, (wide - result) + error, mode)


def fma32(a, b, c):
    wide = a.astype(F64) * b.astype(F64) + c.astype(F64)
    result = wide.astype(F32)
    halfway = (wide.view(np.int64) & np.int64(0x1FFFFFFF)) == np.int64(0x10000000)
    small = np.abs(result) < TINY
    some = np.count_nonzero  # takes half the time of .any()
    if some(halfway) or (some(small) and some(small & (wide != 0))):
        product = a.astype(F64) * b.astype(F64)
        result = odd(*two_sum(product, c.astype(F64))).astype(F32)
    return result


def fma32_toward(a, b, c, mode):
    wide, error = two_sum(a.astype(F64) * b.astype(F64), c.astype(F64))
    result = odd(wide, error).astype(F32)
    return toward(result, (wide - result) + error, mode)


def fma64(a, b, c):
    plain = a * b + c
    product, low = two_product(a, b)
    t, t_low = two_sum(c, low)
    v, v_low = two_sum(product, t)
    result = v + odd(*two_sum(t_low, v_low))
    size = np.abs(product)
    safe = (
        (size < 2.0**990)
        & (size > 2.0**-900)
        & (np.abs(a) < 2.0**990)
        & (np.abs(b) < 2.0**990)
        & (np.abs(c) < 2.0**990)
    )
    result = np.where(safe, result, plain)
    return repair(result, ~safe & np.isfinite(plain) & (product != 0) & (c != 0), a, b, c)[()]


def repair(result, where, a, b, c):
    """Exact rational arithmetic, lane by lane, for exponents near the ends of the range."""
    if not where.any():
        return result
    result, a, b, c = (np.array(x) for x in np.broadcast_arrays(result, a, b, c))
    for k in np.argwhere(np.broadcast_to(where, result.shape)):
        k = tuple(k)
        with suppress(OverflowError):  # it is infinite already
            result[k] = float(Fraction(float(a[k])) * Fraction(float(b[k])) + Fraction(float(c[k])))
    return result


def fma64_toward(a, b, c, mode):
    product, low = two_product(a, b)
    t, t_low = two_sum(c, low)
    v, v_low = two_sum(product, t)
    rest = odd(*two_sum(t_low, v_low))
    result, error = two_sum(v, rest)
    return toward(result, error, mode)


def quotient(a, b, mode):
    if mode == "rn":
        return a / b
    result = a / b
    if a.dtype == F32:
        error = (a.astype(F64) - result.astype(F64) * b.astype(F64)) * np.sign(b)
    else:
        product, low = two_product(result, b)
        error = ((a - product) - low) * np.sign(b)
    return toward(result, np.where(np.isfinite(result), error, 0), mode)


def root(a, mode):
    result = np.sqrt(a)
    if mode == "rn":
        return result
    if a.dtype == F32:
        error = a.astype(F64) - result.astype(F64) ** 2
    else:
        product, low = two_product(result, result)
        error = (a - product) - low
    return toward(result, np.where(np.isfinite(result), error, 0), mode)


# Opcodes (registered in arithmetic.py) -----------------------------------------------------------
def add(instruction):
    m = mode(instruction)
    if m == "rn":
        return dressed(instruction, np.add)
    if instruction.type == "f32":
        return dressed(instruction, lambda a, b: sum32(a, b, m))
    return dressed(instruction, lambda a, b: toward(*two_sum(a, b), m))


def sub(instruction):
    m = mode(instruction)
    if m == "rn":
        return dressed(instruction, np.subtract)
    if instruction.type == "f32":
        return dressed(instruction, lambda a, b: sum32(a, -b, m))
    return dressed(instruction, lambda a, b: toward(*two_sum(a, -b), m))


def mul(instruction):
    m = mode(instruction)
    if m == "rn":
        return dressed(instruction, np.multiply)
    if instruction.type == "f32":
        return dressed(instruction, lambda a, b: fma32_toward(a, b, F32(0), m))
    return dressed(instruction, lambda a, b: toward(*two_product(a, b), m))


def fma(instruction):
    m = mode(instruction)
    if instruction.type == "f32":
        return dressed(
            instruction, fma32 if m == "rn" else lambda a, b, c: fma32_toward(a, b, c, m)
        )
    return dressed(instruction, fma64 if m == "rn" else lambda a, b, c: fma64_toward(a, b, c, m))


mad = fma


def div(instruction):
    m = mode(instruction)
    return dressed(instruction, np.divide if m == "rn" else lambda a, b: quotient(a, b, m))


def rcp(instruction):
    m = mode(instruction)
    return dressed(instruction, lambda a: quotient(a.dtype.type(1), a, m))


def sqrt(instruction):
    m = mode(instruction)
    return dressed(instruction, np.sqrt if m == "rn" else lambda a: root(a, m))


def extreme(instruction, fmin, minimum):
    """min or max: the other operand of a NaN, unless .NaN; -0 is less than +0."""
    fn = minimum if "NaN" in instruction.parts else fmin
    less = fmin is np.fmin

    def run(a, b):
        result = fn(a, b)
        if (result == 0).any():
            negative = (np.signbit(a) | np.signbit(b)) if less else (np.signbit(a) & np.signbit(b))
            zero = (a == 0) & (b == 0)
            result = np.where(
                zero, np.where(negative, -result.dtype.type(0), result.dtype.type(0)), result
            )[()]
        return result

    return dressed(instruction, run)


def minimum(instruction):
    return extreme(instruction, np.fmin, np.minimum)


def maximum(instruction):
    return extreme(instruction, np.fmax, np.maximum)


def neg(instruction):
    return dressed(instruction, np.negative)


def absolute(instruction):
    return dressed(instruction, np.absolute)


@op("copysign", types="f32 f64")
def copysign(instruction):
    """a, b (T) -> T: b with the sign of a."""
    return pure(instruction, lambda a, b: np.copysign(b, a))


@op("testp", modifiers="finite infinite number notanumber normal subnormal", types="f32 f64")
def testp(instruction):
    """a (T) -> bool: is it such a number?"""
    tests = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "notanumber": np.isnan,
        "number": lambda a: ~np.isnan(a),
        "normal": lambda a: np.isfinite(a) & (np.abs(a) >= np.finfo(a.dtype).tiny),
        "subnormal": lambda a: (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny),
    }
    return pure(instruction, tests[instruction.parts[1]], out="pred")
