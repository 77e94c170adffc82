"""cp.async: copies from global to shared memory that land when they are waited for.

Global memory is read when the copy is issued; the bytes reach shared memory at wait_group or
wait_all. What is read before that is what was there before; the sanitizer reports such a read.
Requests are counted as global loads.
"""

from dataclasses import dataclass, replace

import numpy as np

from .. import memory
from ..access import WIDE, Access
from ..ptx import Imm
from . import effect, op, refuse

HINTS = "ca cg L2_64B L2_128B L2_256B L2_cache_hint"


@dataclass
class Copy:
    """Bytes on their way, of the active lanes of a group. landing: the shared store at the end, as
    an instruction; offset: where, in shared memory; value: one wide word a lane; number: of the
    commit group, a scalar or by lane.
    """

    group: object
    mask: object
    landing: object
    offset: object
    value: object
    number: object


@op("cp", modifiers=f"async shared global shared_cta commit_group wait_group wait_all {HINTS}")
def cp(instruction):
    """A copy: two addresses (int64) and how much to read (int32) or whether to ignore the source
    (bool) -> nothing, any lane shapes. Committing and waiting: nothing -> nothing.
    """
    words = instruction.parts
    if words[1] != "async" or "bulk" in words:
        raise refuse(instruction, "this copy")
    if "commit_group" in words:
        return effect(commit)
    if "wait_all" in words:
        return effect(lambda state, group, mask, instruction: wait(state, group, None))
    if "wait_group" in words:
        left = instruction.operands[0].bits
        return effect(lambda state, group, mask, instruction: wait(state, group, left))
    return copy(instruction)


def committed(state, group):
    """How many commit groups each lane has closed."""
    return group.read(state.async_groups.get("count", np.int64(0))).copy()


def commit(state, group, mask, instruction):
    """Close the commit group of the group's lanes."""
    state.async_groups["count"] = group.write(
        state.async_groups.get("count", np.int64(0)), committed(state, group) + np.int64(1)
    )


def copy(instruction):
    """cp.async.ca.shared.global [dst], [src], size{, bytes to read | ignore the source}: what is
    not read is zero.
    """
    target, source, size, *rest = instruction.operands
    if "L2_cache_hint" in instruction.parts:
        rest = rest[:-1]
    rest = [o for o in rest if not (isinstance(o, Imm) and o.bits == size.bits)]
    read = Access("global", WIDE[size.bits], size.bits, offset=source.offset, counted=size.bits)
    instruction.access = read
    lands = replace(read, space="shared", offset=0, counted=0, verb="copies to")
    landing, target_offset = replace(instruction, access=lands), np.int64(target.offset)
    byte = replace(instruction, access=replace(read, dtype=np.uint8, bytes=1, counted=0))

    def fn(state, group, mask, instruction, target, source, *given):
        if given:
            value = read_part(
                state, group, mask, instruction, byte, source, wanted_bytes(given[0], size.bits)
            )
        else:
            value = memory.global_load(state, group, mask, instruction, source)
        offset = target + target_offset
        kept = None if mask is None else mask.copy()  # it may be a register, which changes
        if state.checker:
            state.checker.copy_starts(state, group, mask, landing, offset)
        state.async_groups.setdefault("copies", []).append(
            Copy(group, kept, landing, offset, value, committed(state, group))
        )

    return effect(fn, [], [(target, "s64"), (source, "s64")] + [(o, "pred or s32") for o in rest])


def wanted_bytes(given, size):
    """Bytes that each lane reads: ``given``, or none where it is a predicate that holds."""
    return np.where(given, 0, size) if given.dtype == np.bool_ else np.minimum(given, size)


def read_part(state, group, mask, instruction, byte, source, wanted):
    """One wide word a lane, of which the first ``wanted`` bytes are read and the rest is zero.

    byte: the instruction, as a load of one byte.
    """
    access = instruction.access
    wanted = np.broadcast_to(wanted, group.shape)
    active = np.ones(group.shape, bool) if mask is None else np.broadcast_to(mask, group.shape)
    whole = active & (wanted == access.bytes)
    value = np.zeros(group.shape, access.wide)
    if whole.any():
        everyone = None if whole.all() else whole
        loaded = memory.global_load(state, group, everyone, instruction, source)
        value = np.where(whole, loaded, value)
    partial = active & (wanted > 0) & ~whole
    if partial.any():
        if state.tally:
            state.tally.globals(state, group, partial, instruction, source, "ld")
        octets = np.zeros((*group.shape, access.bytes), np.uint8)
        for k in range(access.bytes):
            here = partial & (wanted > k)
            if here.any():
                loaded = memory.global_load(state, group, here, byte, source + np.int64(k))
                octets[..., k] = np.where(here, loaded, 0)
        value = np.where(partial, octets.view(access.wide)[..., 0], value)
    return value


def wait(state, group, left):
    """Land the copies of this group's lanes, all but those of the last ``left`` commit groups."""
    waiting = state.async_groups.get("copies", [])
    done = committed(state, group) - np.int64(left) if left is not None else None
    stay = []
    for c in waiting:
        if group is state.everyone and (left is None or np.ndim(done) == np.ndim(c.number) == 0):
            if left is None or c.number < done:
                land(state, c, c.mask)
            else:
                stay.append(c)
        else:
            stay += part(state, c, group, done)
    state.async_groups["copies"] = stay


def part(state, c, group, done):
    """Land a copy for the lanes that wait for it; what stays, as a list."""
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
    memory.shared_store(state, c.group, mask, c.landing, c.offset, c.value)
    if state.checker:
        state.checker.copy_lands(state, c.group, mask, c.landing, c.offset)
