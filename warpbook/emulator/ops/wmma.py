"""wmma.load, wmma.mma, wmma.store: what nvcuda::wmma compiles to.

A wmma fragment is opaque: which lane holds which element is the implementation's choice. Here lane
l's slot s holds element (32-lane order) l * slots + s of the row-major matrix, repeated where a
fragment has more slots than the matrix has elements. Memory requests are counted as one load or
store of 32 bits (64 for f64) a register, which is near what the hardware does, not equal to it.
"""

import numpy as np

from .. import memory
from ..ptx import Imm
from . import DTYPES, effect, op
from .mma import (
    ELEMENT_BYTES,
    LANE,
    lane_values,
    operation,
    register_type,
    shape_of,
    warp_matrix,
)

SHAPES = "m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4"
TYPES = "f16 bf16 tf32 f32 f64 s8 u8 s32"


def layout(registers, type, rows, cols):
    """(row, col) of every slot: two int arrays (32, slots)."""
    per = max(1, (8 if type == "f64" else 4) // ELEMENT_BYTES[type])
    slots = registers * per
    element = (LANE[:, None] * slots + np.arange(slots)) % (rows * cols)
    return element // cols, element % cols


def sizes(instruction, which):
    m, n, k = shape_of(instruction)
    return {"a": (m, k), "b": (k, n), "c": (m, n), "d": (m, n)}[which]


@op(
    "wmma",
    modifiers="load store mma a b c d sync aligned row col satfinite rn "
    f"global shared shared_cta {SHAPES}",
    types=TYPES,
)
def wmma(instruction):
    if instruction.parts[1] == "mma":
        return product(instruction)
    return transfer(instruction, instruction.parts[1] == "load")


def product(instruction):
    types = [p for p in instruction.parts if p in ELEMENT_BYTES]
    if len(types) == 2:  # f16: only the types of d and c are written
        types = [types[0], "f16", "f16", types[1]]
    m, n, k = shape_of(instruction)
    counts = [len(o.items) for o in instruction.operands[1:4]]
    layouts = [layout(c, t, *s) for c, t, s in zip(counts, types[1:], ((m, k), (k, n), (m, n)))]
    return operation(instruction, types, layouts, (m, n, k))


def transfer(instruction, loading):
    """A load or a store of a fragment, element by element."""
    operands = (
        list(instruction.operands)
        if loading
        else [instruction.operands[1], instruction.operands[0], *instruction.operands[2:]]
    )
    fragment, address = operands[:2]
    which = instruction.parts[2]
    rows, cols = sizes(instruction, which)
    stride = operands[2] if len(operands) > 2 else Imm(cols if "row" in instruction.parts else rows)
    size = ELEMENT_BYTES[instruction.type]
    row, col = layout(len(fragment.items), instruction.type, rows, cols)
    instruction.space = next(
        (p.split("_")[0] for p in instruction.parts if p.startswith(("global", "shared"))),
        "generic",
    )
    (
        instruction.count,
        instruction.bytes,
        instruction.wide,
        instruction.shift,
        instruction.strong,
    ) = (
        1,
        size,
        memory.WIDE[size],
        size.bit_length() - 1,
        False,
    )
    instruction.dtype, instruction.offset, instruction.counted = (
        memory.WIDE[size],
        address.offset,
        0,
    )
    kind = register_type(instruction.type)

    def places(state, group, mask, instruction, address, stride):
        """Byte addresses (warps, 32, slots)."""
        base = warp_matrix(state, group, mask, instruction, address)[:, :1, None]
        step = warp_matrix(state, group, mask, instruction, stride)[:, :1, None]
        inner, outer = (col, row) if "row" in instruction.parts else (row, col)
        return base + (outer * step + inner) * size

    def load(state, group, mask, instruction, address, stride):
        where = places(state, group, mask, instruction, address, stride)
        read = {
            "global": memory.global_load,
            "shared": memory.shared_load,
            "generic": memory.generic_load,
        }[instruction.space]
        slots = [
            warp_matrix(
                state,
                group,
                mask,
                instruction,
                read(state, group, mask, instruction, lane_values(group, mask, where[..., s])),
            )
            for s in range(where.shape[-1])
        ]
        count(state, group, mask, instruction, where, "ld")
        words = np.ascontiguousarray(np.stack(slots, axis=-1)).view(memory.WIDE[max(4, size)])
        values = tuple(
            lane_values(group, mask, words[..., k]).view(DTYPES[kind])
            for k in range(words.shape[-1])
        )
        return values if len(values) > 1 else values[0]

    def store(state, group, mask, instruction, address, stride, *values):
        where = places(state, group, mask, instruction, address, stride)
        words = np.stack([warp_matrix(state, group, mask, instruction, v) for v in values], axis=-1)
        slots = np.ascontiguousarray(words).view(memory.WIDE[size])
        write = {
            "global": memory.global_store,
            "shared": memory.shared_store,
            "generic": memory.generic_store,
        }[instruction.space]
        for s in range(where.shape[-1]):
            write(
                state,
                group,
                mask,
                instruction,
                lane_values(group, mask, where[..., s]),
                lane_values(group, mask, slots[..., s]),
            )
        count(state, group, mask, instruction, where, "st")

    registers = [(o, kind) for o in fragment.items]
    head = [(address, "s64"), (stride, "s64")]
    return effect(load, registers, head) if loading else effect(store, [], head + registers)


def count(state, group, mask, instruction, where, kind):
    """One request a register: the first of the elements packed in it."""
    if not state.tally:
        return
    shared = (
        instruction.space == "shared"
        or memory.window(where.reshape(-1)[0] + instruction.offset) == 1
    )
    per = max(1, 4 // instruction.bytes)
    bytes, instruction.counted = instruction.bytes, max(4, instruction.bytes)
    for s in range(0, where.shape[-1], per):
        address = lane_values(group, mask, where[..., s])
        (state.tally.shared if shared else state.tally.globals)(
            state, group, mask, instruction, address, kind
        )
    instruction.bytes, instruction.counted = bytes, 0
