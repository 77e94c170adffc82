"""wgmma: matrix products of warpgroups (four warps in a row) by Hopper's tensor cores.

d (64 x n) = a (64 x k) @ b (k x n) + d. Each warp has 16 rows of d, and of a where a comes from
registers, in the fragments of mma.sync's m16. b, and a otherwise, lie in shared memory where a
descriptor of 64 bits says (PTX manual, 'Asynchronous warpgroup level matrix instructions'):

    bits 0 to 13    address / 16
    bits 16 to 29   leading dimension byte offset / 16
    bits 32 to 45   stride dimension byte offset / 16
    bits 49 to 51   base offset: only 0 is covered
    bits 62 and 63  swizzle: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32

An operand is made of pieces of 16 bytes that lie along k, or along m or n if it is transposed, as
16-bit types may be. ``pieces`` says where each is; the swizzle exchanges them by bits of their
addresses.

The product is made when the instruction runs, in f32 (integers exactly), as in mma.py. On hardware
it is made some time before the wgmma.wait_group that waits for it: warpgroups.py tells the
sanitizer what must not be touched until then. These reads of shared memory are counted nowhere,
because no counter of the hardware has confirmed a rule for them.
"""

from dataclasses import dataclass

import numpy as np

from .. import warpgroups
from ..access import Access
from ..perturbed import flipped
from ..ptx import Imm, Vector
from . import Op, effect, fp8, half, op, refuse
from .mma import assemble, lane_values, places, register_type, unpack, warp_matrix

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1}
COVERED = {  # type of a: k; types of b, of d
    "f16": (16, "f16", "f16 f32"),
    "bf16": (16, "bf16", "f32"),
    "tf32": (8, "tf32", "f32"),
    "e4m3": (32, "e4m3 e5m2", "f16 f32"),
    "e5m2": (32, "e4m3 e5m2", "f16 f32"),
    "s8": (32, "s8 u8", "s32"),
    "u8": (32, "s8 u8", "s32"),
    "b1": (256, "b1", "s32"),
}
FLOATS = ("f16", "bf16", "tf32", "e4m3", "e5m2")
EIGHTS = range(8, 257, 8)
WHOLE = [n for n in EIGHTS if n <= 32 or n % 16 == 0]  # what n may be with integers
DEPTHS = (8, 16, 32, 256)
SHAPES = " ".join(f"m64n{n}k{k}" for k in DEPTHS for n in EIGHTS)
WORDS = "mma_async fence commit_group wait_group sync aligned satfinite and popc"
ROW = 32  # bytes along k that an instruction multiplies, whatever the type
SPAN = (16, 128, 64, 32)  # bytes in which the swizzle exchanges pieces, by its mode


@op(
    "wgmma",
    modifiers=f"{WORDS} {SHAPES}",
    types="f16 bf16 tf32 f32 e4m3 e5m2 s8 u8 b1 s32",
    shown=f"{WORDS} {' '.join(f'm64nNk{k}' for k in DEPTHS)}",
)
def wgmma(instruction):
    """mma_async: registers of d, of a or its descriptor (int64), the descriptor of b, whether to
    add to d (bool) -> those of d; any lane shapes -> the group's. The others: nothing -> nothing.
    """
    if "mma_async" in instruction.parts:
        return product(instruction)
    if "commit_group" in instruction.parts:
        return effect(warpgroups.commit)
    if instruction.guard is not None:
        raise refuse(instruction, "a predicate, which may part a warpgroup")
    return Op(None, [], [])  # warpgroups.Warpgroups runs it


# What the instruction says ---------------------------------------------------------------------
@dataclass
class Operand:
    """A matrix in shared memory. rows: of a 64, of b n; type: of an element; transposed: do its
    pieces of 16 bytes lie along m or n?
    """

    rows: int
    type: str
    transposed: bool


