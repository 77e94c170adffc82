"""mma.sp: matrix a with two zeros in every four elements of a row (tf32: one in two) left out.

The registers of a hold what is left, as the dense fragment of a matrix half as wide does. The
metadata says where in its four each element belongs: two bits an element, lowest first (tf32: four
bits, as if each element were two of 16 bits; 4-bit integers stay or go by twos, as if two were one
element of 8 bits). Which lane has the metadata of which part of a row, in its group of four lanes,
with the selector s (PTX manual, 'Sparse matrix storage' and 'Matrix fragments for sparse mma'; its
figures as read by CUTLASS's mma_traits_sm80_sparse.hpp, which calls the one of m16n8k128 wrong):

    half a register holds a stretch of a row (f16, bf16: 16 columns; tf32: 8), the lower half that
    of row g, the upper that of row g + 8; lane s of group g if a row is one stretch; lanes 2s and
    2s + 1 if it is two
    a register holds a stretch (8 bits: 32 columns; 4 bits: 64): lanes 2s and 2s + 1 rows g and
    g + 8; with two stretches, lanes 2 and 3 the second
"""

from dataclasses import dataclass

import numpy as np

from ..ptx import Imm
from . import refuse

SHAPES = {  # type of a: {shape: how many selectors}
    "f16": {"m16n8k16": 4, "m16n8k32": 2},
    "bf16": {"m16n8k16": 4, "m16n8k32": 2},
    "tf32": {"m16n8k8": 4, "m16n8k16": 2},
    "s8": {"m16n8k32": 2, "m16n8k64": 1},
    "u8": {"m16n8k32": 2, "m16n8k64": 1},
    "e4m3": {"m16n8k64": 1},
    "e5m2": {"m16n8k64": 1},
    "s4": {"m16n8k64": 2, "m16n8k128": 1},
    "u4": {"m16n8k64": 2, "m16n8k128": 1},
}
ORDERED = (0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110)  # two different places, in order
SWAPPED = (0b0001, 0b0010, 0b0011, 0b0110, 0b0111, 0b1011)
PAIRS = (0b0100, 0b1110)  # tf32: the first or the second of two


@dataclass
class Plan:
    """Where the metadata of each row's groups of four bits lies, and how to read it. lane, shift:
    (rows, groups); tf32: is it one element of two?; run: elements that two bits tell of; allowed:
    groups of bits that have a meaning.
    """

    lane: np.ndarray
    shift: np.ndarray
    tf32: bool
    run: int
    allowed: tuple

    def columns(self, metadata):
        """Metadata (warps, 32) -> (columns of the elements of a (warps, rows, elements), bad):
        bad is (warp, lane, bits) of the first group that is not allowed, or None.
        """
        words = np.ascontiguousarray(metadata).view(np.uint32)[:, self.lane]
        bits = (words >> self.shift.astype(np.uint32)) & np.uint32(15)
        wrong = ~np.isin(bits, self.allowed)
        if wrong.any():
            warp, row, group = np.argwhere(wrong)[0]
            return None, (int(warp), int(self.lane[row, group]), int(bits[warp, row, group]))
        first = np.arange(bits.shape[-1])
        if self.tf32:
            return 2 * first + (bits == PAIRS[1]), None
        inside = np.stack([bits & np.uint32(3), bits >> np.uint32(2)], axis=-1).astype(np.int64)
        places = (4 * first[:, None] + inside)[..., None] * self.run + np.arange(self.run)
        return places.reshape(*bits.shape[:-1], -1), None


def shapes(type):
    """The shapes covered with matrix a of a type, as words."""
    return " ".join(SHAPES.get(type, ()))


def plan(instruction, type, k):
    """The Plan of an instruction on a matrix a of k columns."""
    selectors = SHAPES[type][f"m16n8k{k}"]
    selector = instruction.operands[5] if len(instruction.operands) == 6 else None
    if not isinstance(selector, Imm) or not 0 <= selector.bits < selectors:
        raise refuse(instruction, f"a selector that is not a constant from 0 to {selectors - 1}")
    s, row = selector.bits, np.arange(16)[:, None]
    run = 2 if type in ("s4", "u4") else 1
    groups = np.arange(k // (2 if type == "tf32" else 4 * run))[None, :]
    if type in ("s8", "u8", "e4m3", "e5m2", "s4", "u4"):
        stretch = groups // 8
        member, shift = 2 * s + row // 8 + 2 * stretch, 4 * (groups % 8) + 0 * row
    else:
        stretch = groups // 4
        member = (s if selectors == 4 else 2 * s) + stretch + 0 * row
        shift = 4 * (groups % 4) + 16 * (row // 8)
    ordered = instruction.parts[1] == "sp_ordered_metadata"
    allowed = PAIRS if type == "tf32" else ORDERED if ordered else tuple(sorted(ORDERED + SWAPPED))
    return Plan(row % 8 * 4 + member, shift, type == "tf32", run, allowed)


def expand(a, columns, k):
    """Elements (warps, rows, elements) into their columns of a matrix (warps, rows, k)."""
    full = np.zeros((*a.shape[:-1], k), a.dtype)
    np.put_along_axis(full, columns, a, axis=-1)
    return full
