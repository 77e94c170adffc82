"""add, sub, mul, mad, fma, div, min, max, abs, neg, sqrt, rcp: names that all number types share.

The type decides who computes: integer.py, floats.py (f32, f64) or half.py (f16, bf16, packed
pairs).
"""

from . import carry, floats, half, integer, op, refuse

HALVES = "f16 f16x2 bf16 bf16x2"
ROUNDING = "rn rz rm rp ftz sat approx full"
KINDS = {"f32": floats, "f64": floats, "f16": half, "f16x2": half, "bf16": half, "bf16x2": half}


def choose(i, name):
    """The handler of that name for the instruction's type."""
    if "cc" in i.parts:
        return carry.starts(i)
    handler = getattr(KINDS.get(i.type, integer), name, None)
    if handler is None:
        raise refuse(i, f"there is no {name} for {i.type}")
    return handler(i)


def share(name, handler, modifiers, types):
    op(name, modifiers, types)(_named(handler))


def _named(handler):
    def run(i):
        return choose(i, handler)

    return run


ALL = f"{integer.INTS} f32 f64 {HALVES}"
share("add", "add", ROUNDING + " cc", ALL)
share("sub", "sub", ROUNDING + " cc", ALL)
share("mul", "mul", ROUNDING + " lo hi wide", ALL)
share("mad", "mad", ROUNDING + " lo hi wide cc", f"{integer.INTS} f32 f64")
share("fma", "fma", ROUNDING + " relu", f"f32 f64 {HALVES}")
share("div", "div", ROUNDING, f"{integer.INTS} f32 f64")
share("min", "minimum", "ftz NaN", ALL)
share("max", "maximum", "ftz NaN", ALL)
share("abs", "absolute", "ftz", ALL)
share("neg", "neg", "ftz", ALL)
share("sqrt", "sqrt", ROUNDING, "f32 f64")
share("rcp", "rcp", ROUNDING, "f32 f64")
