"""vote, match, redux, activemask, elect: what the lanes of a warp find out together."""

import numpy as np

from ..lanes import flags, words
from ..ptx import Pair
from . import effect, op, refuse
from .shfl import by_warp, check_members, spread


def gather(state, group, mask, instruction, members, *values):
    """(row, lane, table, present, members, values), members and values of the active lanes, (n,);
    members checked.
    """
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    row, lane, table, present = by_warp(group, ids)
    members = group.compress(members, mask)
    check_members(state, group, mask, instruction, ids, row, lane, present, members)
    return row, lane, table, present, members, [group.compress(v, mask) for v in values]


@op("vote", modifiers="sync all any uni ballot", types="pred b32")
def vote(instruction):
    """flag (bool), members (uint32) -> uint32 (ballot) or bool; any lane shapes -> the group's."""
    if "sync" not in instruction.parts:
        raise refuse(instruction, "a vote without .sync")
    kind = next(p for p in instruction.parts if p in ("all", "any", "uni", "ballot"))

    def fn(state, group, mask, instruction, flag, members):
        row, lane, table, present, members, (flag,) = gather(
            state, group, mask, instruction, members, flag
        )
        yes = words(flag[table] & present)[row] & members
        here = words(present)[row] & members
        result = {
            "ballot": yes,
            "any": yes != 0,
            "all": yes == here,
            "uni": (yes == here) | (yes == 0),
        }[kind]
        return spread(group, mask, result)

    out = "u32" if kind == "ballot" else "pred"
    target, flag, members = instruction.operands[:3]
    return effect(fn, [(target, out)], [(flag, "pred"), (members, "u32")])


@op("activemask", types="b32")
def activemask(instruction):
    """Nothing -> uint32 in the group's shape."""

    def fn(state, group, mask, instruction):
        ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
        row, _, _, present = by_warp(group, ids)
        return spread(group, mask, words(present)[row])

    return effect(fn, [(instruction.operands[0], "u32")])


@op("match", modifiers="sync any all", types="b32 b64")
def match(instruction):
    """value (int32 or int64), members (uint32) -> uint32 [, bool of .all]; any lane shapes -> the
    group's.
    """
    every = "all" in instruction.parts
    pair = isinstance(instruction.operands[0], Pair)

    def fn(state, group, mask, instruction, value, members):
        row, lane, table, present, members, (value,) = gather(
            state, group, mask, instruction, members, value
        )
        same = (value[table][:, :, None] == value[table][:, None, :]) & present[:, None, :]
        result = words(same)[row, lane] & members
        if every:
            agree = result == (words(present)[row] & members)
            result = np.where(agree, members, np.uint32(0))
            if pair:
                return spread(group, mask, result), spread(group, mask, agree)
        return spread(group, mask, result)

    target, value, members = instruction.operands[:3]
    return effect(fn, [(target, "u32")], [(value, instruction.type), (members, "u32")])


@op("redux", modifiers="sync add min max and or xor", types="u32 s32 b32")
def redux(instruction):
    """value (int32 or uint32), members (uint32) -> the type; any lane shapes -> the group's."""
    ufunc = {
        "add": np.add,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }[instruction.parts[2]]

    def fn(state, group, mask, instruction, value, members):
        row, _, table, present, members, (value,) = gather(
            state, group, mask, instruction, members, value
        )
        matrix = value[table]
        named = members[table]
        if (named == named[:, :1]).all():  # a warp has one member mask
            result = reduce(ufunc, matrix, present & flags(named[:, 0]))[row]
        else:
            result = reduce(ufunc, matrix[row], present[row] & flags(members))
        return spread(group, mask, result)

    target, value, members = instruction.operands[:3]
    return effect(fn, [(target, instruction.type)], [(value, instruction.type), (members, "u32")])


def reduce(ufunc, matrix, chosen):
    """ufunc over the chosen lanes of each row of (N, 32); each row has one at least."""
    if ufunc in (np.add, np.bitwise_xor):
        matrix = np.where(chosen, matrix, matrix.dtype.type(0))
    else:  # repeating a chosen lane changes no minimum, maximum, and, or
        first = np.take_along_axis(matrix, chosen.argmax(axis=1)[:, None], axis=1)
        matrix = np.where(chosen, matrix, first)
    return ufunc.reduce(matrix, axis=1, dtype=matrix.dtype)


@op("elect", modifiers="sync")
def elect(instruction):
    """members (uint32) -> int32, the lowest lane of the mask, and bool, is it this lane?; any lane
    shape -> the group's.
    """

    def fn(state, group, mask, instruction, members):
        _, lane, _, _, members, _ = gather(state, group, mask, instruction, members)
        first = flags(members).argmax(axis=1).astype(np.int32)
        return spread(group, mask, first), spread(group, mask, lane == first)

    return effect(fn, [(instruction.operands[0], "b32")], [(instruction.operands[1], "u32")])
