"""atom and red on global, shared and generic addresses.

Lanes that meet at one address act one after the other, in the order of their numbers. On a GPU the
order is not defined: a sum of floats may differ there in its last bits.
"""

import numpy as np

from .. import memory
from ..ptx import SINK
from . import DTYPES, effect, half, op, refuse
from .load_store import HINTS, SPACES, describe

OPERATIONS = "add min max and or xor exch cas inc dec"
UFUNCS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
TYPES = "b16 b32 b64 u32 u64 s32 s64 f32 f64 f16 f16x2 bf16 bf16x2"


@op("atom", modifiers=f"{SPACES} {HINTS} acq_rel noftz {OPERATIONS}", types=TYPES)
def atom(instruction):
    return atomic(
        instruction, instruction.operands[0], instruction.operands[1], instruction.operands[2:]
    )


@op("red", modifiers=f"{SPACES} {HINTS} acq_rel noftz {OPERATIONS} async", types=TYPES)
def red(instruction):
    return atomic(instruction, None, instruction.operands[0], instruction.operands[1:])


def atomic(instruction, target, address, values):
    describe(instruction, address, values[0])
    if instruction.space not in ("global", "shared", "generic") or "async" in instruction.parts:
        raise refuse(instruction, f"an atomic on .{instruction.space}")
    instruction.operation = next(p for p in instruction.parts[1:] if p in OPERATIONS.split())
    instruction.combine = combiner(instruction)
    instruction.wanted = (
        target is not None and target != SINK
    )  # program.py looks whether it is ever read
    kind = {"f16": "b16", "bf16": "b16", "f16x2": "b32", "bf16x2": "b32"}.get(
        instruction.type, instruction.type
    )
    instruction.dtype = DTYPES[kind]
    values = values[: 2 if instruction.operation == "cas" else 1]
    return effect(run, [(target or SINK, kind)], [(address, "s64")] + [(v, kind) for v in values])


def combiner(instruction):
    """(old, value, [new]) -> what is stored."""
    if instruction.type in ("f16x2", "bf16x2", "f16", "bf16"):
        if instruction.operation == "add":
            return lambda a, b: half.lifted_add(a, b, instruction.type)
        if instruction.operation not in ("cas", "exch"):
            raise refuse(instruction, f"{instruction.operation} of {instruction.type}")
    if instruction.operation in UFUNCS:
        return UFUNCS[instruction.operation]
    return {
        "exch": lambda a, b: b,
        "cas": lambda a, b, c: np.where(a == b, c, a),
        "inc": lambda a, b: np.where(a >= b, a.dtype.type(0), a + a.dtype.type(1)),
        "dec": lambda a, b: np.where((a == 0) | (a > b), b, a - a.dtype.type(1)),
    }[instruction.operation]


def run(state, group, mask, instruction, address, *values):
    address = np.broadcast_to(address, group.shape)
    where = np.flatnonzero(mask) if mask is not None else np.arange(address.size)
    result = np.zeros(address.size, instruction.dtype)
    if len(where):
        flat = address.reshape(-1)[where]
        values = [np.broadcast_to(v, group.shape).reshape(-1)[where] for v in values]
        result[where] = apply(state, group, mask, instruction, where, flat, values)
    return result.reshape(group.shape)


def apply(state, group, mask, instruction, where, address, values):
    """The old values; memory updated."""
    kinds = (
        memory.window(address)
        if instruction.space == "generic"
        else np.full(len(address), instruction.space == "shared")
    )
    old = np.empty(len(address), instruction.dtype)
    for kind in np.unique(kinds):
        part = np.flatnonzero(kinds == kind)
        local = (
            memory.local_address(address[part], int(kind))
            if instruction.space == "generic"
            else address[part]
        )
        table, index = (shared if kind else globals_)(state, group, instruction, where[part], local)
        parts = [v[part] for v in values]
        if instruction.operation != "cas":
            state.changes += 1
        if not instruction.wanted and isinstance(instruction.combine, np.ufunc):
            instruction.combine.at(table, index, parts[0])
            continue
        old[part] = update(table, index, parts, instruction)
        if instruction.operation == "cas":  # a try that fails changes nothing
            state.changes += int((old[part] == parts[0]).any())
    return old


