"""Exact models of PTX arithmetic on Python's integers and Fractions, for test_random_arithmetic.py.

``FORMS`` holds a ``Form`` for each instruction: the model takes one integer an operand, the bits of
a register, and gives the bits of the result, or a set of those that are allowed. A float is a
Fraction, or as a Python float what no Fraction can be: a NaN, an infinity, a zero with its sign.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}  # exponent, fraction
MODES = ("rn", "rz", "rm", "rp")
WIDTH = {"pred": 1, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f16x2": 32, "bf16x2": 32}
WIDTH |= {f"{k}{n}": n for k in "bus" for n in (8, 16, 32, 64)} | {"u16x2": 32, "s16x2": 32}
WIDTH |= {"tf32": 32}


@dataclass
class Form:
    """An instruction, or several with ';' between, a chain through the carry flag, of which each
    takes its share of the operands. outs, ins: types of its operands; a number among ins is an
    immediate.
    """

    opcode: str
    outs: tuple
    ins: tuple
    model: object


FORMS = []


def form(opcode, outs, ins, model):
    outs = (outs,) if isinstance(outs, str) else tuple(outs)
    FORMS.append(Form(opcode, outs, tuple(ins), model))


# Floats as numbers -----------------------------------------------------------------------------
def decode(bits, kind):
    exponent_bits, fraction_bits = FLOATS[kind]
    fraction = bits & (1 << fraction_bits) - 1
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    sign = -1 if bits >> exponent_bits + fraction_bits & 1 else 1
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if not exponent and not fraction:
        return sign * 0.0
    whole = fraction | (1 << fraction_bits if exponent else 0)
    return sign * whole * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)


def encode(value, kind, mode="rn"):
    exponent_bits, fraction_bits = FLOATS[kind]
    bias = (1 << exponent_bits - 1) - 1
    infinite = (1 << exponent_bits) - 1 << fraction_bits
    if value != value:
        return infinite | 1 << fraction_bits - 1
    sign = 1 << exponent_bits + fraction_bits if is_negative(value) else 0
    if isinstance(value, float):
        return sign | (infinite if value else 0)
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    exponent = max(exponent, 1 - bias)
    scaled = size * Fraction(2) ** (fraction_bits - exponent)
    whole = to_whole(-scaled if sign else scaled, mode)
    bits = abs(whole) + (exponent + bias - 1 << fraction_bits)
    if bits >= infinite:  # too large
        to_infinity = mode == "rn" or mode == ("rm" if sign else "rp")
        bits = infinite if to_infinity else infinite - 1
    return sign | bits


def is_negative(value):
    return math.copysign(1, value) < 0 if isinstance(value, float) else value < 0


def to_whole(value, mode):
    """A Fraction as an integer."""
    down = math.floor(value)
    rest = value - down
    if mode == "rn":
        return down + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and down % 2)
    if mode == "rz":
        return down + (rest > 0 and value < 0)
    return down if mode == "rm" else math.ceil(value)


def tiny(kind):
    exponent_bits, _ = FLOATS[kind]
    return Fraction(2) ** (2 - (1 << exponent_bits - 1))


def fits(value, kind, mode):
    """Whether a number is normal when it is rounded as if the exponent had no limit."""
    if not isinstance(value, Fraction):
        return True
    return abs(decode(encode(value * 2**64, kind, mode), kind)) >= tiny(kind) * 2**64


def flushed(value, kind):
    if isinstance(value, Fraction) and abs(value) < tiny(kind):
        return math.copysign(0.0, stand_in(value))
    return value


def clamp01(value):
    if value != value or value <= 0:
        return 0.0
    return min(value, Fraction(1))


def stand_in(value):
    """A Python float with the sign of a number, and what is not finite as it is."""
    return value if isinstance(value, float) else 1.0 if value > 0 else -1.0


def special(*values):
    return any(isinstance(v, float) and not math.isfinite(v) for v in values)


def product(x, y):
    """Exact, before rounding."""
    if isinstance(x, float) or isinstance(y, float):
        return stand_in(x) * stand_in(y)
    return x * y


def total(x, y, mode):
    if special(x, y):
        return stand_in(x) + stand_in(y)
    if isinstance(x, Fraction) or isinstance(y, Fraction):
        result = Fraction(x) + Fraction(y)
        if result:
            return result
    if is_negative(x) == is_negative(y):
        return math.copysign(0.0, stand_in(x))
    return -0.0 if mode == "rm" else 0.0


def quotient(x, y):
    if x != x or y != y:
        return math.nan
    sign = math.copysign(1, stand_in(x)) * math.copysign(1, stand_in(y))
    if isinstance(y, float) and not y:
        return math.nan if isinstance(x, float) and not x else sign * math.inf
    if isinstance(x, float) or isinstance(y, float):
        return stand_in(x) / stand_in(y)
    return x / y


def root(x):
    """Exact, or so near that it rounds as the exact value does."""
    if isinstance(x, float):
        return x if x >= 0 or x == 0 else math.nan
    if x < 0:
        return math.nan
    shift = 2 * (200 + max(0, x.denominator.bit_length()))
    scaled = (x.numerator << shift) // x.denominator
    whole = math.isqrt(scaled)
    exact = whole * whole * x.denominator == x.numerator << shift
    return Fraction(2 * whole + (not exact), 2) / (1 << shift // 2)


def negated(x):
    return -x


def lesser(x, y, nan_wins, sign):
    """min for sign 1, max for -1."""
    if x != x or y != y:
        return math.nan if nan_wins or (x != x and y != y) else y if x != x else x
    if x == y:  # zeros among them
        return x if is_negative(x) == (sign > 0) else y
    return min(x, y) if sign > 0 else max(x, y)


def lift(model, parts):
    """The model of a packed instruction: on each 16 bits."""

    def packed(*words):
        low = model(*(w & 0xFFFF for w in words))
        high = model(*(w >> 16 & 0xFFFF for w in words))
        lows, highs = (x if isinstance(x, set) else {x} for x in (low, high))
        return {h << 16 | lo for h in highs for lo in lows}

    return packed


def arithmetic(name, words, kind, count, exact):
    """A Form of floats, packed as well. exact: numbers, mode -> number."""
    mode = next((w for w in words if w in MODES), "rn")
    ftz, sat, relu = "ftz" in words, "sat" in words, "relu" in words
    single = kind.removesuffix("x2")

    def model(*bits):
        values = [decode(b, single) for b in bits]
        if ftz:
            values = [flushed(v, single) for v in values]
        value = exact(*values, mode)
        if sat:
            value = clamp01(value)
        if relu and (value != value or is_negative(value)):
            value = value if value != value else 0.0
        result = encode(value, single, mode)
        if not ftz:
            return result
        before, after = flushed(value, single), flushed(decode(result, single), single)
        if single == "f32":
            return encode(after if fits(value, single, mode) else before, single, mode)
        return {encode(before, single, mode), encode(after, single, mode)}

    opcode = ".".join([name, *words, kind])
    form(opcode, kind, [kind] * count, lift(model, 2) if kind.endswith("x2") else model)


def subsets(*groups):
    """All ways to take one word, or none for '', of each group."""
    if not groups:
        yield []
        return
    for word in groups[0]:
        for rest in subsets(*groups[1:]):
            yield [w for w in (word, *rest) if w]


EXACT = {
    "add": (2, lambda a, b, m: total(a, b, m)),
    "sub": (2, lambda a, b, m: total(a, -b, m)),
    "mul": (2, lambda a, b, m: product(a, b)),
    "fma": (3, lambda a, b, c, m: total(product(a, b), c, m)),
    "mad": (3, lambda a, b, c, m: total(product(a, b), c, m)),
    "div": (2, lambda a, b, m: quotient(a, b)),
    "rcp": (1, lambda a, m: quotient(Fraction(1), a)),
    "sqrt": (1, lambda a, m: root(a)),
}
FTZ, SAT = ("", "ftz"), ("", "sat")


def float_forms():
    for name, (count, exact) in EXACT.items():
        for words in subsets(MODES):
            arithmetic(name, words, "f64", count, exact)
        saturates = SAT if name in ("add", "sub", "mul", "fma", "mad") else ("",)
        for words in subsets(MODES, FTZ, saturates):
            arithmetic(name, words, "f32", count, exact)
    for pair in ("", "x2"):
        for name in ("add", "sub", "mul"):
            for words in subsets(("rn",), FTZ, SAT):
                arithmetic(name, words, "f16" + pair, *EXACT[name])
            arithmetic(name, ["rn"], "bf16" + pair, *EXACT[name])
        for words in subsets(("rn",), FTZ, ("", "sat", "relu")):
            arithmetic("fma", words, "f16" + pair, *EXACT["fma"])
        for words in subsets(("rn",), ("", "relu")):
            arithmetic("fma", words, "bf16" + pair, *EXACT["fma"])
    for name, sign in (("min", 1), ("max", -1)):
        for kind in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2"):
            flushes = FTZ if kind in ("f32", "f16", "f16x2") else ("",)
            nans = ("", "NaN") if kind != "f64" else ("",)
            for words in subsets(flushes, nans):
                wins = "NaN" in words
                arithmetic(name, words, kind, 2, lambda a, b, m, w=wins, s=sign: lesser(a, b, w, s))
    for kind in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2"):
        for words in subsets(FTZ if kind == "f32" else ("",)):
            arithmetic("neg", words, kind, 1, lambda a, m: -a)
            arithmetic("abs", words, kind, 1, lambda a, m: abs(a))
    for kind in ("f32", "f64"):
        top = 1 << WIDTH[kind] - 1
        form(f"copysign.{kind}", kind, [kind, kind], lambda a, b, t=top: a & t | b & t - 1)
        tests = {
            "finite": lambda v, k: not special(v),
            "infinite": lambda v, k: special(v) and v == v,
            "number": lambda v, k: v == v,
            "notanumber": lambda v, k: v != v,
            "normal": lambda v, k: not special(v) and (not v or abs(v) >= tiny(k)),
            "subnormal": lambda v, k: isinstance(v, Fraction) and abs(v) < tiny(k),
        }
        for test, fn in tests.items():
            model = lambda a, f=fn, k=kind: int(f(decode(a, k), k))  # noqa: E731
            form(f"testp.{test}.{kind}", "pred", [kind], model)


# Comparisons -----------------------------------------------------------------------------------
def holds(name, x, y):
    unordered = x != x or y != y
    if name in ("num", "nan"):
        return unordered == (name == "nan")
    if unordered:
        return len(name) == 3
    alias = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
    name = alias.get(name, name[:2])
    less, equal = x < y, x == y
    return {
        "eq": equal,
        "ne": not equal,
        "lt": less,
        "le": less or equal,
        "gt": not (less or equal),
        "ge": not less,
    }[name]


ORDERED = ("eq", "ne", "lt", "le", "gt", "ge")
OF_FLOATS = (*ORDERED, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
LOGIC = {"": lambda a, p: a, "and": lambda a, p: a & p, "or": lambda a, p: a | p}
LOGIC["xor"] = lambda a, p: a ^ p


def number(bits, kind):
    return decode(bits, kind) if kind in FLOATS else integer(bits, kind)


def integer(bits, kind):
    bits &= (1 << WIDTH[kind]) - 1
    return bits - (1 << WIDTH[kind]) if kind[0] == "s" and bits >> WIDTH[kind] - 1 else bits


def comparison_forms():
    kinds = ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", *FLOATS]
    for kind in kinds:
        names = {"b": ("eq", "ne"), "u": (*ORDERED, "lo", "ls", "hi", "hs"), "s": ORDERED}
        for name in OF_FLOATS if kind in FLOATS else names[kind[0]]:
            for words in subsets(LOGIC, FTZ if kind in ("f32", "f16") else ("",)):
                compare(name, words, kind)
    for kind in ("f16", "bf16"):
        for name in OF_FLOATS:
            for words in subsets(FTZ if kind == "f16" else ("",)):
                compare_packed(name, words, kind)


def compare(name, words, kind):
    ftz, logic = "ftz" in words, next((w for w in words if w in LOGIC), "")

    def result(a, b, p=0):
        x, y = number(a, kind), number(b, kind)
        if ftz:
            x, y = flushed(x, kind), flushed(y, kind)
        return holds(name, x, y), p

    def both(a, b, p=0):
        first, p = result(a, b, p)
        return int(LOGIC[logic](first, p)), int(LOGIC[logic](not first, p))

    ins = [kind, kind] + ["pred"] * bool(logic)
    said = ".".join([name, *words])
    form(f"setp.{said}.{kind}", "pred", ins, lambda *v: both(*v)[0])
    if kind not in ("f16", "bf16"):
        form(f"setp.{said}.{kind}", ("pred", "pred"), ins, both)
    halves = {"f16": ("f16", "u16", "s16"), "bf16": ("bf16", "u16", "s16")}.get(kind, ("f32",))
    for out in (*halves, "u32", "s32"):
        yes = encode(Fraction(1), out) if out in FLOATS else (1 << WIDTH[out]) - 1
        form(f"set.{said}.{out}.{kind}", out, ins, lambda *v, y=yes: both(*v)[0] * y)


def compare_packed(name, words, kind):
    def one(a, b):
        x, y = decode(a, kind), decode(b, kind)
        if "ftz" in words:
            x, y = flushed(x, kind), flushed(y, kind)
        return int(holds(name, x, y))

    said, pair = ".".join([name, *words]), kind + "x2"
    model = lambda a, b: (one(a & 0xFFFF, b & 0xFFFF), one(a >> 16, b >> 16))  # noqa: E731
    form(f"setp.{said}.{pair}", ("pred", "pred"), [pair, pair], model)
    for out in (pair, "u32", "s32"):
        yes = encode(Fraction(1), kind) if out == pair else 0xFFFF
        each = lift(lambda a, b, y=yes: one(a, b) * y, 2)
        form(f"set.{said}.{out}.{pair}", out, [pair, pair], each)


# Conversions -----------------------------------------------------------------------------------
INTS = [f"{k}{n}" for k in "us" for n in (8, 16, 32, 64)]


def extended(value, kind):
    """The bits of an integer in its register: one of 32 bits for 8 of them."""
    bits = 32 if WIDTH[kind] == 8 else WIDTH[kind]
    return integer(value, kind) & (1 << bits) - 1


def clipped(value, kind):
    low = -(1 << WIDTH[kind] - 1) if kind[0] == "s" else 0
    return min(max(value, low), low + (1 << WIDTH[kind]) - 1)


def conversion_forms():
    for out in INTS:
        for source in INTS:
            whole = clipped(-(1 << 70), source), clipped(1 << 70, source)
            for sat in ("",) if all(clipped(v, out) == v for v in whole) else SAT:
                plain = lambda a, o=out, s=source: extended(integer(a, s), o)  # noqa: E731
                clip = lambda a, o=out, s=source: extended(clipped(integer(a, s), o), o)  # noqa: E731
                words = [w for w in ("cvt", sat, out, source) if w]
                form(".".join(words), out, [source], clip if sat else plain)
        for source in FLOATS:
            if source == "bf16" and WIDTH[out] == 8:
                continue
            sats = ("",) if source == "bf16" else SAT
            for words in subsets(MODES, FTZ if source == "f32" else ("",), sats):
                to_integer(words, out, source)
    for out in FLOATS:
        for source in INTS:
            if out == "bf16" and WIDTH[source] == 8:
                continue
            for words in subsets(MODES, ("",) if out == "bf16" else SAT):
                from_integer(words, out, source)
    for out, source in (
        *(("f32", "f64"), ("f64", "f32"), ("f16", "f32"), ("f16", "f64"), ("f32", "f16")),
        *(("f64", "f16"), ("bf16", "f32"), ("f32", "bf16"), ("bf16", "f64"), ("f64", "bf16")),
        *(("bf16", "f16"), ("f16", "bf16")),
    ):
        exact = FLOATS[out][1] > FLOATS[source][1] and out != "bf16"
        modes = ("",) if exact else MODES
        flushes = FTZ if "f32" in (out, source) and "bf16" not in (out, source) else ("",)
        sats = ("",) if "bf16" in (out, source) else SAT
        if out in ("f16", "bf16") and source == "f32":
            sats = (*sats, "relu")
        for words in subsets(modes, flushes, sats):
            if "relu" in words and ("ftz" in words or words[0] in ("rm", "rp")):
                continue
            between_floats(words, out, source)
    for kind in ("f16", "bf16"):
        for words in subsets(("rn", "rz"), ("", "relu")):
            to_pair(words, kind)
    for mode in ("rna", "rn", "rz"):
        form(f"cvt.{mode}.tf32.f32", "tf32", ["f32"], lambda a, m=mode: to_tf32(a, m))
    for kind in ("f16", "f32", "f64"):
        for words in subsets([m + "i" for m in MODES], FTZ if kind == "f32" else ("",), SAT):
            to_whole_float(words, kind)


def to_integer(words, out, source):
    mode, ftz = words[0], "ftz" in words
    opcode = ".".join(["cvt", mode + "i", *words[1:], out, source])

    def model(a):
        value = decode(a, source)
        if ftz:
            value = flushed(value, source)
        if value != value:  # 0, or the highest bit: the manual
            lost = source == "f64" or WIDTH[out] == 64
            return extended(1 << WIDTH[out] - 1 if lost else 0, out)
        if special(value):
            return extended(clipped((1 if value > 0 else -1) << 70, out), out)
        return extended(clipped(to_whole(Fraction(value), mode), out), out)

    form(opcode, out, [source], model)


def from_integer(words, out, source):
    def model(a):
        value = integer(a, source)
        value = Fraction(value) if value else 0.0
        return encode(clamp01(value) if "sat" in words else value, out, words[0])

    form(".".join(["cvt", *words, out, source]), out, [source], model)


def resized(value, words, out, source):
    ftz = "ftz" in words
    if ftz and source == "f32" and out != "f16":
        value = flushed(value, source)
    if "sat" in words:
        value = clamp01(value)
    if "relu" in words and value == value and is_negative(value):
        value = 0.0
    mode = next((w for w in words if w in MODES), "rn")
    result = encode(value, out, mode)
    if ftz and out == "f32":
        after = flushed(decode(result, out), out)
        return encode(after if fits(value, out, mode) else flushed(value, out), out)
    return result


def between_floats(words, out, source):
    form(
        ".".join(["cvt", *words, out, source]),
        out,
        [source],
        lambda a: resized(decode(a, source), words, out, source),
    )


def to_pair(words, kind):
    def model(a, b):
        high, low = (resized(decode(x, "f32"), words, kind, "f32") for x in (a, b))
        return high << 16 | low

    form(".".join(["cvt", *words, f"{kind}x2", "f32"]), f"{kind}x2", ["f32", "f32"], model)


def to_tf32(a, mode):
    """As f32, the last 13 bits 0; .rna rounds halves away from zero."""
    if a & 0x7FFFFFFF > 0x7F800000:
        return (a if mode == "rna" else 0x7FFFFFFF) & ~0x1FFF
    size = a >> 13
    rest = a & 0x1FFF
    size += {"rz": False, "rna": rest >= 0x1000}.get(
        mode, rest > 0x1000 or rest == 0x1000 and size & 1
    )
    return size << 13


def to_whole_float(words, kind):
    mode = words[0][:2]

    def model(a):
        value = decode(a, kind)
        if "ftz" in words:
            value = flushed(value, kind)
        if isinstance(value, Fraction):
            whole = to_whole(value, mode)
            value = Fraction(whole) if whole else math.copysign(0.0, stand_in(value))
        return encode(clamp01(value) if "sat" in words else value, kind)

    form(".".join(["cvt", *words, kind, kind]), kind, [kind], model)


# Integers --------------------------------------------------------------------------------------
def ints(opcode, kind, count, fn, out=None, last=None):
    """A Form of integers: fn on numbers, cut to the width of the result. last: type of the last
    operand, where it is another.
    """
    out = out or kind
    kinds = [kind] * (count - bool(last)) + [last] * bool(last)
    mask = (1 << WIDTH[out]) - 1

    def model(*bits):
        result = fn(*(integer(b, k) for b, k in zip(bits, kinds, strict=True)))
        return None if result is None else result & mask

    form(opcode, out, kinds, model)


def divided(a, b):
    """(quotient towards zero, rest); the manual leaves open what a / 0 is, a GPU has all ones."""
    if not b:
        return -1, -1
    whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return whole, a - whole * b


def integer_forms():
    for kind in ("u16", "u32", "u64", "s16", "s32", "s64"):
        bits = WIDTH[kind]
        ints(f"add.{kind}", kind, 2, lambda a, b: a + b)
        ints(f"sub.{kind}", kind, 2, lambda a, b: a - b)
        ints(f"mul.lo.{kind}", kind, 2, lambda a, b: a * b)
        ints(f"mul.hi.{kind}", kind, 2, lambda a, b, n=bits: a * b >> n)
        ints(f"mad.lo.{kind}", kind, 3, lambda a, b, c: a * b + c)
        ints(f"mad.hi.{kind}", kind, 3, lambda a, b, c, n=bits: (a * b >> n) + c)
        if bits < 64:
            wide = f"{kind[0]}{2 * bits}"
            ints(f"mul.wide.{kind}", kind, 2, lambda a, b: a * b, wide)
            ints(f"mad.wide.{kind}", kind, 3, lambda a, b, c: a * b + c, wide, wide)
        ints(f"div.{kind}", kind, 2, lambda a, b: divided(a, b)[0])
        ints(f"rem.{kind}", kind, 2, lambda a, b: divided(a, b)[1])
        ints(f"min.{kind}", kind, 2, min)
        ints(f"max.{kind}", kind, 2, max)
        ints(f"sad.{kind}", kind, 3, lambda a, b, c: c + abs(a - b))
        if kind[0] == "s":
            ints(f"neg.{kind}", kind, 1, lambda a: -a)
            ints(f"abs.{kind}", kind, 1, abs)
    for name, fn in (("min", min), ("max", max)):
        ints(f"{name}.relu.s32", "s32", 2, lambda a, b, f=fn: max(f(a, b), 0))
        for kind in ("u16", "s16"):
            for words in subsets(("", "relu") if kind == "s16" else ("",)):
                low = 0 if words else -(1 << 40)
                one = lambda a, b, k=kind, f=fn, z=low: (  # noqa: E731
                    max(f(integer(a, k), integer(b, k)), z) & 0xFFFF
                )
                opcode = ".".join([name, *words, kind + "x2"])
                form(opcode, kind + "x2", [kind + "x2"] * 2, lift(one, 2))
    for kind in ("u16x2", "s16x2"):
        form(f"add.{kind}", kind, [kind] * 2, lift(lambda a, b: a + b & 0xFFFF, 2))
    ints("add.sat.s32", "s32", 2, lambda a, b: clipped(a + b, "s32"))
    ints("sub.sat.s32", "s32", 2, lambda a, b: clipped(a - b, "s32"))
    for kind in ("u32", "s32"):
        for part, shift in (("lo", 0), ("hi", 16)):
            ints(f"mul24.{part}.{kind}", kind, 2, lambda a, b, k=kind, n=shift: of24(a, b, k) >> n)
            ints(
                f"mad24.{part}.{kind}",
                kind,
                3,
                lambda a, b, c, k=kind, n=shift: (of24(a, b, k) >> n) + c,
            )
        for other in ("u32", "s32"):
            dots(kind, other)


def of24(a, b, kind):
    a, b = ((x & 0xFFFFFF) - (1 << 24 if kind[0] == "s" and x >> 23 & 1 else 0) for x in (a, b))
    return a * b


def parts(word, bits, kind):
    return [integer(word >> k & (1 << bits) - 1, f"{kind[0]}{bits}") for k in range(0, 32, bits)]


def dots(kind, other):
    out = "u32" if kind == other == "u32" else "s32"

    def four(a, b, c):
        return sum(map(int.__mul__, parts(a, 8, kind), parts(b, 8, other))) + c & 0xFFFFFFFF

    form(f"dp4a.{kind}.{other}", out, [kind, other, out], four)
    for part, first in (("lo", 0), ("hi", 2)):

        def two(a, b, c, first=first):
            chosen = parts(b, 8, other)[first : first + 2]
            return sum(map(int.__mul__, parts(a, 16, kind), chosen)) + c & 0xFFFFFFFF

        form(f"dp2a.{part}.{kind}.{other}", out, [kind, other, out], two)


def differences(a, b, c, bits, kind, other, add):
    found = [abs(x - y) for x, y in zip(parts(a, bits, kind), parts(b, bits, other), strict=True)]
    if add:
        return sum(found) + c & 0xFFFFFFFF
    return sum(d << bits * k for k, d in enumerate(found))


def difference_forms():
    """vabsdiff with the operands that C++'s functions give it: of one sign; c counts with .add."""
    for name, bits in (("vabsdiff2", 16), ("vabsdiff4", 8)):
        for kind in ("u32", "s32"):
            for add in ("", ".add"):
                form(
                    f"{name}.u32.{kind}.{kind}{add}",
                    "u32",
                    [kind, kind, "u32"],
                    lambda a, b, c, n=bits, k=kind, s=add: differences(a, b, c, n, k, k, s),
                )


