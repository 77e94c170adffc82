"""cp.async.bulk: copies of many bytes by one thread; registered in cp_async.py.

Into shared memory they complete bytes of an mbarrier, out of it they belong to a bulk group. When
they land: ../bulk.py.
"""

from dataclasses import replace

import numpy as np

from .. import clusters
from ..access import Access
from ..bulk import CHUNK, Flight, Store
from . import Op, effect, refuse

DONE = "mbarrier_complete_tx_bytes"
HINT = "L2_cache_hint"
WORDS = f"bulk tensor tile bulk_group {DONE} multicast_cluster prefetch L2 read shared_cluster"
INTO = {"shared_cluster", "shared_cta"}
NOBODY = np.int32(0)  # the mask of a copy that is no multicast


def bulk(instruction):
    """Addresses (int64), a size, an mbarrier's address -> nothing; any lane shapes."""
    words = instruction.parts[3:]
    if words == ["commit_group"]:
        return effect(commit)
    if words[0] == "wait_group" and words[1:] in ([], ["read"]):
        left = instruction.operands[0].bits
        return effect(lambda state, group, mask, instruction: wait(state, group, mask, left))
    if words[0] == "prefetch" and set(words[1:]) <= {"L2", "global", HINT}:
        return Op(lambda: None, [], [])
    way, how = words[:2], set(words[2:])
    if way[0] in INTO and way[1:] == ["global"] and DONE in how:
        if how <= {DONE, HINT, "multicast_cluster"}:
            return load(instruction, "multicast_cluster" in how)
    elif way == ["shared_cluster", "shared_cta"] and how == {DONE}:
        return between(instruction)
    elif way == ["global", "shared_cta"] and "bulk_group" in how and how <= {"bulk_group", HINT}:
        return store(instruction)
    raise refuse(instruction, "this copy")


def shared_side(instruction, verb):
    """The Access that messages about shared memory tell of: words of 4 bytes."""
    return Access("shared", np.int32, 4, verb=verb, counted=0)


def global_side(instruction, size, verb):
    """The instruction, as an access of global memory by ``size`` bytes."""
    kind = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64, 16: np.complex128}[size]
    return replace(instruction, access=Access("global", kind, size, verb=verb, counted=0))


class Lane:
    """One active lane that starts a copy; its faults. position: among the active lanes."""

    def __init__(self, state, group, mask, instruction, position, number):
        self.state, self.group, self.mask = state, group, mask
        self.instruction, self.position = instruction, position
        self.by = divmod(int(number), state.lanes.threads)

    def fault(self, kind, address, detail, array=None):
        self.state.fault(
            kind, self.group, self.mask, [self.position], self.instruction, address, array, detail
        )

    def aligned(self, what, number, step, kind):
        """Refuse what is not a multiple of step."""
        if number % step:
            why = f"its {what} is {number:#x}, which is not a multiple of {step} bytes"
            self.fault(kind, number, why)

    def in_shared(self, address, size, step=CHUNK, what="address in shared memory", near=False):
        """(block of the chunk, byte offset there) of ``size`` bytes of shared memory. near: has it
        to be the thread's own block?
        """
        rank, offset = clusters.rank_and_offset(address)
        count, instruction = self.state.cluster_size, self.instruction
        near = near or clusters.own_only(instruction)
        if not 0 <= rank < count or (near and rank != self.by[0] % count):
            why = clusters.elsewhere(self.state, instruction, address, rank, self.by[0])
            self.fault("shared out of bounds", address, why)
        self.aligned(what, offset, step, "shared misaligned")
        if offset + size > self.state.shared.size or offset < 0:
            why = (
                f"its {what} is {offset}, with {size} bytes behind it, and the block has "
                f"{self.state.shared.size} bytes of shared memory"
            )
            self.fault("shared out of bounds", offset, why)
        return self.by[0] // count * count + rank, offset

    def in_global(self, address, size):
        """(Array, byte offset there) of ``size`` bytes of global memory."""
        array = self.state.memory.at(address)
        start = address - array.base if array is not None else 0
        if array is None or start + size > array.bytes:
            meant = array if array is not None else self.state.memory.nearest(address)
            why = f"it copies {size} bytes from or to address {address:#x}, where no array is"
            if meant is not None:
                name, index, elements, dtype = meant.describe(address)
                why = (
                    f"it copies {size} bytes from or to {name}[{index}], but {name} has {elements} "
                    f"elements of {dtype}"
                )
            self.fault("global out of bounds", address, why, meant)
        self.aligned("address in global memory", start, CHUNK, "global misaligned")
        return array, start

    def mbarrier(self, address, copying=True):
        """The Mbarrier that the copy completes bytes of. copying: by the copy engine?"""
        row, offset = self.in_shared(address, 8, 8, "mbarrier's address")
        return self.barrier_at(row, offset, copying)

    def barrier_at(self, row, offset, copying=True):
        state, barrier = self.state, self.state.mbarriers.get(row, offset)
        if barrier is None:
            name = state.mbarriers.name(offset)
            why = f"it names the mbarrier {name}, which no thread has initialised"
            if row != self.by[0]:
                why += " in that block of the cluster"
            self.fault("mbarrier not initialised", offset, why)
        if state.checker:
            block, thread = (np.array([n]) for n in self.by)
            flags = {"sent": True, "copying": copying}
            state.checker.uses_mbarrier(self.instruction, barrier, block, thread, **flags)
        return barrier

    def everywhere(self, row, offset, barrier, ranks):
        """[(block of the chunk, Mbarrier)]: those offsets in each block of a multicast's mask."""
        count = self.state.cluster_size
        base = row // count * count
        if ranks >> count or not ranks:
            self.fault(
                "multicast mask",
                offset,
                f"its mask {ranks:#x} names blocks that the cluster of {count} does not have"
                if ranks
                else "its mask names no block",
            )
        rows = [base + k for k in range(count) if ranks >> k & 1]
        return [(r, self.barrier_at(r, barrier.offset)) for r in rows]


