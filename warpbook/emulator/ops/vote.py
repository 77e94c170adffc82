"""vote, match, redux, activemask, elect: what the lanes of a warp find out together."""

import numpy as np

from ..ptx import Pair
from . import effect, op, refuse
from .shfl import by_warp, check_members, spread


def gather(state, group, mask, instruction, members, *values):
    """(row, lane, table, present, values of the active lanes), members checked."""
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    row, lane, table, present = by_warp(group, ids)
    members = group.compress(members, mask)
    check_members(state, group, mask, instruction, ids, row, lane, present, members)
    return row, lane, table, present, members, [group.compress(v, mask) for v in values]


def bits_of(table, present, flags):
    """Per warp, a word with the bits of the lanes whose flag is set."""
    chosen = flags[table] & present
    return (
        (chosen.astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum(axis=1).astype(np.uint32)
    )


@op("vote", modifiers="sync all any uni ballot", types="pred b32")
def vote(instruction):
    if "sync" not in instruction.parts:
        raise refuse(instruction, "a vote without .sync")
    kind = next(p for p in instruction.parts if p in ("all", "any", "uni", "ballot"))

    def fn(state, group, mask, instruction, flag, members):
        row, lane, table, present, members, (flag,) = gather(
            state, group, mask, instruction, members, flag
        )
        yes = bits_of(table, present, flag)[row] & members
        here = bits_of(table, present, np.ones(len(flag), bool))[row] & members
        result = {
            "ballot": yes,
            "any": yes != 0,
            "all": yes == here,
            "uni": (yes == here) | (yes == 0),
        }[kind]
        return spread(group, mask, result)

    out = "u32" if kind == "ballot" else "pred"
    return effect(
        fn,
        [(instruction.operands[0], out)],
        [(instruction.operands[1], "pred"), (instruction.operands[2], "u32")],
    )


@op("activemask", types="b32")
def activemask(instruction):
    def fn(state, group, mask, instruction):
        ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
        row, lane, table, present = by_warp(group, ids)
        return spread(group, mask, bits_of(table, present, np.ones(len(ids), bool))[row])

    return effect(fn, [(instruction.operands[0], "u32")])


@op("match", modifiers="sync any all", types="b32 b64")
def match(instruction):
    every = "all" in instruction.parts
    pair = isinstance(instruction.operands[0], Pair)

    def fn(state, group, mask, instruction, value, members):
        row, lane, table, present, members, (value,) = gather(
            state, group, mask, instruction, members, value
        )
        same = (value[table][:, :, None] == value[table][:, None, :]) & present[:, None, :]
        words = (
            (same.astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum(axis=2).astype(np.uint32)
        )
        result = words[row, lane] & members
        if every:
            agree = result == (bits_of(table, present, np.ones(len(value), bool))[row] & members)
            result = np.where(agree, members, np.uint32(0))
            if pair:
                return spread(group, mask, result), spread(group, mask, agree)
        return spread(group, mask, result)

    return effect(
        fn,
        [(instruction.operands[0], "u32")],
        [(instruction.operands[1], instruction.type), (instruction.operands[2], "u32")],
    )


@op("redux", modifiers="sync add min max and or xor", types="u32 s32 b32")
def redux(instruction):
    ufunc = {
        "add": np.add,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }[next(p for p in instruction.parts[2:])]

    def fn(state, group, mask, instruction, value, members):
        row, lane, table, present, members, (value,) = gather(
            state, group, mask, instruction, members, value
        )
        matrix = value[table]
        if ufunc in (np.add, np.bitwise_xor):
            matrix = np.where(present, matrix, matrix.dtype.type(0))
        return spread(group, mask, ufunc.reduce(matrix, axis=1, dtype=matrix.dtype)[row])

    return effect(
        fn,
        [(instruction.operands[0], instruction.type)],
        [(instruction.operands[1], instruction.type), (instruction.operands[2], "u32")],
    )


@op("elect", modifiers="sync")
def elect(instruction):
    """The lowest lane of the member mask is elected."""

    def fn(state, group, mask, instruction, members):
        row, lane, table, present, members, _ = gather(state, group, mask, instruction, members)
        first = np.bitwise_count((members & (~members + np.uint32(1))) - np.uint32(1)).astype(
            np.int32
        )
        return spread(group, mask, first), spread(group, mask, lane == first)

    return effect(fn, [(instruction.operands[0], "b32")], [(instruction.operands[1], "u32")])
