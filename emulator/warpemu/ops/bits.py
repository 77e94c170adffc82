"""and, or, xor, not, cnot, shl, shr, shf, lop3, bfe, bfi, szext, bmsk, popc, clz, brev, bfind,
prmt, fns.
"""

import numpy as np

from ..ptx import BYTES, Imm
from . import DTYPES, op, pure

LOGIC = "pred b16 b32 b64"


@op("and", types=LOGIC)
def and_(instruction):
    """a, b (T) -> T."""
    return pure(instruction, np.bitwise_and)


@op("or", types=LOGIC)
def or_(instruction):
    """a, b (T) -> T."""
    return pure(instruction, np.bitwise_or)


@op("xor", types=LOGIC)
def xor(instruction):
    """a, b (T) -> T."""
    return pure(instruction, np.bitwise_xor)


@op("not", types=LOGIC)
def not_(instruction):
    """a (T) -> T."""
    return pure(instruction, np.invert)


@op("cnot", types="b16 b32 b64")
def cnot(instruction):
    """a (T) -> T: 1 where a is 0, else 0."""
    return pure(instruction, lambda a: (a == 0).astype(a.dtype))


def shift(instruction, type, fn, beyond):
    """A shift of numbers of that type; amounts of the width or more give beyond(a), where NumPy's
    result would be undefined.
    """
    dtype, bits = DTYPES[type], 8 * BYTES[type]
    amount, ins = instruction.operands[2], [type, "u32"]
    if isinstance(amount, Imm):
        count = dtype(min(amount.bits, bits))
        if amount.bits < bits:
            return pure(instruction, lambda a, b: fn(a, count), type, ins)
        return pure(instruction, lambda a, b: beyond(a), type, ins)

    def general(a, b):
        inside = fn(a, np.minimum(b, np.uint32(bits - 1)).astype(dtype))
        return np.where(b < bits, inside, beyond(a))[()]

    return pure(instruction, general, type, ins)


def zero(a):
    """0 in the shape of a."""
    return a * a.dtype.type(0)


@op("shl", types="b16 b32 b64")
def shl(instruction):
    """a (T), amount (uint32) -> T; 0 for amounts of the width or more."""
    return shift(instruction, instruction.type, np.left_shift, zero)


@op("shr", types="b16 b32 b64 u16 u32 u64 s16 s32 s64")
def shr(instruction):
    """a (T), amount (uint32) -> T; of a negative number the sign comes in from the left."""
    type = instruction.type.replace("b", "u")
    last = DTYPES[type](8 * BYTES[type] - 1)
    beyond = (lambda a: a >> last) if type[0] == "s" else zero
    return shift(instruction, type, np.right_shift, beyond)


@op("shf", modifiers="l r clamp wrap", types="b32")
def shf(instruction):
    """a, b, amount (uint32) -> uint32: half of the pair (b, a), shifted."""
    left, wrap = "l" in instruction.parts, "wrap" in instruction.parts

    def fn(a, b, c):
        count = (c & np.uint32(31) if wrap else np.minimum(c, np.uint32(32))).astype(np.uint64)
        pair = b.astype(np.uint64) << np.uint64(32) | a
        return (pair << count >> np.uint64(32) if left else pair >> count).astype(np.uint32)

    return pure(instruction, fn, out="u32", ins=["u32"] * 3)


@op("lop3", types="b32")
def lop3(instruction):
    """a, b, c (T) -> T: any function of three bits, by a table: entry 4a + 2b + c."""
    table = instruction.operands[4].bits

    def fn(a, b, c, _):
        result = None
        for k in range(8):
            if table >> k & 1:
                term = (a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c)
                result = term if result is None else result | term
        return a & ~a if result is None else result

    return pure(instruction, fn)


def ones(count, dtype):
    """count low bits set; count up to the width."""
    bits = 8 * np.dtype(dtype).itemsize
    count = np.minimum(count, bits).astype(dtype)
    return np.where(
        count == bits, ~dtype(0), (dtype(1) << np.minimum(count, dtype(bits - 1))) - dtype(1)
    )


