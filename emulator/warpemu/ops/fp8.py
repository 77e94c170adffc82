"""The two 8-bit floats: e4m3 (largest 448, no infinity) and e5m2 (largest 57344); for cvt and mma.

A value's bits without the sign grow with the value, so rounding is a search in the sorted table of
all values, and a tie goes to the even bits.
"""

import numpy as np

from . import half

FORMATS = {"e4m3": (4, 3), "e5m2": (5, 2)}  # bits of the exponent, bits of the fraction
NAN = 0x7F  # the one NaN that conversions write, in both


def decoded(kind):
    """The 256 values as f64, by their bits."""
    exponent_bits, fraction_bits = FORMATS[kind]
    bits = np.arange(128)
    exponent, fraction = bits >> fraction_bits, bits % (1 << fraction_bits)
    least = 2 - (1 << (exponent_bits - 1))  # exponent of the least normal number
    significand = fraction + np.where(exponent > 0, 1 << fraction_bits, 0)
    values = np.ldexp(significand, np.maximum(exponent - 1, 0) + least - fraction_bits)
    if kind == "e4m3":
        values[0x7F] = np.nan
    else:
        values[0x7C:] = [np.inf, np.nan, np.nan, np.nan]
    return np.concatenate([values, -values])


VALUES = {kind: decoded(kind) for kind in FORMATS}
FINITE = {kind: table[:128][np.isfinite(table[:128])] for kind, table in VALUES.items()}


def wide(bits, kind):
    """uint8 -> f64."""
    return VALUES[kind][bits]


def narrow(value, kind):
    """f64 -> uint8, to nearest even; what is beyond the largest number becomes it (.satfinite)."""
    table = FINITE[kind]
    size = np.fmin(np.abs(value), table[-1])
    below = np.searchsorted(table, size, side="right") - 1
    above = np.minimum(below + 1, len(table) - 1)
    middle = (table[below] + table[above]) / 2
    up = (size > middle) | ((size == middle) & (below % 2 == 1))
    signed = np.where(up, above, below) + np.where(np.signbit(value), 0x80, 0)
    return np.where(np.isnan(value), NAN, signed).astype(np.uint8)[()]


def pack(low, high):
    """Two uint8 -> int16."""
    return (low.astype(np.int32) | (high.astype(np.int32) << 8)).astype(np.int16)


def to_halves(word, kind):
    """int16, two 8-bit floats -> their values as f64: (low, high)."""
    bits = word.view(np.uint16)
    return wide(bits & np.uint16(0xFF), kind), wide(bits >> np.uint16(8), kind)


def from_f32(kind, after):
    """The function of cvt.e4m3x2.f32 d, a, b: a in the upper byte. after: f64 -> f64."""

    def run(a, b):
        low, high = (narrow(after(x.astype(np.float64)), kind) for x in (b, a))
        return pack(low, high)

    return run


def from_f16x2(kind, after):
    """The function of cvt.e4m3x2.f16x2 d, a."""

    def run(a):
        low, high = (narrow(after(x), kind) for x in half.unpack(a, "f16"))
        return pack(low, high)

    return run


def to_f16x2(kind, after):
    """The function of cvt.f16x2.e4m3x2 d, a, which is exact."""

    def run(a):
        low, high = (half.narrow(after(x), "f16") for x in to_halves(a, kind))
        return half.pack(low, high)

    return run
