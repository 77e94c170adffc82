"""Sixteen bits under the reader's hand, and what they stand for as a half, a bfloat16, an int."""

import math
from typing import Any

from warpbook.display.explore.kit import Knob, Recipe, at, box, line

FORMATS = {"half": (5, 10), "bfloat16": (8, 7)}  # bits of exponent and of fraction
WIDE = 27.75  # px: one bit
LOW, HIGH = -140, 132  # the exponents where the axis of sizes ends
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decoded(word: int, exponent_bits: int, fraction_bits: int) -> tuple[int, int, int]:
    """The fields of a word: sign, exponent, fraction."""
    fields = word >> fraction_bits
    return (
        fields >> exponent_bits, fields % 2**exponent_bits, word % 2**fraction_bits
    )  # fmt: skip


def value(word: int, exponent_bits: int, fraction_bits: int) -> float:
    """The number that a word stands for."""
    sign, exponent, fraction = decoded(word, exponent_bits, fraction_bits)
    if exponent == 2**exponent_bits - 1:
        size = math.nan if fraction else math.inf
    else:
        bias = 2 ** (exponent_bits - 1) - 1
        hidden = 2**fraction_bits if exponent else 0
        size = (hidden + fraction) * 2.0 ** (max(exponent, 1) - bias - fraction_bits)
    return -size if sign else size


def power(base: int, exponent: int) -> str:
    return f"{base}{str(exponent).translate(RAISED)}"


def words(number: float) -> str:
    """A number as the figure writes it: six digits, or three and a power of ten."""
    if number == 0 or not math.isfinite(number):
        text = "0" if number == 0 else "NaN" if math.isnan(number) else "∞"
        return "−" + text if math.copysign(1, number) < 0 and text != "NaN" else text
    size, sign = abs(number), "−" if number < 0 else ""
    if 1024 <= size < 1e7:
        return f"{sign}{size:,.0f}"
    if 0.001 <= size < 1024:
        scale = 1
        while size * scale < 1e5:
            scale *= 10
        return f"{sign}{math.floor(size * scale + 0.5) / scale:.10g}"
    ten = 0
    while size >= 9.995:
        size /= 10
        ten += 1
    while size < 0.9995:
        size *= 10
        ten -= 1
    return f"{sign}{math.floor(size * 100 + 0.5) / 100:.10g} · {power(10, ten)}"


def bits(word: int) -> dict[str, Any]:
    """What the bits stand for in each type, a sentence, a drawing."""
    text = f"{word:016b}"
    whole = word - 65536 if word >= 32768 else word
    texts: list[list[Any]] = []
    fields = ["", "", ""]  # the cells of sign, exponent, fraction
    dots = said = ""
    found: dict[str, Any] = {}

    def cells(y, exponent_bits):
        for k in range(16):
            fields[(k > 0) + (k > exponent_bits)] += box(WIDE * k + 1, y, WIDE - 2, 20)
            texts.append([at(WIDE * k + WIDE / 2), y + 15, text[k], "w-mid"])

    for row, (name, (exponent_bits, fraction_bits)) in enumerate(FORMATS.items()):
        _, exponent, fraction = decoded(word, exponent_bits, fraction_bits)
        number = value(word, exponent_bits, fraction_bits)
        shown, bias = words(number), 2 ** (exponent_bits - 1) - 1
        found[name] = [shown, exponent, fraction]
        top, y, scale = 62 * row, 206 + 14 * row, max(exponent, 1) - bias
        said += f"As a {name} these bits are {shown}"
        if math.isfinite(number):
            said += f"; numbers of this size are {power(2, scale - fraction_bits)} apart"
            parts = f"{1 if exponent else 0} + {fraction}/{2**fraction_bits}"
            how = f"{'−' if word >= 32768 else ''}({parts}) · {power(2, scale)}"
        else:
            how = f"an exponent of ones: {'NaN' if fraction else 'infinite'}"
        said += ". "
        kind = ", subnormal" if not exponent and fraction else ""
        texts.append([0, top + 13, f"{name}: {shown}{kind}", "w-bold"])
        texts.append([444, top + 13, how, "w-end"])
        cells(top + 19, exponent_bits)
        start, end = place(1 - bias - fraction_bits), place(bias + 1)
        fields[1] += box(start, y - 9, end - start, 9)
        texts.append([54, y, name, "w-end"])
        if number and math.isfinite(number):
            mantissa, two = math.frexp(abs(number))
            dots += box(place(two + 2 * mantissa - 2) - 1.5, y - 11, 3, 13)
    said += f"As an int of 16 bits they are {words(whole)}."
    texts.append([0, 137, f"int16: {words(whole)}", "w-bold"])
    texts.append([444, 137, "all numbers are 1 apart", "w-end"])
    cells(143, 0)
    lines = line(60, 232, 440, 232)
    texts.append([0, 189, "Sizes that a type can write, and where these bits are", ""])
    for ten in (-40, -20, 0, 20):
        x = place(ten * 3.3219)
        lines += line(x, 228, x, 236)
        texts.append([at(x), 249, power(10, ten) if ten else "1", "w-mid"])
    return {
        **found, "int": whole, "said": said, "height": 254,
        "paths": [["w-used", fields[1]], ["w-hot", fields[0]], ["w-idle", fields[2]],
                  ["w-lines", lines], ["w-dot", dots]],
        "texts": texts,
    }  # fmt: skip


def place(two: float) -> float:
    """Where a power of two stands on the axis of sizes."""
    return 60 + 380 * (two - LOW) / (HIGH - LOW)


FIGURE = Recipe(
    "Sixteen bits, and what they stand for",
    "Each button is a bit, and a press turns it over. Orange is the sign, blue the exponent, grey "
    "the fraction. The slider goes from one pattern to the next. With 16 zeros behind them the "
    "bits are a float of the same value as the bfloat16.",
    bits,
    {"word": Knob("The bits as a whole number", 0x4A20, range(65536), 1)},
    ("bits",),
)
