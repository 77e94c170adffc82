"""tensormap.replace and tensormap.cp_fenceproxy: tensor maps that a kernel makes or changes.

They start from 128 bytes that are zero, as Triton's do, or from a map that the host has made; what
they write is a draft, see device_tensor_maps.py.
"""

from dataclasses import replace

import numpy as np

from .. import device_tensor_maps, memory, tensor_map
from ..access import Access
from ..ptx import Address, Imm
from . import effect, op, refuse

FIELDS = {  # word of the opcode: (field, is there one for each dimension?)
    "global_address": ("address", False),
    "rank": ("rank", False),
    "box_dim": ("box", True),
    "global_dim": ("size", True),
    "global_stride": ("stride", True),
    "element_stride": ("step", True),
    "elemtype": ("kind", False),
    "interleave_layout": ("interleave", False),
    "swizzle_mode": ("swizzle", False),
    "fill_mode": ("fill", False),
}
PIECE = 16  # bytes that are moved at once
LOADS = {"shared": memory.shared_load, "global": memory.global_load}
STORES = {"shared": memory.shared_store, "global": memory.global_store}
LOADS["generic"], STORES["generic"] = memory.generic_load, memory.generic_store


@op(
    "tensormap",
    modifiers=f"replace tile {' '.join(FIELDS)} cp_fenceproxy tensormap_generic release cta "
    "cluster gpu sys sync aligned global shared_cta b1024",
    types="b32 b64",
)
def tensormap(instruction):
    """replace: an address (int64) and a number (int32 or int64) -> nothing. cp_fenceproxy: two
    addresses -> nothing. Any lane shapes.
    """
    return (copy if "cp_fenceproxy" in instruction.parts else change)(instruction)


def moved(instruction, operand, space, verb):
    """The instruction, as a load or store of a piece of a map."""
    offset = operand.offset if isinstance(operand, Address) else 0
    access = Access(space, np.complex128, PIECE, offset=offset, verb=verb)
    return replace(instruction, access=access)


def load(state, group, mask, instruction, address):
    """The 128 bytes at each lane's address, uint8 (lanes, 128), of the active lanes."""
    read = LOADS[instruction.access.space]
    steps = range(0, tensor_map.SIZE, PIECE)
    parts = [read(state, group, mask, instruction, address + np.int64(k)) for k in steps]
    parts = np.stack([group.compress(part, mask) for part in parts], axis=-1)
    return np.ascontiguousarray(parts).view(np.uint8)


def store(state, group, mask, instruction, address, raw):
    """The opposite."""
    words = np.ascontiguousarray(raw).view(np.complex128)
    for k in range(words.shape[-1]):
        value = np.zeros(group.shape, np.complex128)
        value[... if mask is None else mask] = (
            words[:, k].reshape(group.shape) if mask is None else words[:, k]
        )
        where = address + np.int64(PIECE * k)
        STORES[instruction.access.space](state, group, mask, instruction, where, value)


def change(instruction):
    """tensormap.replace.tile.field [map]{, dimension}, value."""
    words = instruction.parts
    name = next((word for word in words if word in FIELDS), None)
    target, *rest = instruction.operands
    if "tile" not in words or name is None or len(rest) != 1 + FIELDS[name][1]:
        raise refuse(instruction, "this form")
    field, many = FIELDS[name]
    dimension = rest[0] if many else Imm(0)
    if not isinstance(dimension, Imm):
        raise refuse(instruction, "a dimension that is not a constant")
    space = next((w.split("_")[0] for w in words if w in ("global", "shared_cta")), "generic")
    read, written = (moved(instruction, target, space, verb) for verb in ("reads", "writes"))
    instruction.access = written.access

    def fn(state, group, mask, instruction, address, value):
        if mask is not None and not mask.any():
            return
        raw = load(state, group, mask, read, address)
        values = group.compress(value, mask)
        for lane, number in enumerate(values.tolist()):
            draft = device_tensor_maps.read_draft(state, raw[lane].tobytes())
            if draft is None:
                detail = "there is no tensor map: 128 bytes that are zero, or that hold one"
                state.fault("no tensor map", group, mask, [lane], instruction, None, None, detail)
            number &= (1 << 8 * draft[field].dtype.base.itemsize) - 1
            if many:
                draft[field][dimension.bits] = number
            else:
                draft[field] = number
            raw[lane] = np.frombuffer(draft.tobytes(), np.uint8)
        store(state, group, mask, written, address, raw)

    kind = "s64" if "b64" in words else "u32"
    return effect(fn, [], [(target, "s64"), (rest[-1], kind)])


def copy(instruction):
    """tensormap.cp_fenceproxy [to global memory], [from shared memory], 128."""
    words, (target, source, size) = instruction.parts, instruction.operands
    if words[2:5] != ["global", "shared_cta", "tensormap_generic"] or size != Imm(tensor_map.SIZE):
        raise refuse(instruction, "this form")
    read = moved(instruction, source, "shared", "reads")
    written = moved(instruction, target, "global", "writes")
    instruction.access = written.access

    def fn(state, group, mask, instruction, target, source):
        if mask is None or mask.any():
            raw = load(state, group, mask, read, source)
            store(state, group, mask, written, target, raw)

    return effect(fn, [], [(target, "s64"), (source, "s64")])