def product(instruction):
    """The Op of wgmma.mma_async."""
    d, a, b, scale, *rest = instruction.operands
    types = [p for p in instruction.parts if p in BITS or p in ("f32", "s32")]
    word = next(p for p in instruction.parts if p.startswith("m64n"))
    n, k = (int(number) for number in word[4:].split("k"))
    d_type, a_type, b_type = types
    wanted, b_types, d_types = COVERED.get(a_type, (0, "", ""))
    if k != wanted or (a_type not in FLOATS and n not in WHOLE):
        raise refuse(instruction, "this shape and type")
    if b_type not in b_types.split() or d_type not in d_types.split():
        raise refuse(instruction, "these types together")
    if ("popc" in instruction.parts) != (a_type == "b1"):
        raise refuse(instruction, "this operation on its elements")
    if "satfinite" in instruction.parts and a_type not in ("s8", "u8"):
        raise refuse(instruction, "saturation with these types")
    sign, transposed = settings(instruction, a_type, isinstance(a, Vector), rest)
    registers = n // 4 if d_type == "f16" else n // 2
    if len(d.items) != registers or (isinstance(a, Vector) and len(a.items) != 4):
        raise refuse(instruction, f"{len(d.items)} registers of d")
    operands = (
        None if isinstance(a, Vector) else Operand(64, a_type, transposed[0]),
        Operand(n, b_type, transposed[1]),
    )
    instruction.access = Access("shared", np.complex128, 16, verb="multiplies")
    names = warpgroups.Names(d, a)
    fragment = places("a", 16, k, a_type) if isinstance(a, Vector) else None

    def fn(state, group, mask, instruction, *values):
        old, source, (b_descriptor, scale) = values[:registers], values[registers:-2], values[-2:]
        teams = Teams(state, group, mask, instruction)
        scale = teams.agreed(scale, "scale-d")
        if fragment is None:
            a = teams.fetch(operands[0], source[0], own_rows=True)
        else:
            words = [warp_matrix(state, group, mask, instruction, v) for v in source]
            a = assemble(unpack(words, a_type), fragment, 16, k).astype(np.float32)
            a = a.reshape(len(teams.blocks), -1, k)
        b = teams.fetch(operands[1], b_descriptor)
        warpgroups.issue(state, group, mask, instruction, names)
        if state.launch.perturb == "products":
            a, b = (flipped(factors, state.launch.key) for factors in (a, b))
        result = sign * np.matmul(a, b.swapaxes(1, 2)) + np.float32(0)  # no -0, as on a GPU
        parts = teams.fragments(result)
        return tuple(total(parts, old, scale, d_type, "satfinite" in instruction.parts))

    ins = [(o, register_type(d_type)) for o in d.items]
    ins += [(o, "b32") for o in a.items] if isinstance(a, Vector) else [(a, "s64")]
    ins += [(b, "s64"), (scale, "pred")]
    return effect(fn, [(o, register_type(d_type)) for o in d.items], ins)


def settings(instruction, type, in_registers, rest):
    """(the sign of the product, (is a transposed, is b)), of the constants behind scale-d."""
    count = 0
    if type in FLOATS:
        count = 2 if BITS[type] != 16 else 3 if in_registers else 4
    if len(rest) != count or not all(isinstance(o, Imm) for o in rest):
        raise refuse(instruction, f"other than {count} constants behind scale-d")
    numbers = [o.bits for o in rest]
    if not set(numbers[:2]) <= {1, -1} or not set(numbers[2:]) <= {0, 1}:
        raise refuse(instruction, "these constants behind scale-d")
    sign = numbers[0] * numbers[1] if numbers else 1
    turned = [bool(number) for number in numbers[2:]]
    return sign, tuple([False] * (2 - len(turned)) + turned)


def total(parts, old, scale, type, saturating):
    """The registers of d. parts: of the product, a lane's elements; old: the registers as they are;
    scale: where they are added, a bool or one a lane.
    """
    if type == "f16":
        for k, word in enumerate(old):
            before = half.unpack(word, "f16")
            low, high = (added(parts[2 * k + i], before[i], scale) for i in (0, 1))
            yield half.pack(half.narrow(low, "f16"), half.narrow(high, "f16"))
        return
    for part, before in zip(parts, old, strict=True):
        if type == "f32":
            yield added(part, before, scale)
        elif saturating:
            exact = added(part.astype(np.int64), before, scale)
            yield np.clip(exact, -(2**31), 2**31 - 1).astype(np.int32)
        else:
            yield added(part.astype(np.int32), before, scale)