CHAINS = (
    ("add.cc", "addc.cc", "addc"),
    ("sub.cc", "subc.cc", "subc"),
    ("mad.lo.cc", "madc.hi"),
    ("mad.hi.cc", "madc.lo"),
    ("mad.lo.cc", "addc.cc", "subc"),
)


def carry_forms():
    for kind in ("u32", "s32", "u64", "s64"):
        for chain in CHAINS:
            counts = [3 if name.startswith("mad") else 2 for name in chain]
            model = lambda *v, c=chain, k=kind: chained(c, k, v)  # noqa: E731
            opcodes = ";".join(f"{name}.{kind}" for name in chain)
            form(opcodes, [kind] * len(chain), [kind] * sum(counts), model)


def chained(chain, kind, values):
    """The results of instructions that hand the carry flag on."""
    bits, values, flag, results = WIDTH[kind], list(values), 0, []
    mask = (1 << bits) - 1
    for name in chain:
        subtracts = name.startswith("sub")
        carry = flag if name.split(".")[0].endswith("c") else int(subtracts)
        count = 3 if name.startswith("mad") else 2
        operands, values = values[:count], values[count:]
        if name.startswith("mad"):
            a, b = (integer(x, kind) for x in operands[:2])
            operands = [(a * b >> (bits if ".hi" in name else 0)) & mask, operands[2]]
        if subtracts:  # by adding the complement: the flag of an addition is not turned
            operands[1] ^= mask
        result = sum(operands) + carry
        flag = result >> bits if name.endswith(".cc") else flag
        results.append(result & mask)
    return tuple(results)