def extent(number, bits):
    """A position or a count in a word: of 32 bits the low 8 count, as the PTX manual says; of 64,
    on an H200, all.
    """
    return number & np.uint32(255) if bits == 32 else np.minimum(number, np.uint32(bits))


@op("bfe", types="u32 s32 u64 s64")
def bfe(instruction):
    """a (T), position, count (uint32) -> T: these bits of a, the sign extended for .s."""
    bits, unsigned = 8 * BYTES[instruction.type], DTYPES[f"u{8 * BYTES[instruction.type]}"]
    signed = instruction.type[0] == "s"

    def fn(a, b, c):
        position, count = extent(b, bits), extent(c, bits)
        source = a.view(unsigned)
        inside = np.where(
            position < bits, source >> np.minimum(position, bits - 1).astype(unsigned), unsigned(0)
        )
        field = inside & ones(count, unsigned)
        if signed:
            top = np.minimum(position + count - np.uint32(1), bits - 1).astype(unsigned)
            negative = (source >> top & unsigned(1) != 0) & (count > 0)
            held = np.where(
                position < bits, np.minimum(count, bits - np.minimum(position, bits)), 0
            )
            field = np.where(negative, field | ~ones(held.astype(np.uint32), unsigned), field)
        return field.view(DTYPES[instruction.type])[()]

    return pure(instruction, fn, ins=[instruction.type, "u32", "u32"])


@op("bfi", types="b32 b64")
def bfi(instruction):
    """a, b (uT), position, count (uint32) -> uT: b with the low bits of a put in there."""
    bits, dtype = 8 * BYTES[instruction.type], DTYPES[f"u{8 * BYTES[instruction.type]}"]

    def fn(a, b, c, d):
        position, count = extent(c, bits), extent(d, bits)
        amount = np.minimum(position, bits - 1).astype(dtype)
        mask = np.where(position < bits, ones(count, dtype) << amount, dtype(0))
        return ((b & ~mask) | ((a << amount) & mask))[()]

    return pure(instruction, fn, out=f"u{bits}", ins=[f"u{bits}"] * 2 + ["u32"] * 2)


@op("szext", modifiers="clamp wrap", types="u32 s32")
def szext(instruction):
    """a (T), count (uint32) -> T: the low bits of a, the sign extended for .s."""
    clamp, signed = "clamp" in instruction.parts, instruction.type == "s32"

    def fn(a, b):
        low = b & np.uint32(31)
        above = ~np.uint32(0) << low
        above = np.where(b > 31, np.uint32(0), above) if clamp else above
        negative = (a >> ((low - np.uint32(1)) & np.uint32(31)) & np.uint32(1) != 0) & (low != 0)
        return (a & ~above | np.where(negative & signed, above, np.uint32(0)))[()]

    return pure(instruction, fn, out="u32", ins=["u32", "u32"])


@op("bmsk", modifiers="clamp wrap", types="b32")
def bmsk(instruction):
    """position, count (uint32) -> uint32: so many bits set from that position on."""
    clamp = "clamp" in instruction.parts

    def fn(a, b):
        limit = (lambda x: np.minimum(x, np.uint32(32))) if clamp else lambda x: x & np.uint32(31)
        a, b = limit(a), limit(b)  # in 64 bits, where shifts by 32 are defined
        field = ((np.uint64(1) << b.astype(np.uint64)) - np.uint64(1)) << a.astype(np.uint64)
        return field.astype(np.uint32)

    return pure(instruction, fn, out="u32", ins=["u32", "u32"])


@op("popc", types="b32 b64")
def popc(instruction):
    """a (uT) -> int32: how many bits are set."""
    return pure(
        instruction,
        lambda a: np.bitwise_count(a).astype(np.int32),
        out="s32",
        ins=[f"u{instruction.type[1:]}"],
    )


def leading_zeros(a):
    """Leading zeros of unsigned a, as int32: the exponent of a double, in two halves for 64
    bits.
    """
    if a.dtype.itemsize == 8:
        top = (a >> np.uint64(32)).astype(np.uint32)
        return np.where(top, leading_zeros(top), np.int32(32) + leading_zeros(a.astype(np.uint32)))[
            ()
        ]
    return (np.int32(32) - np.frexp(a.astype(np.float64))[1]).astype(np.int32)


