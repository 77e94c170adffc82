"""cp.async: copies from global to shared memory that land when they are waited for.

Global memory is read when the copy is issued; the bytes reach shared memory at wait_group or
wait_all. What is read before that is what was there before; the sanitizer reports such a read.
Requests are counted as global loads.
"""

from dataclasses import dataclass, replace

import numpy as np

from .. import clusters, memory
from ..access import WIDE, Access
from ..ptx import Imm
from . import bulk, effect, mbarrier, op, refuse, tensor

HINTS = "ca cg L2_64B L2_128B L2_256B L2_cache_hint"
BULK = f"{bulk.WORDS} {' '.join(tensor.RANKS)}"


@dataclass
class Copy:
    """Bytes on their way, of the active lanes of a group. landing: the shared store that they end
    in, as an instruction; offset: where, in shared memory; value: one wide word a lane; number: of
    the commit group, a scalar or by lane; turn: when the copy started.
    """

    group: object
    mask: object
    landing: object
    offset: object
    value: object
    number: object
    turn: int = 0


@op(
    "cp",
    modifiers="async shared global shared_cta commit_group wait_group wait_all mbarrier arrive "
    f"noinc {HINTS} {BULK}",
    types="b64",
)
def cp(instruction):
    """A copy: two addresses (int64) and how much to read (int32) or whether to ignore the source
    (bool) -> nothing, any lane shapes. Committing and waiting: nothing -> nothing.
    """
    words = instruction.parts
    if words[1] != "async":
        raise refuse(instruction, "this copy")
    if words[2] == "bulk":
        tensors = "tensor" in words
        return tensor.tensor(instruction) if tensors else bulk.bulk(instruction)
    if words[2] == "mbarrier":
        return arrive_op(instruction)
    if set(words) & set(BULK.split()) - {"shared_cta"}:
        raise refuse(instruction, "this copy")
    if "commit_group" in words:
        return effect(commit)
    if "wait_all" in words:
        return effect(lambda state, group, mask, instruction: wait(state, group, None))
    if "wait_group" in words:
        left = instruction.operands[0].bits
        return effect(lambda state, group, mask, instruction: wait(state, group, left))
    return copy(instruction)


class Copies:
    """The copies of a chunk. on_their_way: [Copy]; committed: how many commit groups each lane has
    closed, as a register; turn: of the last copy, or arrival that waits for copies.
    """

    def __init__(self):
        self.on_their_way, self.committed, self.turn = [], np.int64(0), 0

    def next_turn(self):
        self.turn += 1
        return self.turn


def committed(state, group):
    """How many commit groups each lane has closed."""
    return group.read(state.copies.committed).copy()


def commit(state, group, mask, instruction):
    """Close the commit group of the group's lanes."""
    count = committed(state, group) + np.int64(1)
    state.copies.committed = group.write(state.copies.committed, count)


def copy(instruction):
    """cp.async.ca.shared.global [dst], [src], size{, bytes to read | ignore the source}: what is
    not read is zero.
    """
    target, source, size, *rest = instruction.operands
    if "L2_cache_hint" in instruction.parts:
        rest = rest[:-1]
    rest = [o for o in rest if not (isinstance(o, Imm) and o.bits == size.bits)]
    read = Access(
        "global",
        WIDE[size.bits],
        size.bits,
        offset=source.offset,
        counted=size.bits,
        past_l1="cg" in instruction.parts,
    )
    instruction.access = read
    lands = replace(read, space="shared", offset=0, counted=0, verb="copies to")
    landing, target_offset = replace(instruction, access=lands), np.int64(target.offset)
    word = replace(instruction, access=replace(read, counted=0))
    byte = replace(instruction, access=replace(read, dtype=np.uint8, bytes=1, counted=0))

    def fn(state, group, mask, instruction, target, source, *given):
        if given:
            wanted = np.broadcast_to(wanted_bytes(given[0], size.bits), group.shape)
            value = read_part(state, group, mask, instruction, (word, byte), source, wanted)
        else:
            value = memory.global_load(state, group, mask, instruction, source)
        offset = own_offsets(state, group, mask, landing, target) + target_offset
        kept = None if mask is None else mask.copy()  # it may be a register, which changes
        if state.checker:
            state.checker.copy_starts(group, mask, landing, offset)
        state.copies.on_their_way.append(
            Copy(
                group,
                kept,
                landing,
                offset,
                value,
                committed(state, group),
                state.copies.next_turn(),
            )
        )

    return effect(fn, [], [(target, "s64"), (source, "s64")] + [(o, "pred or s32") for o in rest])


def own_offsets(state, group, mask, instruction, address):
    """The offsets of addresses in shared memory, which have to be in each lane's own block."""
    if state.reach is None or (mask is not None and not mask.any()):
        return address
    offset = clusters.own_offsets(state, group, mask, instruction, address)
    if offset is None:
        flat = group.compress(address, mask)
        clusters.checked_places(state, group, mask, instruction, flat, instruction.access.bytes)
    return offset