# Bits ------------------------------------------------------------------------------------------
def bit_forms():
    for kind in ("pred", "b16", "b32", "b64"):
        mask = (1 << WIDTH[kind]) - 1
        form(f"and.{kind}", kind, [kind] * 2, lambda a, b: a & b)
        form(f"or.{kind}", kind, [kind] * 2, lambda a, b: a | b)
        form(f"xor.{kind}", kind, [kind] * 2, lambda a, b: a ^ b)
        form(f"not.{kind}", kind, [kind], lambda a, m=mask: a ^ m)
        if kind != "pred":
            form(f"cnot.{kind}", kind, [kind], lambda a: int(a == 0))
            form(f"shl.{kind}", kind, [kind, "u32"], lambda a, n, m=mask: a << min(n, 64) & m)
    for kind in [f"{k}{n}" for k in "bus" for n in (16, 32, 64)]:
        mask = (1 << WIDTH[kind]) - 1
        form(
            f"shr.{kind}",
            kind,
            [kind, "u32"],
            lambda a, n, k=kind, m=mask: integer(a, k) >> min(n, 64) & m,
        )
    for count in ("clamp", "wrap"):
        amount = (lambda n: min(n, 32)) if count == "clamp" else (lambda n: n & 31)
        form(
            f"shf.l.{count}.b32",
            "b32",
            ["b32", "b32", "u32"],
            lambda a, b, n, f=amount: (b << 32 | a) << f(n) >> 32 & 0xFFFFFFFF,
        )
        form(
            f"shf.r.{count}.b32",
            "b32",
            ["b32", "b32", "u32"],
            lambda a, b, n, f=amount: (b << 32 | a) >> f(n) & 0xFFFFFFFF,
        )
    for table in (0x00, 0x01, 0x1B, 0x80, 0x96, 0xCA, 0xE8, 0xFE, 0xFF):
        form("lop3.b32", "b32", ["b32"] * 3 + [table], lambda a, b, c, t=table: lop3(a, b, c, t))
    for mode in ("clamp", "wrap"):
        limit = (lambda n: min(n, 32)) if mode == "clamp" else (lambda n: n & 31)
        for kind in ("u32", "s32"):
            form(
                f"szext.{mode}.{kind}",
                kind,
                [kind, "u32"],
                lambda a, n, f=limit, k=kind: extracted(a, 0, f(n), k),
            )
        form(
            f"bmsk.{mode}.b32",
            "b32",
            ["b32", "b32"],
            lambda a, n, f=limit: (1 << f(n)) - 1 << f(a) & 0xFFFFFFFF,
        )
    form("fns.b32", "b32", ["b32", "u32", "s32"], nth_set)
    for bits in (32, 64):
        for sign in "us":
            kind = f"{sign}{bits}"
            form(
                f"bfe.{kind}",
                kind,
                [kind, "u32", "u32"],
                lambda a, p, n, k=kind: extracted(a, extent(p, k), extent(n, k), k),
            )
            form(f"bfind.{kind}", "u32", [kind], lambda a, k=kind: highest(a, k, False))
            form(f"bfind.shiftamt.{kind}", "u32", [kind], lambda a, k=kind: highest(a, k, True))
        kind = f"b{bits}"
        form(
            f"bfi.{kind}",
            kind,
            [kind, kind, "u32", "u32"],
            lambda a, b, p, n, k=kind: inserted(a, b, extent(p, k), extent(n, k), WIDTH[k]),
        )
        form(f"popc.{kind}", "u32", [kind], lambda a: bin(a).count("1"))
        form(f"clz.{kind}", "u32", [kind], lambda a, w=bits: w - a.bit_length())
        form(f"brev.{kind}", kind, [kind], lambda a, w=bits: int(f"{a:0{w}b}"[::-1], 2))
    form("prmt.b32", "b32", ["b32"] * 3, permuted)
    for mode, selectors in PERMUTED.items():
        form(
            f"prmt.b32.{mode}",
            "b32",
            ["b32"] * 3,
            lambda a, b, c, s=selectors: permuted(a, b, s[c & 3]),
        )


