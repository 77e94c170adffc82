"""cp.async: copies from global to shared memory that land when they are waited for.

Global memory is read when the copy is issued; the bytes reach shared memory at wait_group or
wait_all. What is read before that is what was there before; the sanitizer reports such a read.
Requests are counted as global loads.
"""

import numpy as np

from .. import memory
from ..ptx import Imm
from . import effect, op, refuse

HINTS = "ca cg L2_64B L2_128B L2_256B L2_cache_hint"


class Copy:
    """Bytes on their way. number: of the commit group of each lane, a scalar or by lane."""

    def __init__(self, group, mask, instruction, offset, value, number):
        self.group, self.mask, self.instruction, self.offset, self.value, self.number = (
            group,
            mask,
            instruction,
            offset,
            value,
            number,
        )


@op("cp", modifiers=f"async shared global shared_cta commit_group wait_group wait_all {HINTS}")
def cp(instruction):
    if instruction.parts[1] != "async" or "bulk" in instruction.parts:
        raise refuse(instruction, "this copy")
    if "commit_group" in instruction.parts:
        return effect(commit)
    if "wait_all" in instruction.parts:
        return effect(lambda state, group, mask, instruction: wait(state, group, mask, None))
    if "wait_group" in instruction.parts:
        left = instruction.operands[0].bits
        return effect(lambda state, group, mask, instruction: wait(state, group, mask, left))
    return copy(instruction)


def committed(state, group):
    """How many groups each lane has committed."""
    return group.read(state.async_groups.get("count", np.int64(0))).copy()


def commit(state, group, mask, instruction):
    state.async_groups["count"] = group.write(
        state.async_groups.get("count", np.int64(0)), committed(state, group) + np.int64(1)
    )


def copy(instruction):
    """cp.async.ca.shared.global [dst], [src], size{, bytes to read}: the rest is zero."""
    target, source, size, *rest = instruction.operands
    instruction.space, instruction.count, instruction.bytes, instruction.strong = (
        "global",
        1,
        size.bits,
        False,
    )
    instruction.wide, instruction.shift, instruction.dtype = (
        memory.WIDE[instruction.bytes],
        instruction.bytes.bit_length() - 1,
        memory.WIDE[instruction.bytes],
    )
    instruction.counted, instruction.offset, instruction.target = (
        instruction.bytes,
        source.offset,
        target.offset,
    )
    rest = [o for o in rest if not (isinstance(o, Imm) and o.bits == instruction.bytes)]
    if "L2_cache_hint" in instruction.parts:
        rest = rest[:-1]

    def fn(state, group, mask, instruction, target, source, *keep):
        whole, active = True, mask
        if keep:
            whole = np.broadcast_to(keep[0] >= instruction.bytes, group.shape)
            none = np.broadcast_to(keep[0] == 0, group.shape)
            if not (whole | none).all():
                raise refuse(instruction, "a source size other than none or all")
            active = whole if mask is None else whole & mask
            active = mask if whole.all() else active
        value = memory.global_load(state, group, active, instruction, source)
        if keep and not whole.all():
            value = np.where(whole, value, instruction.wide(0))
        offset = target + np.int64(instruction.target)
        if state.checker:
            state.checker.copy_starts(state, group, active, Landing(instruction), offset)
        state.async_groups.setdefault("copies", []).append(
            Copy(group, mask, instruction, offset, value, committed(state, group))
        )

    return effect(fn, [], [(target, "s64"), (source, "s64")] + [(o, "s32") for o in rest])


def wait(state, group, mask, left):
    """Land the copies of this group's lanes, all but those of the last ``left`` groups."""
    waiting = state.async_groups.get("copies", [])
    done = committed(state, group) - np.int64(left) if left is not None else None
    stay = []
    for c in waiting:
        if group is state.everyone and (left is None or np.ndim(done) == np.ndim(c.number) == 0):
            if left is None or c.number < done:
                land(state, c.group, c.mask, c.instruction, c.offset, c.value)
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
        land(state, c.group, active, c.instruction, c.offset, c.value)
    rest = ~mine if c.mask is None else ~mine & c.mask
    return [Copy(c.group, rest, c.instruction, c.offset, c.value, c.number)] if rest.any() else []


class Landing:
    """The shared store at the end of a copy, as an instruction."""

    def __init__(self, instruction):
        self.__dict__.update(instruction.__dict__)
        self.opcode, self.space, self.offset, self.counted = instruction.opcode, "shared", 0, 0
        self.name, self.verb = "st", "copies to"


def land(state, group, mask, instruction, offset, value):
    memory.shared_store(state, group, mask, Landing(instruction), offset, value)
    if state.checker:
        state.checker.copy_lands(state, group, mask, Landing(instruction), offset)
