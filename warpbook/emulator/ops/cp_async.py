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

    def __init__(self, G, mask, i, offset, value, number):
        self.G, self.mask, self.i, self.offset, self.value, self.number = (
            G,
            mask,
            i,
            offset,
            value,
            number,
        )


@op("cp", modifiers=f"async shared global shared_cta commit_group wait_group wait_all {HINTS}")
def cp(i):
    if i.parts[1] != "async" or "bulk" in i.parts:
        raise refuse(i, "this copy")
    if "commit_group" in i.parts:
        return effect(commit)
    if "wait_all" in i.parts:
        return effect(lambda S, G, mask, i: wait(S, G, mask, None))
    if "wait_group" in i.parts:
        left = i.operands[0].bits
        return effect(lambda S, G, mask, i: wait(S, G, mask, left))
    return copy(i)


def committed(S, G):
    """How many groups each lane has committed."""
    return G.read(S.async_groups.get("count", np.int64(0))).copy()


def commit(S, G, mask, i):
    S.async_groups["count"] = G.write(
        S.async_groups.get("count", np.int64(0)), committed(S, G) + np.int64(1)
    )


def copy(i):
    """cp.async.ca.shared.global [dst], [src], size{, bytes to read}: the rest is zero."""
    target, source, size, *rest = i.operands
    i.space, i.count, i.bytes, i.strong = "global", 1, size.bits, False
    i.wide, i.shift, i.dtype = memory.WIDE[i.bytes], i.bytes.bit_length() - 1, memory.WIDE[i.bytes]
    i.counted, i.offset, i.target = i.bytes, source.offset, target.offset
    rest = [o for o in rest if not (isinstance(o, Imm) and o.bits == i.bytes)]
    if "L2_cache_hint" in i.parts:
        rest = rest[:-1]

    def fn(S, G, mask, i, target, source, *keep):
        whole, active = True, mask
        if keep:
            whole = np.broadcast_to(keep[0] >= i.bytes, G.shape)
            none = np.broadcast_to(keep[0] == 0, G.shape)
            if not (whole | none).all():
                raise refuse(i, "a source size other than none or all")
            active = whole if mask is None else whole & mask
            active = mask if whole.all() else active
        value = memory.global_load(S, G, active, i, source)
        if keep and not whole.all():
            value = np.where(whole, value, i.wide(0))
        offset = target + np.int64(i.target)
        if S.checker:
            S.checker.copy_starts(S, G, active, Landing(i), offset)
        S.async_groups.setdefault("copies", []).append(
            Copy(G, mask, i, offset, value, committed(S, G))
        )

    return effect(fn, [], [(target, "s64"), (source, "s64")] + [(o, "s32") for o in rest])


def wait(S, G, mask, left):
    """Land the copies of this group's lanes, all but those of the last ``left`` groups."""
    waiting = S.async_groups.get("copies", [])
    done = committed(S, G) - np.int64(left) if left is not None else None
    stay = []
    for c in waiting:
        if G is S.everyone and (left is None or np.ndim(done) == np.ndim(c.number) == 0):
            if left is None or c.number < done:
                land(S, c.G, c.mask, c.i, c.offset, c.value)
            else:
                stay.append(c)
        else:
            stay += part(S, c, G, done)
    S.async_groups["copies"] = stay


def part(S, c, G, done):
    """Land a copy for the lanes that wait for it; what stays, as a list."""
    shape = S.lanes.blocks, S.lanes.threads
    here = np.broadcast_to(G.marks(), shape)
    if done is not None:
        numbers = c.G.write(np.full((1, 1), np.iinfo(np.int64).max), c.number)
        limits = G.write(np.zeros((1, 1), np.int64), done)
        here = here & (numbers < limits)
    mine = np.broadcast_to(here, shape).reshape(-1)[c.G.ids]
    active = mine if c.mask is None else mine & c.mask
    if active.any():
        land(S, c.G, active, c.i, c.offset, c.value)
    rest = ~mine if c.mask is None else ~mine & c.mask
    return [Copy(c.G, rest, c.i, c.offset, c.value, c.number)] if rest.any() else []


class Landing:
    """The shared store at the end of a copy, as an instruction."""

    def __init__(self, i):
        self.__dict__.update(i.__dict__)
        self.opcode, self.space, self.offset, self.counted = i.opcode, "shared", 0, 0
        self.name, self.verb = "st", "copies to"


def land(S, G, mask, i, offset, value):
    memory.shared_store(S, G, mask, Landing(i), offset, value)
    if S.checker:
        S.checker.copy_lands(S, G, mask, Landing(i), offset)