def lop3(a, b, c, table):
    bits = ((a >> k & 1) << 2 | (b >> k & 1) << 1 | c >> k & 1 for k in range(32))
    return sum((table >> entry & 1) << k for k, entry in enumerate(bits))


def extent(number, kind):
    """A position or a count: of 32 bits the low 8 count, of 64 all."""
    return number & 255 if WIDTH[kind] == 32 else number


def extracted(a, position, count, kind):
    """bfe, as the PTX manual's pseudocode has it."""
    top = WIDTH[kind] - 1
    sign = 0
    if kind[0] == "s" and count:
        sign = a >> min(position + count - 1, top) & 1
    result = 0
    for k in range(top + 1):
        inside = k < count and position + k <= top
        result |= (a >> position + k & 1 if inside else sign) << k
    return result


def nth_set(word, base, offset):
    offset = integer(offset, "s32")
    if base > 31:
        return None
    if offset == -(1 << 31):
        return 0
    if not offset:
        return base if word >> base & 1 else 0xFFFFFFFF
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [k for k in places if word >> k & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else 0xFFFFFFFF


def inserted(a, b, position, count, width):
    for k in range(min(count, width)):
        if position + k < width:
            b = b & ~(1 << position + k) | (a >> k & 1) << position + k
    return b


def highest(a, kind, amount):
    value = integer(a, kind)
    found = (~value if value < 0 else value).bit_length() - 1
    return 0xFFFFFFFF if found < 0 else WIDTH[kind] - 1 - found if amount else found


PERMUTED = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}


def permuted(a, b, selector):
    pair, result = b << 32 | a, 0
    for k in range(4):
        choice = selector >> 4 * k & 15
        byte = pair >> 8 * (choice & 7) & 255
        result |= ((255 if byte & 128 else 0) if choice & 8 else byte) << 8 * k
    return result


float_forms()
comparison_forms()
conversion_forms()
integer_forms()
difference_forms()
carry_forms()
bit_forms()