def added(part, before, scale):
    """part + before where scale, else part."""
    if np.ndim(scale) == 0:
        return part + before if scale else part
    return np.where(scale, part + before, part)


# Lanes -----------------------------------------------------------------------------------------
class Teams:
    """The warps of a group that run one wgmma: four of them together where all four are here.

    state, group, mask, instruction: as an effect gets them; size: warps a team has, 4 or 1; of the
    first warp of each team, (teams,): blocks, its block in the chunk; warps, its number in that
    block; first, the position of its first lane among the active ones.
    """

    def __init__(self, state, group, mask, instruction):
        self.state, self.group, self.mask, self.instruction = state, group, mask, instruction
        ids = warp_matrix(state, group, mask, instruction, group.ids)[:, 0]
        block, thread = np.divmod(ids, group.lanes.threads)
        warp = thread // 32
        first = group.warps(np.arange(group.count).reshape(group.shape))[0][:, 0]
        if mask is not None:
            first = np.searchsorted(group.ids[mask], ids)
        fours = np.arange(len(ids)) % 4
        whole = len(ids) % 4 == 0 and (warp % 4 == fours).all()
        whole = whole and (ids - fours * 32 == np.repeat(ids[::4], 4)).all()
        self.size = 4 if whole else 1
        self.blocks, self.warps, self.first = (x[:: self.size] for x in (block, warp, first))
        if group.lanes.threads % 128:
            last = group.lanes.threads // 128 * 4
            if (self.warps >= last).any():
                detail = (
                    f"a wgmma takes warpgroups, four whole warps, and with {group.lanes.threads} "
                    "threads the block's last one is not whole"
                )
                team = int((self.warps >= last).argmax())
                self.fault("missing lanes in a warp operation", team, detail)

    def fault(self, kind, team, detail):
        """Raise the Finding for a team."""
        group, mask, instruction = self.group, self.mask, self.instruction
        lanes = [int(self.first[team])]
        self.state.fault(kind, group, mask, lanes, instruction, None, None, detail=detail)

    def uniform(self, value, what):
        """One value for each team, (teams,), or (1,) if all lanes have the same."""
        if np.ndim(value) == 0:
            return np.reshape(value, 1)
        rows = warp_matrix(self.state, self.group, self.mask, self.instruction, value)
        rows = rows.reshape(len(self.blocks), -1)
        bad = (rows != rows[:, :1]).any(axis=1)
        if bad.any():
            detail = f"its {what} differs between the lanes of a warpgroup, which have to agree"
            self.fault("lanes of a warpgroup disagree", int(bad.argmax()), detail)
        return rows[:, 0]

    def agreed(self, value, what):
        """The value, a scalar or in the group's shape, once it is known to be uniform."""
        self.uniform(value, what)
        return value

    # Operands ----------------------------------------------------------------------------------
    def fetch(self, operand, descriptor, own_rows=False):
        """The matrices (teams, rows, k) of an operand. own_rows: where a team is one warp, only
        the rows of its part of d.
        """
        descriptor = self.uniform(descriptor, "descriptor")
        offsets = self.offsets(operand, descriptor)
        if own_rows and self.size == 1:
            per = 2 if operand.transposed else 16
            chosen = self.warps[:, None] % 4 * per + np.arange(per)
            whole = np.broadcast_to(offsets, (len(self.blocks), *offsets.shape[1:]))
            offsets = np.take_along_axis(whole, chosen[:, None, :], axis=2)
        self.inside(offsets, descriptor)
        warpgroups.operand(self, offsets)
        table = self.state.shared.view(np.complex128)
        where = offsets // 16 + (self.blocks * table.shape[1])[:, None, None]
        found = table.reshape(-1).take(where)
        if operand.transposed:  # (teams, k, pieces along m or n)
            return decode(found, operand.type).swapaxes(1, 2)
        return decode(np.ascontiguousarray(found.swapaxes(1, 2)), operand.type)

    def offsets(self, operand, descriptor):
        """Byte offsets (teams or 1, along k, along m or n) of the operand's pieces."""
        start, leading, stride = (
            ((descriptor >> np.int64(shift)) & 0x3FFF)[:, None, None] * 16 for shift in (0, 16, 32)
        )
        based = (descriptor >> np.int64(49) & 7) != 0
        if based.any():
            detail = (
                "its descriptor has a base offset other than 0, which the emulator does not cover: "
                "start the matrix at a multiple of 1024 bytes"
            )
            self.fault("base offset of a descriptor", int(based.argmax()), detail)
        mode = (descriptor >> np.int64(62)) & 3
        result = None
        for each in np.unique(mode).tolist():
            found = start + pieces(operand, SPAN[each], leading, stride)
            found = swizzled(found, SPAN[each])
            chosen = (mode == each)[:, None, None]
            result = found if result is None else np.where(chosen, found, result)
        return result

    def inside(self, offsets, descriptor):
        """A fault if some piece lies outside of shared memory."""
        over = offsets + 16 > self.state.shared.size
        if over.any():
            team = int(over.any(axis=(1, 2)).argmax())
            detail = (
                f"its descriptor {int(descriptor[team % len(descriptor)]) & (1 << 64) - 1:#018x} "
                f"leads to offset {int(offsets[team].max())} of shared memory, of which the block "
                f"has {self.state.launch.shared_bytes}"
            )
            self.fault("shared out of bounds", team, detail)

    # Results -----------------------------------------------------------------------------------
    def fragments(self, matrix):
        """Matrices (teams, 16 or 64, n) -> for each element that a lane holds, its value by
        lane.
        """
        n = matrix.shape[-1]
        parts = matrix.reshape(len(self.blocks), -1, 2, 8, n // 8, 4, 2)
        # team, warp, upper or lower eight rows, row, eight columns, two of them, which of the two
        parts = np.ascontiguousarray(parts.transpose(4, 2, 6, 0, 1, 3, 5))
        return [lane_values(self.group, self.mask, p) for p in parts.reshape(n // 2, -1, 32)]


# Shared memory ---------------------------------------------------------------------------------
def pieces(operand, span, leading, stride):
    """Where an operand's pieces of 16 bytes are before the swizzle, counted from its start: (.., 2,
    rows) or, if it is transposed, (.., k, rows / 8). span: bytes of the swizzle, 16 without.

    As CUTLASS writes it (mma_traits_sm90_gmma.hpp): eight rows (transposed: eight of k) that follow
    one another by span bytes make an atom.
    """
    per = span // 16  # pieces side by side in an atom
    if not operand.transposed:
        k, row = np.arange(ROW // 16)[:, None], np.arange(operand.rows)
        along = leading if span == 16 else 16
        return k * along + row % 8 * span + row // 8 * stride
    k, piece = np.arange(16)[:, None], np.arange(operand.rows // 8)
    if span == 16:
        return piece * stride + k % 8 * 16 + k // 8 * leading
    return piece % per * 16 + piece // per * leading + k % 8 * span + k // 8 * stride


def swizzled(offsets, span):
    """Offsets whose bits that choose a piece of 16 bytes are exchanged by those above bit 7."""
    return offsets ^ ((offsets >> 3) & (span - 16))


def decode(words, type):
    """Pieces of 16 bytes (.., n) -> numbers (.., n * elements), as f32."""
    raw = np.ascontiguousarray(words)
    if type == "f16":
        return raw.view(np.float16).astype(np.float32)
    if type == "bf16":
        return half.widen_bf16(raw.view(np.int16))
    if type == "tf32":
        return (raw.view(np.int32) & np.int32(~0x1FFF)).view(np.float32)
    if type in fp8.FORMATS:
        return fp8.wide(raw.view(np.uint8), type).astype(np.float32)
    if type == "b1":
        return np.unpackbits(raw.view(np.uint8), axis=-1, bitorder="little").astype(np.float32)
    return raw.view(np.int8 if type == "s8" else np.uint8).astype(np.float32)
