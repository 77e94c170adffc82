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


def share(name, handler, modifiers, types, what):
    """Register opcode ``name``: ``handler`` of the module of its type does it; what: its
    docstring.
    """

    def run(instruction):
        return choose(instruction, handler)

    run.__doc__ = what
    op(name, modifiers, types)(run)


ALL = f"{integer.INTS} f32 f64 {HALVES}"
share("add", "add", ROUNDING + " cc", f"{ALL} {PAIRS}", "a, b (T) -> T [, bool: the carry of .cc].")
share("sub", "sub", ROUNDING + " cc", ALL, "a, b (T) -> T [, bool: the borrow of .cc].")
share("mul", "mul", ROUNDING + " lo hi wide", ALL, "a, b (T) -> T, or twice as wide for .wide.")
share(
    "mad",
    "mad",
    ROUNDING + " lo hi wide cc",
    f"{integer.INTS} f32 f64",
    "a, b, c (T; c twice as wide for .wide) -> T of c [, bool: the carry of .cc].",
)
share("fma", "fma", ROUNDING + " relu", f"f32 f64 {HALVES}", "a, b, c (T) -> T: rounded once.")
share(
    "div",
    "div",
    ROUNDING + " approx full",
    f"{integer.INTS} f32 f64",
    "a, b (T) -> T: towards zero for integers.",
)
share(
    "min",
    "minimum",
    "ftz NaN relu",
    f"{ALL} {PAIRS}",
    "a, b (T) -> T: the other one of a NaN, unless .NaN.",
)
share(
    "max",
    "maximum",
    "ftz NaN relu",
    f"{ALL} {PAIRS}",
    "a, b (T) -> T: the other one of a NaN, unless .NaN.",
)
share("abs", "absolute", "ftz", ALL, "a (T) -> T.")
share("neg", "neg", "ftz", f"{ALL} {PAIRS}", "a (T) -> T.")
share("sqrt", "sqrt", ROUNDING + " approx", "f32 f64", "a (T) -> T.")
share("rcp", "rcp", ROUNDING + " approx", "f32 f64", "a (T) -> T: 1 / a.")