def wanted_bytes(given, size):
    """Bytes that each lane reads: ``given``, or none where it is a predicate that holds."""
    return np.where(given, 0, size) if given.dtype == np.bool_ else np.minimum(given, size)


def read_part(state, group, mask, instruction, loads, source, wanted):
    """One wide word a lane, of which the first ``wanted`` bytes are read and the rest is zero.

    loads: the instruction as one that loads all, and as one that loads a byte; they count nothing.
    A lane of which nothing is wanted takes no part in the request.
    """
    access, (word, byte) = instruction.access, loads
    active = np.ones(group.shape, bool) if mask is None else np.broadcast_to(mask, group.shape)
    copying = active & (wanted > 0)
    value = np.zeros(group.shape, access.wide)
    if not copying.any():
        return value
    if state.tally:
        everyone = None if copying.all() else copying
        state.tally.globals(state, group, everyone, instruction, source, "ld")
    whole = copying & (wanted == access.bytes)
    if whole.any():
        everyone = None if whole.all() else whole
        loaded = memory.global_load(state, group, everyone, word, source)
        value = np.where(whole, loaded, value)
    rest = copying & ~whole
    if rest.any():
        octets = np.zeros((*group.shape, access.bytes), np.uint8)
        for k in range(access.bytes):
            here = rest & (wanted > k)
            if here.any():
                loaded = memory.global_load(state, group, here, byte, source + np.int64(k))
                octets[..., k] = np.where(here, loaded, 0)
        value = np.where(rest, octets.view(access.wide)[..., 0], value)
    return value


def arrive_op(instruction):
    """cp.async.mbarrier.arrive [a]: the lanes arrive when the copies that they have started land.
    Without .noinc the phase waits for one arrival more a lane.
    """
    words, (address,) = instruction.parts[3:], instruction.operands
    if words[0] != "arrive" or set(words[1:]) - {"noinc", "shared", "shared_cta", "b64"}:
        raise refuse(instruction, "this form")
    mbarrier.touches(instruction, address)
    return effect(arrive, [], [(address, "s64")])


def arrive(state, group, mask, instruction, address):
    found, ids = mbarrier.named(state, group, mask, instruction, address)
    turn = state.copies.next_turn()
    for barrier, where in found:
        if "noinc" not in instruction.parts:
            barrier.pending += len(where)
        marks = np.zeros((state.lanes.blocks, state.lanes.threads), bool)
        marks.reshape(-1)[ids[where]] = True
        state.flights.arrive_later(barrier, arrival(state, barrier, marks, ids[where], turn))


def arrival(state, barrier, marks, ids, turn):
    """A function that lands what these lanes had started before a turn, and arrives for them."""

    def run():
        group = state.lanes.select(marks)
        stay = []
        for c in state.copies.on_their_way:
            stay += land_some(state, c, group, None) if c.turn < turn else [c]
        state.copies.on_their_way = stay
        if state.checker:
            mbarrier.release(state, barrier, ids, False)
            state.checker.order.tick()
        barrier.arrive(len(ids))

    return run


def wait(state, group, left):
    """Land the copies of this group's lanes, all but those of the last ``left`` commit groups."""
    waiting = state.copies.on_their_way
    done = committed(state, group) - np.int64(left) if left is not None else None
    stay = []
    for c in waiting:
        if group is state.everyone and (left is None or np.ndim(done) == np.ndim(c.number) == 0):
            if left is None or c.number < done:
                land(state, c, c.mask)
            else:
                stay.append(c)
        else:
            stay += land_some(state, c, group, done)
    state.copies.on_their_way = stay


def land_some(state, c, group, done):
    """Let a copy land for those of its lanes that wait for it. Returns the copy for its other
    lanes, as a list of one or none.
    """
    shape = state.lanes.blocks, state.lanes.threads
    here = np.broadcast_to(group.marks(), shape)
    if done is not None:
        numbers = c.group.write(np.full((1, 1), np.iinfo(np.int64).max), c.number)
        limits = group.write(np.zeros((1, 1), np.int64), done)
        here = here & (numbers < limits)
    mine = np.broadcast_to(here, shape).reshape(-1)[c.group.ids]
    active = mine if c.mask is None else mine & c.mask
    if active.any():
        land(state, c, active)
    rest = ~mine if c.mask is None else ~mine & c.mask
    return [replace(c, mask=rest)] if rest.any() else []


def land(state, c, mask):
    """Write what a copy carries for the lanes in mask."""
    memory.own_store(state, c.group, mask, c.landing, c.offset, c.value)
    if state.checker:
        state.checker.copy_lands(c.group, mask, c.landing, c.offset)
