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
def atom(i):
    return atomic(i, i.operands[0], i.operands[1], i.operands[2:])


@op("red", modifiers=f"{SPACES} {HINTS} acq_rel noftz {OPERATIONS} async", types=TYPES)
def red(i):
    return atomic(i, None, i.operands[0], i.operands[1:])


def atomic(i, target, address, values):
    describe(i, address, values[0])
    if i.space not in ("global", "shared", "generic") or "async" in i.parts:
        raise refuse(i, f"an atomic on .{i.space}")
    i.operation = next(p for p in i.parts[1:] if p in OPERATIONS.split())
    i.combine = combiner(i)
    i.wanted = target is not None and target != SINK  # program.py looks whether it is ever read
    kind = {"f16": "b16", "bf16": "b16", "f16x2": "b32", "bf16x2": "b32"}.get(i.type, i.type)
    i.dtype = DTYPES[kind]
    values = values[: 2 if i.operation == "cas" else 1]
    return effect(run, [(target or SINK, kind)], [(address, "s64")] + [(v, kind) for v in values])


def combiner(i):
    """(old, value, [new]) -> what is stored."""
    if i.type in ("f16x2", "bf16x2", "f16", "bf16"):
        if i.operation == "add":
            return lambda a, b: half.lifted_add(a, b, i.type)
        if i.operation not in ("cas", "exch"):
            raise refuse(i, f"{i.operation} of {i.type}")
    if i.operation in UFUNCS:
        return UFUNCS[i.operation]
    return {
        "exch": lambda a, b: b,
        "cas": lambda a, b, c: np.where(a == b, c, a),
        "inc": lambda a, b: np.where(a >= b, a.dtype.type(0), a + a.dtype.type(1)),
        "dec": lambda a, b: np.where((a == 0) | (a > b), b, a - a.dtype.type(1)),
    }[i.operation]


def run(S, G, mask, i, address, *values):
    address = np.broadcast_to(address, G.shape)
    where = np.flatnonzero(mask) if mask is not None else np.arange(address.size)
    result = np.zeros(address.size, i.dtype)
    if len(where):
        flat = address.reshape(-1)[where]
        values = [np.broadcast_to(v, G.shape).reshape(-1)[where] for v in values]
        result[where] = apply(S, G, mask, i, where, flat, values)
    return result.reshape(G.shape)


def apply(S, G, mask, i, where, address, values):
    """The old values; memory updated."""
    kinds = (
        memory.window(address)
        if i.space == "generic"
        else np.full(len(address), i.space == "shared")
    )
    old = np.empty(len(address), i.dtype)
    for kind in np.unique(kinds):
        part = np.flatnonzero(kinds == kind)
        local = (
            memory.local_address(address[part], int(kind))
            if i.space == "generic"
            else address[part]
        )
        table, index = (shared if kind else globals_)(S, G, i, where[part], local)
        parts = [v[part] for v in values]
        if i.operation != "cas":
            S.changes += 1
        if not i.wanted and isinstance(i.combine, np.ufunc):
            i.combine.at(table, index, parts[0])
            continue
        old[part] = update(table, index, parts, i)
        if i.operation == "cas":  # a try that fails changes nothing
            S.changes += int((old[part] == parts[0]).any())
    return old


def shared(S, G, i, where, address):
    marked = np.zeros(G.shape, bool)
    marked.reshape(-1)[where] = True
    offset = memory.shared_offsets(S, G, marked, i, address)
    if S.tally:
        S.tally.atomic(G, marked, i, index_by_lane(G, where, address))
    if S.checker:
        S.checker.shared_atomic(S, G, marked, i, offset)
    table = S.shared.view(i.dtype)
    return table.reshape(-1), offset // i.bytes + G.ids.reshape(-1)[
        where
    ] // G.lanes.threads * table.shape[1]


def globals_(S, G, i, where, address):
    marked = np.zeros(G.shape, bool)
    marked.reshape(-1)[where] = True
    found = memory.offsets(S, G, marked, i, address)
    if found is None:
        parts = list(memory.pieces(S, G, marked, i, address))
        if len(parts) != 1:
            raise refuse(i, "atomics of one instruction in several arrays")
    if S.tally:
        S.tally.atomic(G, marked, i, index_by_lane(G, where, address))
    if S.checker:
        S.checker.global_atomic(S, G, marked, i, *found)
    return found[0].view(i.dtype), found[1] // i.bytes


def update(table, index, values, i):
    """Apply lane after lane; old values. Lanes that share an address are taken in rounds or in
    chains.
    """
    if not (index[1:] == index[:-1]).any() and len(np.unique(index)) == len(index):
        old = table[index]
        table[index] = i.combine(old, *values)
        return old
    order = np.argsort(index, kind="stable")
    sorted_index = index[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_index[1:] != sorted_index[:-1])))
    lengths = np.diff(np.append(starts, len(index)))
    old = np.empty(len(index), table.dtype)
    if i.operation in UFUNCS and isinstance(i.combine, np.ufunc) and len(starts) < lengths.max():
        for start, count in zip(starts, lengths):
            lanes = order[start : start + count]
            place = sorted_index[start]
            chain = i.combine.accumulate(
                np.concatenate((table[place : place + 1], values[0][lanes])), dtype=table.dtype
            )
            old[lanes], table[place] = chain[:-1], chain[-1]
        return old
    if i.operation in ONE_BY_ONE and lengths.max() > 8:
        return one_by_one(table, index, values, i)
    for rank in range(int(lengths.max())):
        lanes = order[starts[lengths > rank] + rank]
        place = index[lanes]
        old[lanes] = table[place]
        table[place] = i.combine(old[lanes], *(v[lanes] for v in values))
    return old


ONE_BY_ONE = {
    "exch": lambda a, b: b,
    "cas": lambda a, b, c: c if a == b else a,
    "inc": lambda a, b: 0 if a >= b else a + 1,
    "dec": lambda a, b: b if a == 0 or a > b else a - 1,
}


def one_by_one(table, index, values, i):
    """Many lanes at one address, and no ufunc for a chain: plain Python is faster than rounds of
    arrays.
    """
    places, slot = np.unique(index, return_inverse=True)
    now, step = table[places].tolist(), ONE_BY_ONE[i.operation]
    old = []
    for k, *value in zip(slot.tolist(), *(v.tolist() for v in values)):
        old.append(now[k])
        now[k] = step(now[k], *value)
    table[places] = now
    return np.array(old, table.dtype)


def index_by_lane(G, where, address):
    """Addresses of the active lanes, put back in the group's shape."""
    full = np.zeros(G.shape, np.int64)
    full.reshape(-1)[where] = address
    return full
