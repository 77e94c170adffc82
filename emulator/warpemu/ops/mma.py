"""mma.sync: small matrix products by the tensor cores, m16n8 and m8n8 shapes; mma.sp in sparse.py.

Each lane holds a fragment of each matrix; ``places`` says which element is where (PTX manual,
'Matrix fragments for mma'). Products and sums are made in f32 (f64 for f64, integers for s8, s4
and b1), by NumPy's matmul, where the hardware adds in an order and with a rounding of its own: f16,
bf16, tf32 and 8-bit float results agree with it to about 1e-3 of the largest product, integers
exactly.
"""

import numpy as np

from ..perturbed import flipped
from . import effect, fp8, half, op, refuse, sparse
from .shfl import by_warp, spread

LANE = np.arange(32)
GROUP, MEMBER = LANE // 4, LANE % 4
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "f32": 32, "s32": 32}
BITS |= {"e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}


# Fragments -------------------------------------------------------------------------------------
def shape_of(instruction):
    word = next(p for p in instruction.parts if p.startswith("m") and "n" in p and p[1].isdigit())
    m, rest = word[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def places(which, rows, cols, type):
    """(row, col) of every element of a lane's fragment: two int arrays (32, elements)."""
    per = max(1, 32 // BITS[type]) if which != "c" else 1  # along k, side by side
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
        if value.shape != group.shape:
            value = np.broadcast_to(value, group.shape)
        return value.reshape(-1, 32)
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
    if type in fp8.FORMATS:
        return fp8.wide(stack.view(np.uint8), type).astype(np.float32)
    if type in ("s4", "u4"):
        both = stack.view(np.uint8)[..., None] >> np.array([0, 4], np.uint8) & np.uint8(15)
        values = both.reshape(*both.shape[:-2], -1).astype(np.int32)
        return (values ^ 8) - 8 if type == "s4" else values
    if type == "b1":
        return np.unpackbits(stack.view(np.uint8), axis=-1, bitorder="little").astype(np.int32)
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


def multiply(a, b, c, words):
    """a @ b + c for stacks of matrices, in the type of c; words of the opcode: what else to do."""
    product = np.matmul(a, b)
    if "xor" in words:  # of bits: how many differ
        product = np.matmul(a, 1 - b) + np.matmul(1 - a, b)
    if "satfinite" not in words:
        return (product + c).astype(c.dtype)
    total = product.astype(np.int64) + c
    return np.clip(total, -(2**31), 2**31 - 1).astype(np.int32)


def register_type(type):
    return {"f32": "f32", "f64": "f64", "s32": "s32"}.get(type, "b32")


def operation(instruction, types, layouts, sizes):
    """The effect of a matrix product. layouts: places of a, b, c; types: of d, a, b, c."""
    (m, n, k), (d_type, a_type, b_type, c_type) = sizes, types
    counts = [len(o.items) for o in instruction.operands[1:4]]
    plan = sparse.plan(instruction, a_type, k) if is_sparse(instruction) else None
    shapes = ((m, k // 2 if plan else k), (k, n), (m, n))

    def fn(state, group, mask, instruction, *values):
        values = [warp_matrix(state, group, mask, instruction, v) for v in values]
        parts, start = [], 0
        for count, type in zip(counts, (a_type, b_type, c_type), strict=True):
            parts.append(unpack(values[start : start + count], type))
            start += count
        a, b, c = (assemble(p, w, *s) for p, w, s in zip(parts, layouts, shapes, strict=True))
        if plan:
            columns, bad = plan.columns(values[-1])
            if bad is not None:
                refuse_metadata(state, group, mask, instruction, bad, plan)
            a = sparse.expand(a, columns, k)
        if state.launch.perturb == "products":
            a, b = (flipped(factors, state.launch.key) for factors in (a, b))
        d = multiply(a, b, c, instruction.parts)
        result = pack(np.ascontiguousarray(d[:, layouts[2][0], layouts[2][1]]), d_type)
        values = tuple(lane_values(group, mask, r) for r in result)
        return values if len(values) > 1 else values[0]

    ins = [
        (o, register_type(t))
        for operand, t in zip(instruction.operands[1:4], (a_type, b_type, c_type), strict=True)
        for o in operand.items
    ]
    if plan:
        ins.append((instruction.operands[4], "b32"))
    return effect(fn, [(o, register_type(d_type)) for o in instruction.operands[0].items], ins)


def is_sparse(instruction):
    return instruction.parts[1].startswith("sp")


def refuse_metadata(state, group, mask, instruction, bad, plan):
    """The Finding for metadata that has no meaning. bad: (warp, lane, bits) of the first."""
    warp, lane, bits = bad
    position = warp * 32 + lane
    if mask is not None or not group.aligned:
        ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
        position = int(by_warp(group, ids)[2][warp, lane])
    detail = (
        f"its metadata says {bits:#06b} where the result is defined only for "
        f"{', '.join(f'{value:#06b}' for value in plan.allowed)}"
    )
    kind = "undefined sparsity metadata"
    state.fault(kind, group, mask, [position], instruction, None, None, detail=detail)


SHAPES = (
    "m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256"
)
COVERED = {  # type of a: shapes, types of b, of c and d
    "f16": ("m16n8k8 m16n8k16", "f16", "f16 f32"),
    "bf16": ("m16n8k8 m16n8k16", "bf16", "f32"),
    "tf32": ("m16n8k4 m16n8k8", "tf32", "f32"),
    "e4m3": ("m16n8k16 m16n8k32", "e4m3 e5m2", "f16 f32"),
    "e5m2": ("m16n8k16 m16n8k32", "e4m3 e5m2", "f16 f32"),
    "s8": ("m8n8k16 m16n8k16 m16n8k32", "s8 u8", "s32"),
    "u8": ("m8n8k16 m16n8k16 m16n8k32", "s8 u8", "s32"),
    "s4": ("m8n8k32 m16n8k32 m16n8k64", "s4 u4", "s32"),
    "u4": ("m8n8k32 m16n8k32 m16n8k64", "s4 u4", "s32"),
    "b1": ("m8n8k128 m16n8k128 m16n8k256", "b1", "s32"),
    "f64": ("m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", "f64"),
}


@op(
    "mma",
    modifiers=f"sync sp sp_ordered_metadata aligned row col satfinite xor and popc {SHAPES}",
    types="f16 bf16 tf32 f32 f64 e4m3 e5m2 s8 u8 s4 u4 b1 s32",
)
def mma(instruction):
    """Registers of a, b, c (T; 2 f16, 4 s8, 8 s4 or 32 b1 in an int32; then, for a sparse a, its
    metadata) -> those of d; any lane shapes -> the group's.
    """
    parts = instruction.parts
    types = [p for p in parts if p in BITS]
    sizes = m, n, k = shape_of(instruction)
    shape = f"m{m}n{n}k{k}"
    shapes, b_types, c_types = COVERED.get(types[1], ("", "", ""))
    if is_sparse(instruction):
        shapes = sparse.shapes(types[1])
        c_types = c_types if types[1] not in fp8.FORMATS else "f32"
    after = parts.index(shape) + 1
    if shape not in shapes.split() or parts[after : after + 2] != ["row", "col"]:
        raise refuse(instruction, "this shape and type")
    if types[2] not in b_types.split() or not {types[0], types[3]} <= set(c_types.split()):
        raise refuse(instruction, "these types together")
    on_bits = [word for word in parts if word in ("xor", "and", "popc")]
    if on_bits not in ([["xor", "popc"], ["and", "popc"]] if types[1] == "b1" else [[]]):
        raise refuse(instruction, "this operation on its elements")
    if "satfinite" in parts and (types[3] != "s32" or types[1] == "b1"):
        raise refuse(instruction, "saturation with these types")
    if types[1] == "f64" and m == 16:
        layouts = doubles("a", m, k), doubles("b", k, n), places("c", m, n, "f64")
    else:
        layouts = (
            places("a", m, k // 2 if is_sparse(instruction) else k, types[1]),
            places("b", k, n, types[2]),
            places("c", m, n, types[3]),
        )
    return operation(instruction, types, layouts, sizes)


def doubles(which, rows, cols):
    """Fragments of m16n8 in f64: as those of 32-bit elements."""
    return places(which, rows, cols, "tf32")
