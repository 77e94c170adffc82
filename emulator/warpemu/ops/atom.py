"""atom and red on global, shared and generic addresses.

Lanes that meet at one address act one after the other, in the order of their numbers. On a GPU the
order is not defined: a sum of floats may differ there in its last bits. A vector is so many
atomics, one an element.
"""

from dataclasses import dataclass, replace

import numpy as np

from .. import clusters, memory
from ..perturbed import acquired
from ..ptx import SINK, Vector
from . import DTYPES, effect, half, op, refuse
from .load_store import HINTS, SPACES, touches

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
WORDS = f"{SPACES} {HINTS} acq_rel noftz {OPERATIONS} v2 v4 v8"
BITS_OF = {"f16": "b16", "bf16": "b16", "f16x2": "b32", "bf16x2": "b32"}  # how they are kept


@op("atom", modifiers=WORDS, types=TYPES)
def atom(instruction):
    """addresses (int64), values of the type -> the old values; any lane shapes -> the group's."""
    return atomic(instruction, *instruction.operands)


@op("red", modifiers=f"{WORDS} async", types=TYPES)
def red(instruction):
    """addresses (int64), values of the type -> nothing; any lane shapes."""
    return atomic(instruction, None, *instruction.operands)


def atomic(instruction, target, address, *values):
    """The Op of both; values: one operand, or two of cas."""
    operation = next(word for word in instruction.parts[1:] if word in OPERATIONS.split())
    values = values[: 2 if operation == "cas" else 1]
    access, items = touches(instruction, address, values[0], "updates")
    if access.space not in ("global", "shared", "generic") or "async" in instruction.parts:
        raise refuse(instruction, f"an atomic on .{access.space}")
    kind = BITS_OF.get(instruction.type, instruction.type)
    wanted = target is not None and target != SINK
    instruction.access = replace(access, operation=operation, wanted=wanted, dtype=DTYPES[kind])
    outs = target.items if isinstance(target, Vector) else (target or SINK,)
    outs = outs if access.count > 1 and wanted else outs * access.count
    ins = [(address, "s64")] + [(v, kind) for v in (items if access.count > 1 else values)]
    return effect(runner(combiner(instruction, operation)), [(o, kind) for o in outs], ins)


def combiner(instruction, operation):
    """(old, value, [new]) -> what is stored; a ufunc where there is one."""
    if instruction.type in BITS_OF:
        if operation == "add":
            return lambda a, b: half.lifted_add(a, b, instruction.type)
        if operation not in ("cas", "exch"):
            raise refuse(instruction, f"{operation} of {instruction.type}")
    if operation in UFUNCS:
        return UFUNCS[operation]
    return {
        "exch": lambda a, b: b,
        "cas": lambda a, b, c: np.where(a == b, c, a),
        "inc": lambda a, b: np.where(a >= b, a.dtype.type(0), a + a.dtype.type(1)),
        "dec": lambda a, b: np.where((a == 0) | (a > b), b, a - a.dtype.type(1)),
    }[operation]


@dataclass
class Turn:
    """What one atomic of a group of lanes needs at hand. where: positions of the active lanes in
    the group, (n,); combine: as ``combiner`` gives it.
    """

    state: object
    group: object
    instruction: object
    combine: object
    where: np.ndarray

    def marked(self, where):
        """Positions in the group as a bool array in its shape."""
        marks = np.zeros(self.group.shape, bool)
        marks.reshape(-1)[where] = True
        return marks


def runner(combine):
    """The function of an Op."""

    def run(state, group, mask, instruction, address, *values):
        access = instruction.access
        address = np.broadcast_to(address, group.shape)
        where = np.flatnonzero(mask) if mask is not None else np.arange(address.size)
        results = [np.zeros(address.size, access.dtype) for _ in range(access.count)]
        if len(where):
            flat = address.reshape(-1)[where]
            values = [np.broadcast_to(v, group.shape).reshape(-1)[where] for v in values]
            turn = Turn(state, group, instruction, combine, where)
            if access.count == 1:
                results[0][where] = apply(turn, flat, [values])[0]
            else:
                for result, old in zip(
                    results, apply(turn, flat, [[v] for v in values]), strict=True
                ):
                    result[where] = old
        results = [acquired(state, instruction, r.reshape(group.shape)) for r in results]
        return results[0] if access.count == 1 else tuple(results)

    return run


def apply(turn, address, elements):
    """Update memory; the old values of each element, (n,). elements: for each element of a lane's
    vector, its values.
    """
    access, count = turn.instruction.access, len(address)
    generic = access.space == "generic"
    kinds = memory.window(address) if generic else np.full(count, access.space == "shared")
    olds = [np.empty(count, access.dtype) for _ in elements]
    for kind in np.unique(kinds):
        part = np.flatnonzero(kinds == kind)
        where = memory.local_address(address[part], int(kind)) if generic else address[part]
        for places, table, index in (in_shared if kind else in_global)(
            turn, turn.where[part], where
        ):
            lanes = part[places]
            for k, (old, values) in enumerate(zip(olds, elements, strict=True)):
                old[lanes] = act(turn, table, index + k, [v[lanes] for v in values])
    return olds


