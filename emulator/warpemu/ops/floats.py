"""f32 and f64 arithmetic, in all rounding modes.

f32 results are computed in f64, where the product of two f32 is exact. Rounding twice would be
wrong only where the f64 result lies halfway between two f32, or is subnormal as f32; ``fma32``
looks for that and repairs it. f64 fma is Boldo and Melquiond's: error-free transformations and one
addition rounded to odd. Near the ends of f64's range, where these are not free of errors, lanes
are computed one by one with Fractions. tests/test_random_arithmetic.py compares all of it bit for
bit with exact models.
"""

import math
from fractions import Fraction

import numpy as np

from . import op, pure, refuse

F32, F64 = np.float32, np.float64
TINY = np.finfo(F32).tiny
LARGEST = float(np.finfo(F64).max)


# Modifiers -----------------------------------------------------------------------------------
def saturate(a):
    """To [0, 1]; NaN and -0 to 0."""
    return np.where(a > 0, np.minimum(a, a.dtype.type(1)), a.dtype.type(0))[()]


def flush(a):
    """Subnormal numbers to zero, keeping the sign."""
    small = np.abs(a) < np.finfo(a.dtype).tiny
    return np.where(small, np.copysign(a.dtype.type(0), a), a)[()]


# By which powers of two to multiply the operands for a result 2^64 times as large.
SCALED = {"mul": (32, 32), "fma": (32, 32, 64), "mad": (32, 32, 64), "div": (64, 0), "rcp": (-64,)}


def without_limit(result, fn, values, up):
    """The result, or zero where it would be less than the least normal number if the exponent had
    no limit: .ftz asks about that, before a last digit is lost and the rest rounded up.
    """
    tiny = np.finfo(result.dtype).tiny
    least = np.abs(result) == tiny
    if not least.any():
        return result
    with np.errstate(all="ignore"):  # what the other lanes give, nobody asks
        scaled = [np.ldexp(value, power) for value, power in zip(values, up, strict=True)]
        below = np.abs(fn(*scaled)) < np.ldexp(tiny, 64)
    return np.where(least & below, np.copysign(result.dtype.type(0), result), result)[()]


def dressed(instruction, fn, ins=None):
    """pure with the .ftz and .sat of the instruction applied."""
    if "relu" in instruction.parts:
        raise refuse(instruction, "relu")
    run = fn
    if "ftz" in instruction.parts:
        up = SCALED.get(instruction.name)

        def run(*values):
            values = [flush(value) for value in values]
            result = fn(*values)
            return flush(without_limit(result, fn, values, up) if up else result)

    if "sat" in instruction.parts:
        inner = run

        def run(*values):
            return saturate(inner(*values))

    return pure(instruction, run, ins=ins)


def mode(instruction):
    return next((m for m in ("rz", "rm", "rp") if m in instruction.parts), "rn")


def toward(result, error, mode):
    """result, the exact value rounded to nearest, moved by one step where the mode and the exact
    value, result + error, call for it. Of the error the sign alone counts.
    """
    if mode == "rn":
        return result
    if mode == "rz":
        error = np.where(np.signbit(result), np.fmax(error, 0), np.fmin(error, 0))
    down = error < 0 if mode in ("rz", "rm") else np.False_
    up = error > 0 if mode in ("rz", "rp") else np.False_
    inf = result.dtype.type(np.inf)
    result = np.where(down, np.nextafter(result, -inf), result)
    return np.where(up, np.nextafter(result, inf), result)[()]


def sign_of_zero(total, a, b, mode):
    """total, the sum of a and b, with the sign that the mode gives to a sum that is exactly zero:
    rounded down it is -0, but for +0 + +0.
    """
    if mode != "rm":
        return total
    minus = (total == 0) & (np.signbit(a) | np.signbit(b))
    return np.where(minus, -total.dtype.type(0), total)[()]


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


# Exact rational arithmetic ---------------------------------------------------------------------
def rounded(value, mode):
    """A Fraction, not 0, as the f64 that the rounding mode calls for."""
    size, negative = abs(value), value < 0
    away = mode == ("rm" if negative else "rp")
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    last = max(exponent - 52, -1074)  # of the bit that is the result's last
    scaled = size / Fraction(2) ** last
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    half = Fraction(1, 2)
    if (rest > 0) if away else mode == "rn" and (rest > half or rest == half and whole % 2):
        whole += 1
    try:
        result = math.ldexp(whole, last)
    except OverflowError:
        result = math.inf if away or mode == "rn" else LARGEST
    return -result if negative else result


def repair(result, where, exact, mode, *operands):
    """result, and where it says so what the function of Fractions gives, lane by lane: for
    exponents near the ends of f64's range. Where that is 0, result stays.
    """
    if not where.any():
        return result
    result, where, *operands = (np.array(x) for x in np.broadcast_arrays(result, where, *operands))
    for lane in map(tuple, np.argwhere(where)):
        value = exact(*(Fraction(float(x[lane])) for x in operands))
        if value:
            result[lane] = rounded(value, mode)
    return result[()]


def plain_numbers(*operands):
    """Where all are finite and not 0."""
    found = np.True_
    for x in operands:
        found = found & np.isfinite(x) & (x != 0)
    return found


