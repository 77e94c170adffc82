"""setp and set: comparisons of all types."""

import numpy as np

from . import Op, floats, half, op, refuse

ORDERED = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
UNORDERED = {
    "equ": np.not_equal,
    "neu": np.equal,
    "ltu": np.greater_equal,
    "leu": np.greater,
    "gtu": np.less_equal,
    "geu": np.less,
}  # the opposite, to be negated
LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
TYPES = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 f16x2 bf16 bf16x2"
WORDS = " ".join([*ORDERED, *UNORDERED, *LOGIC, "num nan ftz"])


def compare(instruction, type):
    """The function (a, b) -> bool: of numbers, halves as f64."""
    test = comparison(instruction.parts[1], type)
    if "ftz" not in instruction.parts:
        return test
    flush = half.flush if type.startswith("f16") else floats.flush
    return lambda a, b: test(flush(a), flush(b))


def comparison(name, type):
    """(a, b) -> bool."""
    if name == "num":
        return lambda a, b: ~(np.isnan(a) | np.isnan(b))
    if name == "nan":
        return lambda a, b: np.isnan(a) | np.isnan(b)
    if name in UNORDERED and name != "neu":
        opposite = ordered_only(UNORDERED[name], name)
        return lambda a, b: ~opposite(a, b)
    if name == "neu":
        return np.not_equal
    if name == "ne" and type[0] in "f" or name == "ne" and type.startswith("bf"):
        return lambda a, b: (a < b) | (a > b)
    return ORDERED[name]


def ordered_only(fn, name):
    """equ is 'equal or unordered' = not (a < b or a > b)."""
    return (lambda a, b: (a < b) | (a > b)) if name == "equ" else fn


@op("setp", modifiers=WORDS, types=TYPES)
def setp(instruction):
    """a, b (T) [, c (bool)] -> bool [, bool: the opposite]; for f16x2 one bool a half."""
    kind = instruction.type
    logic = next((p for p in instruction.parts[2:] if p in LOGIC), None)
    test, convert = compare(instruction, kind), None
    if kind.endswith("x2"):
        return packed(instruction, test, kind[:-2])
    if kind in ("f16", "bf16"):
        convert = half.wide
    sources = [
        (instruction.operands[1], "b16" if convert else kind),
        (instruction.operands[2], "b16" if convert else kind),
    ]
    if logic:
        sources.append((instruction.operands[3], "pred"))
    both = type(instruction.operands[0]).__name__ == "Pair"

    def fn(a, b, p=None):
        if convert:
            a, b = convert(a, kind), convert(b, kind)
        first = test(a, b)
        if both:
            second = ~first
            return (LOGIC[logic](first, p), LOGIC[logic](second, p)) if logic else (first, second)
        return LOGIC[logic](first, p) if logic else first

    return Op(fn, [(instruction.operands[0], "pred")], sources)


def packed(instruction, test, kind):
    """setp of f16x2: one predicate a half."""

    def fn(a, b):
        (a0, a1), (b0, b1) = half.unpack(a, kind), half.unpack(b, kind)
        return test(a0, b0), test(a1, b1)

    return Op(
        fn, [(instruction.operands[0], "pred")], [(o, "b32") for o in instruction.operands[1:3]]
    )


@op("set", modifiers=WORDS, types=TYPES)
def set_(instruction):
    """a, b (T) [, c (bool)] -> the other type: all ones, or 1.0, where the comparison holds."""
    out, kind = instruction.parts[-2], instruction.parts[-1]
    logic = next((p for p in instruction.parts[2:-2] if p in LOGIC), None)
    test = compare(instruction, kind)
    if kind in ("f16x2", "bf16x2"):
        return set_packed(instruction, test, out, kind[:-2], logic)
    wide = (lambda a: half.wide(a, kind)) if kind in ("f16", "bf16") else (lambda a: a)
    type = "b16" if kind in ("f16", "bf16") else kind
    one = {"f32": np.float32(1), "f16": np.int16(0x3C00), "bf16": np.int16(0x3F80)}.get(out)
    dtype = {"u32": np.uint32, "s32": np.int32, "u16": np.uint16, "s16": np.int16}.get(out)
    yes = one if one is not None else ~dtype(0)

    def fn(a, b, p=None):
        holds = test(wide(a), wide(b))
        holds = LOGIC[logic](holds, p) if logic else holds
        return np.where(holds, yes, yes.dtype.type(0))[()]

    sources = [(instruction.operands[1], type), (instruction.operands[2], type)]
    sources += [(instruction.operands[3], "pred")] if logic else []
    return Op(fn, [(instruction.operands[0], "b16" if out in ("f16", "bf16") else out)], sources)


def set_packed(instruction, test, out, kind, logic):
    if logic:
        raise refuse(instruction, "a packed set with a predicate")
    yes = {"f16x2": 0x3C00, "bf16x2": 0x3F80}.get(out, -1)

    def fn(a, b):
        (a0, a1), (b0, b1) = half.unpack(a, kind), half.unpack(b, kind)
        low, high = (
            np.where(test(x, y), np.int16(yes), np.int16(0)) for x, y in ((a0, b0), (a1, b1))
        )
        return half.pack(low, high)[()]

    return Op(
        fn, [(instruction.operands[0], "b32")], [(o, "b32") for o in instruction.operands[1:3]]
    )
