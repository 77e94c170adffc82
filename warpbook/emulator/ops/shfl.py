"""shfl.sync: up, down, bfly, idx."""

import numpy as np

from ..ptx import Pair
from . import effect, op, refuse

MODES = ("up", "down", "bfly", "idx")


@op("shfl", modifiers="sync up down bfly idx", types="b32")
def shfl(instruction):
    if "sync" not in instruction.parts:
        raise refuse(instruction, "a shuffle without .sync")
    instruction.mode = next(p for p in instruction.parts if p in MODES)
    instruction.pair = isinstance(instruction.operands[0], Pair)
    value, lane, clamp, members = instruction.operands[1:5]
    return effect(
        run,
        [(instruction.operands[0], "b32")],
        [(value, "b32"), (lane, "s32"), (clamp, "s32"), (members, "u32")],
    )


def source(mode, lane, b, c):
    """(source lane, is it inside the segment), by the rules of the PTX manual."""
    segment, clamp = (c >> 8) & 31, c & 31
    b = b & 31
    top = (lane & segment) | (clamp & ~segment)
    low = lane & segment
    if mode == "up":
        j = lane - b
        return j, j >= top
    if mode == "down":
        j = lane + b
    elif mode == "bfly":
        j = lane ^ b
    else:
        j = low | (b & ~segment)
    return j, j <= top


LANES = np.arange(32, dtype=np.int32)[None, :]


def run(state, group, mask, instruction, value, b, c, members):
    if (
        mask is None
        and group.aligned
        and b.ndim == c.ndim == members.ndim == 0
        and int(members) == 0xFFFFFFFF
    ):
        return whole_warps(group, instruction, value, b, c)
    return any_lanes(state, group, mask, instruction, value, b, c, members)


def answer(instruction, result, inside):
    """Instructions with a second result get the predicate as well; with one register, the value
    alone.
    """
    return (result, inside) if instruction.pair else result


def whole_warps(group, instruction, value, b, c):
    """All 32 lanes of each warp, one pattern for all."""
    j, inside = source(instruction.mode, LANES, b, c)
    j = np.where(inside, j, LANES)[0]
    if value.ndim == 0 or value.shape[1] == 1:
        result = value.copy() if value.ndim else value
    else:
        result = value.reshape(-1, 32)[:, j].reshape(value.shape)
    return answer(instruction, result, np.tile(inside, group.shape[1] // 32))


def any_lanes(state, group, mask, instruction, value, b, c, members):
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    value, b, c, members = (group.compress(x, mask) for x in (value, b, c, members))
    row, lane, table, present = by_warp(group, ids)
    j, inside = source(instruction.mode, lane, b, c)
    j = np.where(inside, j, lane)
    check_members(state, group, mask, instruction, ids, row, lane, present, members)
    bad = inside & ~present[row, j]
    if bad.any():
        k = np.flatnonzero(bad)
        state.fault(
            "shuffle from an absent lane",
            group,
            mask,
            k,
            instruction,
            None,
            None,
            detail=f"it reads lane {int(j[k[0]])} of its warp, which does not take part",
        )
    result = value[table[row, j]]
    return answer(instruction, spread(group, mask, result), spread(group, mask, inside))


def by_warp(group, ids):
    """(row, lane) of each active lane; (position, present) by row and lane."""
    from ..lanes import by_warp as find

    table, present = find(ids, group.lanes)
    row = np.empty(len(ids), np.int64)
    row[table[present]] = np.nonzero(present)[0]
    return row, (ids % group.lanes.threads % 32).astype(np.int32), table, present


def check_members(state, group, mask, instruction, ids, row, lane, present, members):
    """Every lane that the member mask names has to be here, and every lane here has to be named."""
    here = (present.astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum(axis=1)
    absent = members & ~here[row].astype(np.uint32) & state.running(ids)
    missing = absent != 0
    unnamed = (members >> lane.astype(np.uint32) & np.uint32(1)) == 0
    if missing.any():
        k = np.flatnonzero(missing)
        first = (int(absent[k[0]]) & -int(absent[k[0]])).bit_length() - 1
        state.fault(
            "missing lanes in a warp operation",
            group,
            mask,
            k,
            instruction,
            None,
            None,
            detail=f"its member mask {int(members[k[0]]):#010x} names lane {first}, which is "
            "elsewhere in the kernel: the lanes diverged before",
        )
    if unnamed.any():
        k = np.flatnonzero(unnamed)
        state.fault(
            "lane not in its own member mask",
            group,
            mask,
            k,
            instruction,
            None,
            None,
            detail=f"it takes part, but its member mask {int(members[k[0]]):#010x} does not "
            "name it",
        )


def spread(group, mask, result):
    """Values of the active lanes -> the group's shape."""
    if mask is None:
        return result.reshape(group.shape)
    full = np.zeros(group.shape, result.dtype)
    full[mask] = result
    return full