def shared(state, group, instruction, where, address):
    marked = np.zeros(group.shape, bool)
    marked.reshape(-1)[where] = True
    offset = memory.shared_offsets(state, group, marked, instruction, address)
    if state.tally:
        state.tally.atomic(group, marked, instruction, index_by_lane(group, where, address))
    if state.checker:
        state.checker.shared_atomic(state, group, marked, instruction, offset)
    table = state.shared.view(instruction.dtype)
    return table.reshape(-1), offset // instruction.bytes + group.ids.reshape(-1)[
        where
    ] // group.lanes.threads * table.shape[1]


def globals_(state, group, instruction, where, address):
    marked = np.zeros(group.shape, bool)
    marked.reshape(-1)[where] = True
    found = memory.offsets(state, group, marked, instruction, address)
    if found is None:
        parts = list(memory.pieces(state, group, marked, instruction, address))
        if len(parts) != 1:
            raise refuse(instruction, "atomics of one instruction in several arrays")
    if state.tally:
        state.tally.atomic(group, marked, instruction, index_by_lane(group, where, address))
    if state.checker:
        state.checker.global_atomic(state, group, marked, instruction, *found)
    return found[0].view(instruction.dtype), found[1] // instruction.bytes


def update(table, index, values, instruction):
    """Apply lane after lane; old values. Lanes that share an address are taken in rounds or in
    chains.
    """
    if not (index[1:] == index[:-1]).any() and len(np.unique(index)) == len(index):
        old = table[index]
        table[index] = instruction.combine(old, *values)
        return old
    order = np.argsort(index, kind="stable")
    sorted_index = index[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_index[1:] != sorted_index[:-1])))
    lengths = np.diff(np.append(starts, len(index)))
    old = np.empty(len(index), table.dtype)
    if (
        instruction.operation in UFUNCS
        and isinstance(instruction.combine, np.ufunc)
        and len(starts) < lengths.max()
    ):
        for start, count in zip(starts, lengths):
            lanes = order[start : start + count]
            place = sorted_index[start]
            chain = instruction.combine.accumulate(
                np.concatenate((table[place : place + 1], values[0][lanes])), dtype=table.dtype
            )
            old[lanes], table[place] = chain[:-1], chain[-1]
        return old
    if instruction.operation in ONE_BY_ONE and lengths.max() > 8:
        return one_by_one(table, index, values, instruction)
    for rank in range(int(lengths.max())):
        lanes = order[starts[lengths > rank] + rank]
        place = index[lanes]
        old[lanes] = table[place]
        table[place] = instruction.combine(old[lanes], *(v[lanes] for v in values))
    return old


ONE_BY_ONE = {
    "exch": lambda a, b: b,
    "cas": lambda a, b, c: c if a == b else a,
    "inc": lambda a, b: 0 if a >= b else a + 1,
    "dec": lambda a, b: b if a == 0 or a > b else a - 1,
}


def one_by_one(table, index, values, instruction):
    """Many lanes at one address, and no ufunc for a chain: plain Python is faster than rounds of
    arrays.
    """
    places, slot = np.unique(index, return_inverse=True)
    now, step = table[places].tolist(), ONE_BY_ONE[instruction.operation]
    old = []
    for k, *value in zip(slot.tolist(), *(v.tolist() for v in values)):
        old.append(now[k])
        now[k] = step(now[k], *value)
    table[places] = now
    return np.array(old, table.dtype)


def index_by_lane(group, where, address):
    """Addresses of the active lanes, put back in the group's shape."""
    full = np.zeros(group.shape, np.int64)
    full.reshape(-1)[where] = address
    return full