# Functions -------------------------------------------------------------------------------------
def single(wide, mode):
    """f64, rounded to odd if not exact -> f32."""
    result = wide.astype(F32)
    above, below = wide > result, wide < result  # right for a result that is infinite, too
    return toward(result, np.subtract(above, below, dtype=np.int8), mode)


def sum32(a, b, mode):
    a, b = a.astype(F64), b.astype(F64)
    return single(sign_of_zero(odd(*two_sum(a, b)), a, b, mode), mode)


def sum64(a, b, mode):
    total = a + b
    swap = np.abs(a) < np.abs(b)
    large, small = np.where(swap, b, a), np.where(swap, a, b)
    error = small - (total - large)
    error = np.where(np.isinf(total) & np.isfinite(a) & np.isfinite(b), -total, error)
    return toward(sign_of_zero(total, a, b, mode), error, mode)


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
    return sum32(a.astype(F64) * b.astype(F64), c, mode)


def fma64(a, b, c, mode="rn"):
    product, low = two_product(a, b)
    t, t_low = two_sum(c, low)
    v, v_low = two_sum(product, t)
    result, error = two_sum(v, odd(*two_sum(t_low, v_low)))
    result = toward(result, error, mode)
    size = np.abs(product)
    safe = (
        (size < 2.0**990)
        & (size > 2.0**-900)
        & (np.abs(a) < 2.0**990)
        & (np.abs(b) < 2.0**990)
        & (np.abs(c) < 2.0**990)
    )
    if safe.all():
        return sign_of_zero(result, product, c, mode)
    plain = np.where(np.isinf(c) & np.isfinite(a) & np.isfinite(b), c, a * b + c)
    result = sign_of_zero(np.where(safe, result, plain)[()], product, c, mode)
    unsafe = ~safe & plain_numbers(a, b) & np.isfinite(c)
    return repair(result, unsafe, lambda a, b, c: a * b + c, mode, a, b, c)


def product64(a, b, mode):
    return fma64(a, b, np.copysign(F64(0), a) * np.copysign(F64(1), b), mode)


def quotient(a, b, mode):
    """a / b, not to nearest."""
    result = a / b
    if a.dtype == F32:  # times b it is exact in f64
        back = result.astype(F64) * b.astype(F64)
        error = np.subtract(a > back, a < back, dtype=np.int8) * np.copysign(F32(1), b)
        return toward(result, error, mode)
    product, low = two_product(result, b)
    error = ((a - product) - low) * np.sign(b)
    safe = (np.abs(np.log2(np.abs(a))) < 480) & (np.abs(np.log2(np.abs(b))) < 480)
    result = np.where(safe, toward(result, error, mode), result)[()]
    return repair(result, ~safe & plain_numbers(a, b), lambda a, b: a / b, mode, a, b)


def root(a, mode):
    """The square root, not to nearest."""
    result = np.sqrt(a)
    if a.dtype == F32:
        error = a.astype(F64) - result.astype(F64) ** 2
    else:  # away from the ends of the range, where its square would not be exact
        small = a < 1
        scaled = a * np.where(small, 2.0**200, 2.0**-200)
        scaled_root = result * np.where(small, 2.0**100, 2.0**-100)
        product, low = two_product(scaled_root, scaled_root)
        error = (scaled - product) - low
    return toward(result, np.where(np.isfinite(result), error, 0), mode)


# Opcodes (registered in arithmetic.py) -----------------------------------------------------------
def add(instruction):
    m = mode(instruction)
    if m == "rn":
        return dressed(instruction, np.add)
    if instruction.type == "f32":
        return dressed(instruction, lambda a, b: sum32(a, b, m))
    return dressed(instruction, lambda a, b: sum64(a, b, m))


def sub(instruction):
    m = mode(instruction)
    if m == "rn":
        return dressed(instruction, np.subtract)
    if instruction.type == "f32":
        return dressed(instruction, lambda a, b: sum32(a, -b, m))
    return dressed(instruction, lambda a, b: sum64(a, -b, m))


def mul(instruction):
    m = mode(instruction)
    if m == "rn":
        return dressed(instruction, np.multiply)
    if instruction.type == "f64":
        return dressed(instruction, lambda a, b: product64(a, b, m))

    def product(a, b):
        return single(a.astype(F64) * b.astype(F64), m)

    return dressed(instruction, product)


def fma(instruction):
    m = mode(instruction)
    if instruction.type == "f64":
        return dressed(instruction, lambda a, b, c: fma64(a, b, c, m))
    return dressed(instruction, fma32 if m == "rn" else lambda a, b, c: fma32_toward(a, b, c, m))


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


def extremes(instruction, fmin, minimum):
    """The function of min or max: the other operand of a NaN, unless .NaN; -0 is less than +0."""
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

    return run


def minimum(instruction):
    return dressed(instruction, extremes(instruction, np.fmin, np.minimum))


def maximum(instruction):
    return dressed(instruction, extremes(instruction, np.fmax, np.maximum))


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
    """a (T) -> bool: is it such a number? A zero is normal."""
    tests = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "notanumber": np.isnan,
        "number": lambda a: ~np.isnan(a),
        "normal": lambda a: np.isfinite(a) & ((np.abs(a) >= np.finfo(a.dtype).tiny) | (a == 0)),
        "subnormal": lambda a: (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny),
    }
    return pure(instruction, tests[instruction.parts[1]], out="pred")