@op("clz", types="b32 b64")
def clz(instruction):
    """a (uT) -> int32: zeros before the highest bit that is set."""
    return pure(instruction, leading_zeros, out="s32", ins=[f"u{instruction.type[1:]}"])


@op("bfind", modifiers="shiftamt", types="u32 s32 u64 s64")
def bfind(instruction):
    """a (T) -> int32: number of the highest bit that differs from the sign; -1 for none."""
    bits = 8 * BYTES[instruction.type]
    unsigned = DTYPES[f"u{bits}"]
    amount = "shiftamt" in instruction.parts

    def fn(a):
        source = (np.where(a < 0, ~a, a) if instruction.type[0] == "s" else a).astype(unsigned)
        zeros = leading_zeros(source)
        return np.where(
            zeros == bits, np.int32(-1), zeros if amount else np.int32(bits - 1) - zeros
        )[()]

    return pure(instruction, fn, out="s32")


@op("brev", types="b32 b64")
def brev(instruction):
    """a (uT) -> uT: the bits in reverse."""
    bits = 8 * BYTES[instruction.type]
    dtype = DTYPES[f"u{bits}"]

    def fn(a):
        step = bits // 2
        mask = (1 << bits) - 1
        while step:
            mask = mask ^ (mask << step) & ((1 << bits) - 1)
            a = (a >> dtype(step)) & dtype(mask) | (a & dtype(mask)) << dtype(step)
            step //= 2
        return a

    return pure(instruction, fn, out=f"u{bits}", ins=[f"u{bits}"])


# prmt's modes: the selector of plain prmt that each value of the two bits of a mode stands for.
MODES = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}


@op("prmt", modifiers=" ".join(MODES), types="b32")
def prmt(instruction):
    """a, b, selector (uint32) -> uint32: four of the eight bytes of the pair (b, a)."""
    mode = next((word for word in instruction.parts if word in MODES), None)
    selectors = np.array(MODES.get(mode, ()), np.uint32)

    def fn(a, b, c):
        if mode:
            c = selectors[c & np.uint32(3)]
        pair = b.astype(np.uint64) << np.uint64(32) | a
        result = np.uint32(0)
        for k in range(4):
            choice = (c >> np.uint32(4 * k)).astype(np.uint64)
            part = pair >> ((choice & np.uint64(7)) << np.uint64(3)) & np.uint64(255)
            part = part.astype(np.uint32)
            sign_only = choice & np.uint64(8)
            part = np.where(sign_only, (part >> np.uint32(7)) * np.uint32(255), part)
            result = result | part << np.uint32(8 * k)
        return result[()]

    return pure(instruction, fn, out="u32", ins=["u32"] * 3)


@op("fns", types="b32")
def fns(instruction):
    """word, base (uint32), n (int32) -> uint32: the n-th set bit from bit base on, upwards if n is
    positive, downwards if negative; base if n is 0 and it is set; all ones where there is none, and
    0 for n = -2^31, as on an H200.
    """

    def fn(word, base, n):
        shape = np.broadcast_shapes(word.shape, base.shape, n.shape)
        here, bit = np.broadcast_to(base, shape).astype(np.int64), np.arange(32)
        set_ = (np.broadcast_to(word, shape)[..., None] >> bit.astype(np.uint32) & 1).astype(bool)
        n, here = np.broadcast_to(n, shape)[..., None], here[..., None]
        up, down = set_ & (bit >= here), set_ & (bit <= here)
        nth_up = up & (np.cumsum(up, axis=-1) == n)
        nth_down = down & (np.cumsum(down[..., ::-1], axis=-1)[..., ::-1] == -n)
        found = np.where(n > 0, nth_up, np.where(n < 0, nth_down, set_ & (bit == here)))
        none = np.where(n[..., 0] == -(2**31), 0, -1)
        return np.where(found.any(axis=-1), found.argmax(axis=-1), none).astype(np.int32)[()]

    return pure(instruction, fn, out="s32", ins=["u32", "u32", "s32"])
