"""mma.sync: small matrix products by the tensor cores, m16n8 and m8n8 shapes.

Each lane holds a fragment of each matrix; ``places`` says which element is where (PTX manual,
'Matrix fragments for mma'). Products and sums are made in f32 (f64 for f64, integers for s8), by
NumPy's matmul, where the hardware adds in an order and with a rounding of its own: f16, bf16 and
tf32 results agree with it to about 1e-3 of the largest product, integers exactly.
"""

import numpy as np

from . import effect, half, op, refuse
from .shfl import by_warp, spread

LANE = np.arange(32)
GROUP, MEMBER = LANE // 4, LANE % 4
ELEMENT_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1, "u8": 1, "f64": 8, "f32": 4, "s32": 4}


# Fragments -------------------------------------------------------------------------------------
def shape_of(instruction):
    word = next(p for p in instruction.parts if p.startswith("m") and "n" in p and p[1].isdigit())
    m, rest = word[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def places(which, rows, cols, type):
    """(row, col) of every element of a lane's fragment: two int arrays (32, elements)."""
    per = (
        4 // ELEMENT_BYTES[type] if which != "c" and ELEMENT_BYTES[type] < 4 else 1
    )  # along k, side by side
    count = rows * cols // 32
    element = np.arange(count)[None, :]
    group, member = GROUP[:, None], MEMBER[:, None]
    if which == "c":  # pairs along a row; then 8 rows on
        return group + 8 * (element // 2), member * 2 + element % 2
    inside, word = element % per, element // per
    if which == "a":  # words: row, row + 8, then further along k
        tall = rows // 8
        return group + 8 * (word % tall), member * per + inside + 4 * per * (word // tall)
    return member * per + inside + 4 * per * word, group + 0 * element


def warp_matrix(state, group, mask, instruction, value):
    """value as (warps, 32); all lanes of a warp have to be here."""
    if mask is None and group.aligned:
        return np.broadcast_to(value, group.shape).reshape(-1, 32)
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    row, lane, table, present = by_warp(group, ids)
    if not present.all():
        absent = np.flatnonzero(~present.all(axis=1))[0]
        state.fault(
            "missing lanes in a warp operation",
            group,
            mask,
            [int(table[absent, 0])],
            instruction,
            None,
            None,
            detail="all 32 lanes of a warp have to take part, and some do not",
        )
    return group.compress(value, mask)[table]


def lane_values(group, mask, matrix):
    """(warps, 32) back to the group's shape."""
    if mask is None and group.aligned:
        return np.ascontiguousarray(matrix).reshape(group.shape)
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    row, lane, table, present = by_warp(group, ids)
    flat = np.zeros(len(ids), matrix.dtype)
    flat[table] = matrix
    return spread(group, mask, flat)


def unpack(registers, type):
    """[(warps, 32)] registers -> (warps, 32, elements) numbers."""
    stack = np.stack(registers, axis=-1)
    if type in ("f16", "bf16"):
        bits = stack.view(np.int16)
        return half.wide(bits, type).astype(np.float32)
    if type in ("s8", "u8"):
        return stack.view(np.int8 if type == "s8" else np.uint8).astype(np.int32)
    if type == "tf32":
        return (stack.view(np.int32) & np.int32(~0x1FFF)).view(np.float32)
    return stack


def pack(values, type):
    """(warps, 32, elements) -> [(warps, 32)] registers of 32 bits (64 for f64)."""
    if type == "f16":
        values = np.ascontiguousarray(values.astype(np.float16)).view(np.int32)
    elif type == "bf16":
        values = np.ascontiguousarray(half.narrow_bf16(values)).view(np.int32)
    return [values[..., k] for k in range(values.shape[-1])]


def assemble(fragments, where, rows, cols):
    """Fragments -> matrices (warps, rows, cols)."""
    matrix = np.zeros((len(fragments), rows, cols), fragments.dtype)
    matrix[:, where[0], where[1]] = fragments
    return matrix


def multiply(a, b, c, saturate):
    """a @ b + c for stacks of matrices, in the type of c."""
    product = np.matmul(a, b)
    if not saturate:
        return (product + c).astype(c.dtype)
    total = product.astype(np.int64) + c
    return np.clip(total, -(2**31), 2**31 - 1).astype(np.int32)


def register_type(type):
    return {"f32": "f32", "f64": "f64", "s32": "s32"}.get(type, "b32")


def operation(instruction, types, layouts, sizes):
    """The effect of a matrix product. layouts: places of a, b, c; types: of d, a, b, c."""
    (m, n, k), (d_type, a_type, b_type, c_type) = sizes, types
    counts = [len(o.items) for o in instruction.operands[1:4]]
    saturate = "satfinite" in instruction.parts

    def fn(state, group, mask, instruction, *values):
        values = [warp_matrix(state, group, mask, instruction, v) for v in values]
        parts, start = [], 0
        for count, type in zip(counts, (a_type, b_type, c_type), strict=True):
            parts.append(unpack(values[start : start + count], type))
            start += count
        a, b, c = (
            assemble(p, w, *s)
            for p, w, s in zip(parts, layouts, ((m, k), (k, n), (m, n)), strict=True)
        )
        d = multiply(a, b, c, saturate)
        result = pack(np.ascontiguousarray(d[:, layouts[2][0], layouts[2][1]]), d_type)
        values = tuple(lane_values(group, mask, r) for r in result)
        return values if len(values) > 1 else values[0]

    ins = [
        (o, register_type(t))
        for operand, t in zip(instruction.operands[1:4], (a_type, b_type, c_type), strict=True)
        for o in operand.items
    ]
    return effect(fn, [(o, register_type(d_type)) for o in instruction.operands[0].items], ins)


SHAPES = "m8n8k4 m8n8k16 m16n8k4 m16n8k8 m16n8k16 m16n8k32"
COVERED = {
    "f16": ("m16n8k8", "m16n8k16"),
    "bf16": ("m16n8k8", "m16n8k16"),
    "tf32": ("m16n8k4", "m16n8k8"),
    "s8": ("m8n8k16", "m16n8k16", "m16n8k32"),
    "u8": ("m8n8k16", "m16n8k16", "m16n8k32"),
    "f64": ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"),
}


@op(
    "mma",
    modifiers=f"sync aligned row col satfinite {SHAPES}",
    types="f16 bf16 tf32 f32 f64 s8 u8 s32",
)
def mma(instruction):
    """Registers of a, b, c (T; 2 f16 or 4 s8 in an int32) -> those of d; any lane shapes -> the
    group's.
    """
    types = [p for p in instruction.parts if p in ELEMENT_BYTES]
    sizes = m, n, k = shape_of(instruction)
    if f"m{m}n{n}k{k}" not in COVERED[types[1]] or instruction.parts[4:6] != ["row", "col"]:
        raise refuse(instruction, "this shape and type")
    if types[1] == "f64" and m == 16:
        layouts = doubles("a", m, k), doubles("b", k, n), places("c", m, n, "f64")
    else:
        layouts = (
            places("a", m, k, types[1]),
            places("b", k, n, types[2]),
            places("c", m, n, types[3]),
        )
    return operation(instruction, types, layouts, sizes)


def doubles(which, rows, cols):
    """Fragments of m16n8 in f64: as those of 32-bit elements."""
    return places(which, rows, cols, "tf32")