def active(state, group, mask, instruction, *values):
    """(Lane, its values as ints) for each active lane."""
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    columns = [group.compress(np.asarray(v), mask).tolist() for v in values]
    for k, number in enumerate(ids.tolist()):
        lane = Lane(state, group, mask, instruction, k, number)
        yield lane, *(column[k] for column in columns)


def pieces(offset, size):
    """Byte offsets of the pieces of 16 bytes of a stretch."""
    return np.arange(offset, offset + size, CHUNK)


def policy_last(instruction, operands):
    """The operands without the cache policy, which changes no result."""
    return operands[:-1] if HINT in instruction.parts else operands


# Copies ------------------------------------------------------------------------------------------
def load(instruction, multicast):
    """[dst], [src], size, [mbarrier] {, mask}: global to shared memory."""
    dst, src, size, barrier, *rest = policy_last(instruction, instruction.operands)
    instruction.access = shared_side(instruction, "copies to")
    reads = global_side(instruction, CHUNK, "copies from")
    offsets = [np.int64(o.offset) for o in (dst, src, barrier)]

    def fn(state, group, mask, instruction, dst, src, size, barrier, ranks=NOBODY):
        places = [a + o for a, o in zip((dst, src, barrier), offsets, strict=True)]
        for lane, to, at, bar, count, who in active(
            state, group, mask, instruction, *places, size, ranks
        ):
            lane.aligned("size", count, CHUNK, "copy size")
            row, offset = lane.in_shared(to, count)
            array, start = lane.in_global(at, count)
            target = lane.mbarrier(bar)
            same_block(lane, row, target)
            data = array.data[start : start + count].reshape(-1, CHUNK).copy()
            note_read(lane, reads, array, pieces(start, count))
            where = [(row, target)]
            if multicast:
                where = lane.everywhere(row, offset, target, who & 0xFFFF)
            for block, one in where:
                state.flights.start(
                    Flight(instruction, block, lane.by, pieces(offset, count), data, one)
                )

    ins = [(dst, "s64"), (src, "s64"), (size, "u32"), (barrier, "s64")]
    return effect(fn, [], ins + [(o, "s32") for o in rest])


def same_block(lane, row, barrier):
    """Data and mbarrier of a copy lie in the same block."""
    if row != barrier.row:
        why = "its data and its mbarrier are in different blocks of the cluster"
        lane.fault("shared out of bounds", barrier.offset, why)