def act(turn, table, index, values):
    """Combine the values into table[index], lane after lane; the old values if they are wanted."""
    access, state = turn.instruction.access, turn.state
    before = table[index].copy() if state.on_store else None
    if not access.wanted and isinstance(turn.combine, np.ufunc):
        turn.combine.at(table, index, values[0])
        old = access.dtype(0)
    else:
        old = update(table, index, values, turn)
    if before is not None:
        state.on_store(table, index, before)
    return old


def in_shared(turn, where, address):
    """[(all, the table of shared memory, index of each lane's first element)], checked and
    counted.
    """
    state, group, instruction = turn.state, turn.group, turn.instruction
    access, marked = instruction.access, turn.marked(where)
    table = state.shared.view(access.dtype)
    if state.reach is not None:
        places = address + np.int64(access.offset)
        row, offset, ids = state.reach.checked_places(
            state, group, marked, instruction, places, access.bytes
        )
        if (row != ids // group.lanes.threads).any():
            if state.tally:
                here, mine = clusters.own_lanes(state, group, row, offset, ids, access)
                if mine.any():
                    state.tally.atomic(group, mine, instruction, here, "shared")
            if state.checker:
                state.checker.distant_write(instruction, row, offset, ids)
            index = offset // access.element + row * table.shape[1]
            flat, own = table.reshape(-1), row == ids // group.lanes.threads
            if state.launch.perturb == "distant":
                return [(own, flat, index[own]), (~own, np.zeros_like(flat), index[~own])]
            return [(slice(None), flat, index)]
        address = offset - np.int64(access.offset)
    offset = memory.shared_offsets(state, group, marked, instruction, address)
    if state.tally:
        state.tally.atomic(
            group, marked, instruction, index_by_lane(group, where, address), "shared"
        )
    if state.checker:
        state.checker.shared_atomic(group, marked, instruction, offset)
    block = group.ids.reshape(-1)[where] // group.lanes.threads
    return [(slice(None), table.reshape(-1), offset // access.element + block * table.shape[1])]


def in_global(turn, where, address):
    """[(positions among the lanes, an array as a table, index)], checked and counted."""
    state, group, instruction = turn.state, turn.group, turn.instruction
    access, marked = instruction.access, turn.marked(where)
    found = memory.offsets(state, instruction, address)
    if found is None:
        parts = memory.pieces(state, group, marked, instruction, address)
    else:
        parts = [(found[0], slice(None), found[1])]
    if state.tally:
        state.tally.atomic(
            group, marked, instruction, index_by_lane(group, where, address), "global"
        )
    result = []
    for array, places, offset in parts:
        if state.checker:
            active = turn.marked(where[places])
            state.checker.global_atomic(group, active, instruction, array, offset)
        result.append((places, array.view(access.dtype), offset // access.element))
    return result


def update(table, index, values, turn):
    """Apply lane after lane; old values. Lanes that share an address are taken in rounds or in
    chains.
    """
    combine, operation = turn.combine, turn.instruction.access.operation
    if not (index[1:] == index[:-1]).any() and len(np.unique(index)) == len(index):
        old = table[index]
        table[index] = combine(old, *values)
        return old
    order = np.argsort(index, kind="stable")
    sorted_index = index[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_index[1:] != sorted_index[:-1])))
    lengths = np.diff(np.append(starts, len(index)))
    old = np.empty(len(index), table.dtype)
    if isinstance(combine, np.ufunc) and len(starts) < lengths.max():
        for start, count in zip(starts, lengths, strict=True):
            lanes = order[start : start + count]
            place = sorted_index[start]
            chain = combine.accumulate(
                np.concatenate((table[place : place + 1], values[0][lanes])), dtype=table.dtype
            )
            old[lanes], table[place] = chain[:-1], chain[-1]
        return old
    if operation in ONE_BY_ONE and lengths.max() > 8:
        return one_by_one(table, index, values, ONE_BY_ONE[operation])
    for rank in range(int(lengths.max())):
        lanes = order[starts[lengths > rank] + rank]
        place = index[lanes]
        old[lanes] = table[place]
        table[place] = combine(old[lanes], *(v[lanes] for v in values))
    return old


ONE_BY_ONE = {
    "exch": lambda a, b: b,
    "cas": lambda a, b, c: c if a == b else a,
    "inc": lambda a, b: 0 if a >= b else a + 1,
    "dec": lambda a, b: b if a == 0 or a > b else a - 1,
}


def one_by_one(table, index, values, step):
    """Many lanes at one address, and no ufunc for a chain: plain Python is faster than rounds of
    arrays.
    """
    places, slot = np.unique(index, return_inverse=True)
    now = table[places].tolist()
    old = []
    for k, *value in zip(slot.tolist(), *(v.tolist() for v in values), strict=True):
        old.append(now[k])
        now[k] = step(now[k], *value)
    table[places] = now
    return np.array(old, table.dtype)


def index_by_lane(group, where, address):
    """Addresses of the active lanes, put back in the group's shape."""
    full = np.zeros(group.shape, np.int64)
    full.reshape(-1)[where] = address
    return full
