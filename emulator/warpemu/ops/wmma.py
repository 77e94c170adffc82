"""wmma.load, wmma.mma, wmma.store: what nvcuda::wmma compiles to.

A wmma fragment is opaque: which lane holds which element is the implementation's choice. Here lane
l's slot s holds element (32-lane order) l * slots + s of the row-major matrix, repeated where a
fragment has more slots than the matrix has elements. Memory requests are counted as one load or
store of 32 bits (64 for f64) a register, which is near what the hardware does, not equal to it.
"""

from dataclasses import replace

import numpy as np

from .. import memory
from ..access import WIDE, Access
from ..ptx import Imm
from . import DTYPES, effect, op
from .mma import BITS, LANE, lane_values, operation, register_type, shape_of, warp_matrix

SHAPES = "m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4"
TYPES = "f16 bf16 tf32 f32 f64 s8 u8 s32"


def layout(registers, type, rows, cols):
    """(row, col) of every slot: two int arrays (32, slots)."""
    per = max(1, (64 if type == "f64" else 32) // BITS[type])
    slots = registers * per
    element = (LANE[:, None] * slots + np.arange(slots)) % (rows * cols)
    return element // cols, element % cols


def sizes(instruction, which):
    """(rows, columns) of matrix a, b, c or d."""
    m, n, k = shape_of(instruction)
    return {"a": (m, k), "b": (k, n), "c": (m, n), "d": (m, n)}[which]


@op(
    "wmma",
    modifiers="load store mma a b c d sync aligned row col satfinite rn "
    f"global shared shared_cta {SHAPES}",
    types=TYPES,
)
def wmma(instruction):
    """Loads: address (int64), stride (int64) -> registers. Stores: address, stride, registers ->
    nothing. mma: registers of a, b, c -> those of d. Any lane shapes -> the group's.
    """
    if instruction.parts[1] == "mma":
        return product(instruction)
    return transfer(instruction, instruction.parts[1] == "load")


def product(instruction):
    """The Op of wmma.mma."""
    types = [p for p in instruction.parts if p in BITS]
    if len(types) == 2:  # f16: only the types of d and c are written
        types = [types[0], "f16", "f16", types[1]]
    m, n, k = shape_of(instruction)
    counts = [len(o.items) for o in instruction.operands[1:4]]
    layouts = [
        layout(c, t, *s)
        for c, t, s in zip(counts, types[1:], ((m, k), (k, n), (m, n)), strict=True)
    ]
    return operation(instruction, types, layouts, (m, n, k))


LOADS = {"global": memory.global_load, "shared": memory.shared_load, "generic": memory.generic_load}
STORES = {
    "global": memory.global_store,
    "shared": memory.shared_store,
    "generic": memory.generic_store,
}


def transfer(instruction, loading):
    """A load or a store of a fragment, element by element; its Access is of one element."""
    operands = list(instruction.operands)
    if not loading:
        operands[:2] = reversed(operands[:2])
    fragment, address = operands[:2]
    by_row, size = "row" in instruction.parts, BITS[instruction.type] // 8
    rows, cols = sizes(instruction, instruction.parts[2])
    stride = operands[2] if len(operands) > 2 else Imm(cols if by_row else rows)
    row, col = layout(len(fragment.items), instruction.type, rows, cols)
    outer, inner = (row, col) if by_row else (col, row)
    words = (p.split("_")[0] for p in instruction.parts)
    space = next((word for word in words if word in ("global", "shared")), "generic")
    access = Access(
        space, WIDE[size], size, offset=address.offset, verb="reads" if loading else "writes"
    )
    instruction.access = access
    # One request a register is counted: of the first of the elements packed in it.
    request = replace(instruction, access=replace(access, counted=max(4, size)))
    packed = max(1, 4 // size)
    kind = register_type(instruction.type)

    def places(state, group, mask, instruction, address, stride):
        """Byte addresses, one (warps, 32) a slot."""
        base = warp_matrix(state, group, mask, instruction, address)[:, :1, None]
        step = warp_matrix(state, group, mask, instruction, stride)[:, :1, None]
        where = base + (outer * step + inner) * size
        return [lane_values(group, mask, where[..., s]) for s in range(where.shape[-1])]

    def load(state, group, mask, instruction, address, stride):
        where = places(state, group, mask, instruction, address, stride)
        slots = [LOADS[space](state, group, mask, instruction, a) for a in where]
        slots = [warp_matrix(state, group, mask, instruction, slot) for slot in slots]
        count(state, group, mask, request, where[::packed], "ld")
        words = np.ascontiguousarray(np.stack(slots, axis=-1)).view(WIDE[max(4, size)])
        values = tuple(
            lane_values(group, mask, words[..., k]).view(DTYPES[kind])
            for k in range(words.shape[-1])
        )
        return values if len(values) > 1 else values[0]

    def store(state, group, mask, instruction, address, stride, *values):
        where = places(state, group, mask, instruction, address, stride)
        words = np.stack([warp_matrix(state, group, mask, instruction, v) for v in values], axis=-1)
        slots = np.ascontiguousarray(words).view(WIDE[size])
        for s, a in enumerate(where):
            value = lane_values(group, mask, slots[..., s])
            STORES[space](state, group, mask, instruction, a, value)
        count(state, group, mask, request, where[::packed], "st")

    registers = [(o, kind) for o in fragment.items]
    head = [(address, "s64"), (stride, "s64")]
    return effect(load, registers, head) if loading else effect(store, [], head + registers)


def count(state, group, mask, request, where, kind):
    """Count one request for each array of addresses in where."""
    if not state.tally:
        return
    for address in where:
        first = address.reshape(-1)[0] + request.access.offset
        shared = request.access.space == "shared" or memory.window(first) == 1
        tally = state.tally.shared if shared else state.tally.globals
        tally(state, group, mask, request, address, kind)
