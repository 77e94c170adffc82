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


def sizes(i, which):
    m, n, k = shape_of(i)
    return {"a": (m, k), "b": (k, n), "c": (m, n), "d": (m, n)}[which]


@op(
    "wmma",
    modifiers="load store mma a b c d sync aligned row col satfinite rn "
    f"global shared shared_cta {SHAPES}",
    types=TYPES,
)
def wmma(i):
    if i.parts[1] == "mma":
        return product(i)
    return transfer(i, i.parts[1] == "load")


def product(i):
    types = [p for p in i.parts if p in ELEMENT_BYTES]
    if len(types) == 2:  # f16: only the types of d and c are written
        types = [types[0], "f16", "f16", types[1]]
    m, n, k = shape_of(i)
    counts = [len(o.items) for o in i.operands[1:4]]
    layouts = [layout(c, t, *s) for c, t, s in zip(counts, types[1:], ((m, k), (k, n), (m, n)))]
    return operation(i, types, layouts, (m, n, k))


def transfer(i, loading):
    """A load or a store of a fragment, element by element."""
    operands = list(i.operands) if loading else [i.operands[1], i.operands[0], *i.operands[2:]]
    fragment, address = operands[:2]
    which = i.parts[2]
    rows, cols = sizes(i, which)
    stride = operands[2] if len(operands) > 2 else Imm(cols if "row" in i.parts else rows)
    size = ELEMENT_BYTES[i.type]
    row, col = layout(len(fragment.items), i.type, rows, cols)
    i.space = next(
        (p.split("_")[0] for p in i.parts if p.startswith(("global", "shared"))), "generic"
    )
    i.count, i.bytes, i.wide, i.shift, i.strong = (
        1,
        size,
        memory.WIDE[size],
        size.bit_length() - 1,
        False,
    )
    i.dtype, i.offset, i.counted = memory.WIDE[size], address.offset, 0
    kind = register_type(i.type)

    def places(S, G, mask, i, address, stride):
        """Byte addresses (warps, 32, slots)."""
        base = warp_matrix(S, G, mask, i, address)[:, :1, None]
        step = warp_matrix(S, G, mask, i, stride)[:, :1, None]
        inner, outer = (col, row) if "row" in i.parts else (row, col)
        return base + (outer * step + inner) * size

    def load(S, G, mask, i, address, stride):
        where = places(S, G, mask, i, address, stride)
        read = {
            "global": memory.global_load,
            "shared": memory.shared_load,
            "generic": memory.generic_load,
        }[i.space]
        slots = [
            warp_matrix(S, G, mask, i, read(S, G, mask, i, lane_values(G, mask, where[..., s])))
            for s in range(where.shape[-1])
        ]
        count(S, G, mask, i, where, "ld")
        words = np.ascontiguousarray(np.stack(slots, axis=-1)).view(memory.WIDE[max(4, size)])
        values = tuple(
            lane_values(G, mask, words[..., k]).view(DTYPES[kind]) for k in range(words.shape[-1])
        )
        return values if len(values) > 1 else values[0]

    def store(S, G, mask, i, address, stride, *values):
        where = places(S, G, mask, i, address, stride)
        words = np.stack([warp_matrix(S, G, mask, i, v) for v in values], axis=-1)
        slots = np.ascontiguousarray(words).view(memory.WIDE[size])
        write = {
            "global": memory.global_store,
            "shared": memory.shared_store,
            "generic": memory.generic_store,
        }[i.space]
        for s in range(where.shape[-1]):
            write(
                S,
                G,
                mask,
                i,
                lane_values(G, mask, where[..., s]),
                lane_values(G, mask, slots[..., s]),
            )
        count(S, G, mask, i, where, "st")

    registers = [(o, kind) for o in fragment.items]
    head = [(address, "s64"), (stride, "s64")]
    return effect(load, registers, head) if loading else effect(store, [], head + registers)


def count(S, G, mask, i, where, kind):
    """One request a register: the first of the elements packed in it."""
    if not S.tally:
        return
    shared = i.space == "shared" or memory.window(where.reshape(-1)[0] + i.offset) == 1
    per = max(1, 4 // i.bytes)
    bytes, i.counted = i.bytes, max(4, i.bytes)
    for s in range(0, where.shape[-1], per):
        address = lane_values(G, mask, where[..., s])
        (S.tally.shared if shared else S.tally.globals)(S, G, mask, i, address, kind)
    i.bytes, i.counted = bytes, 0
