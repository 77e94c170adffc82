"""add, sub, mul, mad, fma, div, min, max, abs, neg, sqrt, rcp: names that all number types share.

The type decides who computes: integer.py, floats.py (f32, f64) or half.py (f16, bf16) or
pairs.py (u16x2, s16x2).
"""

from . import carry, floats, half, integer, op, pairs, refuse

HALVES = "f16 f16x2 bf16 bf16x2"
ROUNDING = "rn rz rm rp ftz sat"
PAIRS = "u16x2 s16x2"
KINDS = {"f32": floats, "f64": floats} | dict.fromkeys(HALVES.split(), half)
KINDS |= dict.fromkeys(PAIRS.split(), pairs)


def choose(instruction, name):
    """The handler of that name for the instruction's type."""
    if "cc" in instruction.parts:
        return carry.starts(instruction)
    if name in ("minimum", "maximum") and len(instruction.operands) != 3:
        raise refuse(instruction, "more than two operands")
    handler = getattr(KINDS.get(instruction.type, integer), name, None)
    if handler is None:
        raise refuse(instruction, f"there is no {name} for {instruction.type}")
    return handler(instruction)


def share(name, handler, modifiers, types):
    op(name, modifiers, types)(_named(handler))


def _named(handler):
    def run(instruction):
        return choose(instruction, handler)

    return run


ALL = f"{integer.INTS} f32 f64 {HALVES}"
share("add", "add", ROUNDING + " cc", f"{ALL} {PAIRS}")
share("sub", "sub", ROUNDING + " cc", ALL)
share("mul", "mul", ROUNDING + " lo hi wide", ALL)
share("mad", "mad", ROUNDING + " lo hi wide cc", f"{integer.INTS} f32 f64")
share("fma", "fma", ROUNDING + " relu", f"f32 f64 {HALVES}")
share("div", "div", ROUNDING + " approx full", f"{integer.INTS} f32 f64")
share("min", "minimum", "ftz NaN relu", f"{ALL} {PAIRS}")
share("max", "maximum", "ftz NaN relu", f"{ALL} {PAIRS}")
share("abs", "absolute", "ftz", ALL)
share("neg", "neg", "ftz", f"{ALL} {PAIRS}")
share("sqrt", "sqrt", ROUNDING + " approx", "f32 f64")
share("rcp", "rcp", ROUNDING + " approx", "f32 f64")
