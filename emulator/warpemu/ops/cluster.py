"""mapa and getctarank: addresses in other blocks of a cluster; see ../clusters.py."""

import numpy as np

from ..clusters import RANK
from ..memory import SHARED_WINDOW
from . import effect, op, pure, refuse

OFFSET = np.int64((1 << RANK) - 1)


def generic(instruction):
    """Are the addresses of all memory, not of shared memory?"""
    if instruction.parts[1] not in ("shared_cluster", "u32", "u64"):
        raise refuse(instruction, "this form")
    return "shared_cluster" not in instruction.parts


@op("mapa", modifiers="shared_cluster", types="u32 u64")
def mapa(instruction):
    """An address in shared memory (int64), a rank (uint32) -> the address of the same offset in the
    block of that rank (int64); any lane shapes.
    """
    target, source, rank = instruction.operands
    start = np.int64(SHARED_WINDOW if generic(instruction) else 0)

    def fn(state, group, mask, instruction, address, rank):
        ranks = group.compress(rank, mask)
        bad = np.flatnonzero(ranks >= state.cluster_size)
        if len(bad):
            why = (
                f"it asks for the shared memory of the block of rank {ranks[bad[0]]}, and its "
                f"cluster has {state.cluster_size}"
            )
            state.fault("rank out of range", group, mask, bad, instruction, None, None, why)
        offset = (address - start) & OFFSET
        return start + (rank.astype(np.int64) << RANK) + offset

    return effect(fn, [(target, "s64")], [(source, "s64"), (rank, "u32")])


@op("getctarank", modifiers="shared_cluster", types="u32 u64")
def getctarank(instruction):
    """An address in shared memory (int64) -> the rank (int32) of the block that it is in."""
    start = np.int64(SHARED_WINDOW if generic(instruction) else 0)

    def fn(address):
        return ((address - start) >> RANK).astype(np.int32)

    return pure(instruction, fn, out="s32", ins=["s64"])
