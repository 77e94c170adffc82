"""printf's conversions as the GNU C library prints them, without it: WebAssembly has none.

Python's own % differs in integers (%#o, %.0d of 0, a precision beside a 0) and in infinities and
NaNs with zeros before them, and has no %a.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction

PIECE = re.compile(rb"%([-+ #0]*)(\*|\d+)?(\.(?:\*|\d*))?(hh|h|ll|l|z|t|j)?([diouxXeEfFgGaAcsp%])")
SIZES = {b"hh": 1, b"h": 2, b"l": 8, b"ll": 8, b"z": 8, b"t": 8, b"j": 8}


def expand(form: bytes, integer: Callable, double: Callable, text: Callable) -> bytes:
    """What printf prints. integer(bytes), double(), text(): take the next argument: an int without
    a sign, a float, the bytes of a string. What is no conversion stays as it is.
    """

    def one(match):
        flags, width, precision, length, kind = match.groups()
        if kind == b"%":
            return b"%"
        flags = flags.decode()
        if width == b"*":
            width = signed(integer(4), 4)
            flags += "-" if width < 0 else ""
        if precision is not None:
            precision = signed(integer(4), 4) if precision == b".*" else int(precision[1:] or 0)
            precision = None if precision < 0 else precision
        width, size = abs(int(width or 0)), SIZES.get(length, 4)
        return converted(kind.decode(), flags, width, precision, size).encode("latin-1")

    def converted(kind, flags, width, precision, size):
        if kind in "diouxX":
            value = integer(max(size, 4)) & (1 << 8 * size) - 1
            value = signed(value, size) if kind in "di" else value
            return of_integer(value, kind, flags, width, precision)
        if kind == "p":
            value = integer(8)
            if value:
                return of_integer(value, "x", flags + "#", width, precision)
            return padded("", "(nil)", flags.replace("0", ""), width)
        if kind == "c":
            return padded("", chr(integer(4) & 255), flags.replace("0", ""), width)
        if kind == "s":
            return padded("", text().decode("latin-1")[:precision], flags.replace("0", ""), width)
        return of_float(double(), kind, flags, width, precision)

    return PIECE.sub(one, form)


def signed(value, size):
    """An integer of so many bytes, read as one with a sign."""
    return value - (1 << 8 * size) if value >> 8 * size - 1 else value


def padded(prefix, digits, flags, width):
    """prefix and digits in a field: to the left for '-', zeros between them for '0'."""
    if "-" in flags:
        return (prefix + digits).ljust(width)
    if "0" in flags:
        return prefix + digits.rjust(width - len(prefix), "0")
    return (prefix + digits).rjust(width)


def sign(negative, flags):
    return "-" if negative else "+" if "+" in flags else " " if " " in flags else ""


def of_integer(value, kind, flags, width, precision):
    base = {"o": "o", "x": "x", "X": "X"}.get(kind, "d")
    digits = format(abs(value), base)
    if precision is not None:
        digits = "" if precision == 0 and value == 0 else digits.rjust(precision, "0")
        flags = flags.replace("0", "")
    prefix = sign(value < 0, flags) if kind in "di" else ""
    if "#" in flags and kind == "o" and not digits.startswith("0"):
        digits = "0" + digits
    if "#" in flags and kind in "xX" and value:
        prefix = "0" + kind
    return padded(prefix, digits, flags, width)


def of_float(value, kind, flags, width, precision):
    prefix = sign(math.copysign(1, value) < 0, flags)
    if not math.isfinite(value):
        digits = "nan" if value != value else "inf"
        flags = flags.replace("0", "")
    elif kind in "aA":
        prefix += "0x"
        digits = hexadecimal(abs(value), precision, "#" in flags)
    else:
        spec = f"%{'#' if '#' in flags else ''}.{6 if precision is None else precision}{kind}"
        digits = spec % abs(value)
    if kind.isupper():
        prefix, digits = prefix.upper(), digits.upper()
    return padded(prefix, digits, flags, width)


def hexadecimal(size, precision, point):
    """%a of a number without its sign, after the 0x."""
    exponent = max(math.frexp(size)[1] - 1, -1022) if size else 0
    whole = int(Fraction(size) * Fraction(2) ** (52 - exponent))  # with 52 bits of fraction
    if precision is not None and precision < 13:
        unit = 1 << 4 * (13 - precision)
        down, rest = divmod(whole, unit)
        whole = (down + (2 * rest > unit or 2 * rest == unit and down % 2)) * unit
    digits = f"{whole & (1 << 52) - 1:013x}"
    digits = digits.rstrip("0") if precision is None else digits.ljust(precision, "0")[:precision]
    dot = "." if digits or point else ""
    return f"{whole >> 52}{dot}{digits}p{exponent:+d}"
