"""shfl.sync: up, down, bfly, idx; and what warp operations share: lanes by warp, member masks."""

import numpy as np

from .. import lanes
from ..ptx import Pair
from . import effect, op, refuse

MODES = ("up", "down", "bfly", "idx")
LANES = np.arange(32, dtype=np.int32)[None, :]
ALL = 0xFFFFFFFF  # the member mask of all 32 lanes
ABSENT = "shuffle from an absent lane"  # kind of a finding


@op("shfl", modifiers="sync up down bfly idx", types="b32")
def shfl(instruction):
    """value (int32), lane and clamp (int32), members (uint32) -> int32 [, bool: from inside the
    segment]; any lane shapes -> the group's, or value's where each warp agrees.
    """
    if "sync" not in instruction.parts:
        raise refuse(instruction, "a shuffle without .sync")
    mode = next(word for word in instruction.parts if word in MODES)
    pair = isinstance(instruction.operands[0], Pair)
    value, lane, clamp, members = instruction.operands[1:5]

    def run(state, group, mask, instruction, value, b, c, members):
        one_pattern = b.ndim == c.ndim == members.ndim == 0 and int(members) == ALL
        if mask is None and group.aligned and one_pattern:
            result, inside = whole_warps(mode, value, b, c)
            inside = np.tile(inside, group.shape[1] // 32) if pair else None
        else:
            result, inside = any_lanes(mode, state, group, mask, instruction, value, b, c, members)
        return (result, inside) if pair else result

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


def whole_warps(mode, value, b, c):
    """(result, inside (1, 32)) where all lanes of each warp are here, with one pattern for all."""
    j, inside = source(mode, LANES, b, c)
    j = np.where(inside, j, LANES)[0]
    if value.ndim == 0 or value.shape[1] == 1:
        result = value.copy() if value.ndim else value
    else:
        result = value.reshape(-1, 32).take(j, axis=1).reshape(value.shape)
    return result, inside


def any_lanes(mode, state, group, mask, instruction, value, b, c, members):
    """(result, inside) for any lanes, each with its own pattern and member mask."""
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    value, b, c, members = (group.compress(x, mask) for x in (value, b, c, members))
    row, lane, table, present = by_warp(group, ids)
    j, inside = source(mode, lane, b, c)
    j = np.where(inside, j, lane)
    check_members(state, group, mask, instruction, ids, row, lane, present, members)
    result, absent = value[table[row, j]], inside & ~present[row, j]
    if absent.any():
        result[absent] = state.launch.undefined
        if state.checker:
            first = int(j[absent.argmax()])
            detail = (
                f"it reads lane {first} of its warp, which does not take part, so what it gets is "
                "undefined, and results depend on it"
            )
            state.keep(group, mask, spread(group, mask, absent), instruction, ABSENT, detail)
    return spread(group, mask, result), spread(group, mask, inside)


def by_warp(group, ids):
    """(row, lane) of each active lane; (position, present) by row and lane."""
    table, present = lanes.by_warp(ids, group.lanes)
    row = np.empty(len(ids), np.int64)
    row[table[present]] = np.nonzero(present)[0]
    return row, (ids % group.lanes.threads % 32).astype(np.int32), table, present


def check_members(state, group, mask, instruction, ids, row, lane, present, members):
    """Every lane that the member mask names has to be here, and every lane here has to be named."""
    here = lanes.words(present)
    absent = members & ~here[row] & state.running(ids)
    missing = np.flatnonzero(absent)
    if len(missing):
        first = missing[0]
        detail = (
            f"its member mask {int(members[first]):#010x} names lane "
            f"{lanes.lowest_bit(int(absent[first]))}, which is elsewhere in the kernel: "
            "the lanes diverged before"
        )
        kind = "missing lanes in a warp operation"
        state.fault(kind, group, mask, missing, instruction, None, None, detail=detail)
    unnamed = lanes.not_named(members, lane)
    if len(unnamed):
        word = f"{int(members[unnamed[0]]):#010x}"
        detail = f"it takes part, but its member mask {word} does not name it"
        kind = "lane not in its own member mask"
        state.fault(kind, group, mask, unnamed, instruction, None, None, detail=detail)


def spread(group, mask, result):
    """Values of the active lanes -> the group's shape."""
    if mask is None:
        return result.reshape(group.shape)
    full = np.zeros(group.shape, result.dtype)
    full[mask] = result
    return full