def between(instruction):
    """[dst], [src], size, [mbarrier]: shared memory to that of another block of the cluster."""
    dst, src, size, barrier = instruction.operands
    instruction.access = shared_side(instruction, "copies to")
    reads = replace(instruction, access=shared_side(instruction, "copies from"))
    offsets = [np.int64(o.offset) for o in (dst, src, barrier)]

    def fn(state, group, mask, instruction, dst, src, size, barrier):
        places = [a + o for a, o in zip((dst, src, barrier), offsets, strict=True)]
        for lane, to, at, bar, count in active(state, group, mask, instruction, *places, size):
            lane.aligned("size", count, CHUNK, "copy size")
            row, offset = lane.in_shared(to, count)
            block, start = lane.in_shared(at, count, near=True)
            target = lane.mbarrier(bar)
            same_block(lane, row, target)
            if state.checker:
                chunks = pieces(start, count)
                state.checker.copy_between_blocks(reads, block, lane.by, chunks)
            data = state.shared.data[block, start : start + count].reshape(-1, CHUNK).copy()
            if state.launch.perturb == "distant" and row != lane.by[0]:
                data[:] = 0
            state.flights.start(
                Flight(instruction, row, lane.by, pieces(offset, count), data, target)
            )

    ins = [(dst, "s64"), (src, "s64"), (size, "u32"), (barrier, "s64")]
    return effect(fn, [], ins)


def store(instruction):
    """[dst], [src], size: shared to global memory, in a bulk group."""
    dst, src, size = policy_last(instruction, instruction.operands)
    instruction.access = shared_side(instruction, "copies from")
    writes = global_side(instruction, CHUNK, "copies to")
    offsets = [np.int64(o.offset) for o in (dst, src)]

    def fn(state, group, mask, instruction, dst, src, size):
        places = [a + o for a, o in zip((dst, src), offsets, strict=True)]
        for lane, to, at, count in active(state, group, mask, instruction, *places, size):
            lane.aligned("size", count, CHUNK, "copy size")
            row, offset = lane.in_shared(at, count, near=True)
            array, start = lane.in_global(to, count)
            state.flights.leave(
                Store(
                    instruction,
                    row,
                    lane.by,
                    pieces(offset, count),
                    writer(lane, writes, array, start),
                )
            )

    return effect(fn, [], [(dst, "s64"), (src, "s64"), (size, "u32")])


def writer(lane, writes, array, start):
    """A function of (n, 16) bytes that writes them into an array from byte ``start`` on."""

    def write(data):
        note_write(lane, writes, array, pieces(start, data.size))
        array.data[start : start + data.size] = data.reshape(-1)

    return write


# For the sanitizer and the counters --------------------------------------------------------------
def note_read(lane, instruction, array, offsets):
    """A copy reads global memory at byte offsets (n,), by the instruction's access."""
    state = lane.state
    if state.tally:
        state.tally.touch(state, np.unique(array.base + np.asarray(offsets, np.int64) >> 5))
    if state.checker:
        state.checker.global_copy_reads(lane.by, instruction, array, offsets)


def note_write(lane, instruction, array, offsets):
    """A copy writes global memory at byte offsets (n,)."""
    state = lane.state
    if state.tally:
        state.tally.touch(state, np.unique(array.base + np.asarray(offsets, np.int64) >> 5))
    if state.checker:
        state.checker.global_copy_writes(lane.by, instruction, array, offsets)


# Bulk groups -------------------------------------------------------------------------------------
def by_thread(state, group, mask):
    """(block of the chunk, thread) of the active lanes that have bulk groups."""
    if not state.flights.groups:
        return []
    marks = np.zeros((state.lanes.blocks, state.lanes.threads), bool)
    marks.reshape(-1)[(group.ids if mask is None else group.ids[mask]).reshape(-1)] = True
    return [by for by in state.flights.groups if marks[by]]


def commit(state, group, mask, instruction):
    for by in by_thread(state, group, mask):
        state.flights.commit(by)


def wait(state, group, mask, left):
    for by in by_thread(state, group, mask):
        state.flights.wait(by, left)
    if state.checker:
        state.checker.order.tick()
