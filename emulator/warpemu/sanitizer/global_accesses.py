"""Uninitialised reads of global memory, and races between blocks and within one.

Each granule of an array that the kernel may write remembers the thread that wrote it last and two
that read it last. A granule is 4 bytes, or as many as the narrowest access had so far: the array's
type says nothing about how a kernel looks at it. Atomic, volatile and other strong accesses do not
race with one another. Block A's accesses are before block B's if A made a fence and then a strong
access, and B made a strong access after that: this is how a last block, a look-back or a barrier of
the grid orders blocks.
Within a block, barriers order accesses (see barrier_order.py), and so does a fence.
"""

from dataclasses import dataclass

import numpy as np

from ..lanes import unflatten
from ..memory import SLOT, WRITTEN, differ
from .barrier_order import instruction_of, thread_of

NEVER = np.iinfo(np.int64).max
GRAIN = 4  # bytes of a granule at first


class Shadow:
    """What is remembered of an array, by granule of ``grain`` bytes, (n,).

    writer, reader, other (int32): block + 1 of the last write and of two reads, negative for strong
    writes, 0 for nobody; wrote, read, other_read (int64): the stamps of these
    (see barrier_order.py).
    ``other`` is of another block than ``reader`` if two blocks read, else of another thread.
    """

    def __init__(self, launch, array):
        self.launch, self.grain = launch, GRAIN
        count = -(-array.bytes // GRAIN)
        self.writer, self.wrote = np.zeros(count, np.int32), np.zeros(count, np.int64)
        self.reader, self.read = np.zeros(count, np.int32), np.zeros(count, np.int64)
        self.other, self.other_read = np.zeros(count, np.int32), np.zeros(count, np.int64)

    def split(self, grain):
        """Make granules this small. No access before was narrower than a granule, and all are
        aligned, so what is known of a granule holds for each part of it."""
        for name in ("writer", "wrote", "reader", "read", "other", "other_read"):
            setattr(self, name, np.repeat(getattr(self, name), self.grain // grain))
        self.grain = grain


@dataclass
class GlobalAccess:
    """Active lanes of one access, (n,) each. rows: block of the chunk; blocks: number in the grid
    + 1; threads: of the block; offsets: bytes in the array.
    """

    array: object
    instruction: object
    rows: np.ndarray
    blocks: np.ndarray
    threads: np.ndarray
    offsets: np.ndarray


class GlobalAccesses:
    """Looks at the arrays of one launch.

    state: of the chunk that runs; order: Order, within blocks; clock: of strong accesses. By block
    of the grid: fenced, was there a fence?; released, the first strong access after it; acquired,
    the last strong access.
    """

    def __init__(self, launch, order):
        self.launch, self.program, self.order = launch, launch.program, order
        self.slots = self.written_slots()
        self.clock = 1
        self.fenced = np.zeros(launch.count, bool)
        self.released = np.full(launch.count, NEVER)
        self.acquired = np.full(launch.count, -1, np.int64)

    def enter(self, state):
        """A new chunk, of blocks that no chunk before had."""
        self.state = state

    def written_slots(self):
        """Slots of the arrays that the kernel may write; None for all."""
        slots, parameters = set(), self.launch.parameters
        for name in self.program.written:
            if name == "?":
                return None
            if name in parameters:
                raw = parameters[name]
                words = [raw[k : k + 8] for k in range(0, len(raw) - 7, 8)]
                slots |= {int.from_bytes(word, "little") >> SLOT for word in words}
            elif self.program.symbols.get(name):
                slots.add(self.program.symbols[name] >> SLOT)
        return slots

    def follow(self, array, instruction):
        """The shadow of an array, fit for an access; None if the kernel cannot write the array."""
        if self.slots is not None and array.base >> SLOT not in self.slots:
            return None
        if array.shadow is None or array.shadow.launch is not self.launch:
            array.shadow = Shadow(self.launch, array)
        if instruction.access.bytes < array.shadow.grain:
            array.shadow.split(instruction.access.bytes)
        return array.shadow

    # Order between blocks ----------------------------------------------------------------------
    def rows(self, group, mask):
        """The blocks of the chunk that active lanes are in."""
        return group.blocks if mask is None else np.unique(group.ids[mask] // group.lanes.threads)

    def fence(self, group, mask, instruction):
        """Active lanes made a memory fence."""
        rows = self.rows(group, mask)
        self.fenced[self.state.numbers[rows]] = True
        self.order.fence(rows)
        self.order.fence_by(group, mask)

    def strong(self, group, mask, instruction):
        """A strong access: it acquires, and, after a fence or with .release, releases."""
        blocks = self.state.numbers[self.rows(group, mask)]
        if "release" in instruction.parts or "acq_rel" in instruction.parts:
            self.fenced[blocks] = True
        self.clock += 1
        self.acquired[blocks] = self.clock
        ready = blocks[self.fenced[blocks]]
        self.released[ready] = np.minimum(self.released[ready], self.clock)

    # Accesses ----------------------------------------------------------------------------------
    def access(self, group, mask, instruction, array, offset):
        """The GlobalAccess of the active lanes."""
        ids = group.ids if mask is None else group.ids[mask]
        if mask is None or offset.shape != ids.shape:
            offset = group.compress(offset, mask)
        rows, threads = np.divmod(ids.reshape(-1), self.state.lanes.threads)
        blocks = self.state.numbers[rows] + 1
        return GlobalAccess(array, instruction, rows, blocks, threads, offset.reshape(-1))

    def granules(self, access):
        """The granule that each lane accesses, (n,), one after the other."""
        grain = access.array.shadow.grain
        for k in range(0, access.instruction.access.bytes, grain):
            yield (access.offsets + k) // grain

    def read(self, group, mask, instruction, array, offset):
        """Active lanes read at byte offsets of an array."""
        if array.written is not None:
            access = self.access(group, mask, instruction, array, offset)
            self.uninitialised(access)
        if instruction.access.strong:
            self.strong(group, mask, instruction)
            return
        shadow = self.follow(array, instruction)
        if shadow is None:
            return
        access = self.access(group, mask, instruction, array, offset)
        self.read_granules(access, shadow)

    def read_granules(self, access, shadow):
        stamp = self.order.stamp(access.rows, access.threads, access.instruction)
        for index in self.granules(access):
            self.compare(access, index, shadow.writer[index], shadow.wrote[index], "wrote")
            self.remember(shadow, index, access.blocks, stamp)

    def remember(self, shadow, index, blocks, stamp):
        """Keep two readers of each granule: of different blocks, or of different threads."""
        old, old_read = shadow.reader[index], shadow.read[index]
        distant = (old != 0) & (old != blocks)
        second = shadow.other[index]
        free = (second == 0) | (second == blocks)  # no reader of another block would be lost
        beside = free & (old == blocks) & (thread_of(old_read) != thread_of(stamp))
        moved = distant | beside
        if moved.any():
            shadow.other[index[moved]] = old[moved]
            shadow.other_read[index[moved]] = old_read[moved]
        shadow.reader[index], shadow.read[index] = blocks, stamp
        # Lanes of this access that met at one granule:
        lost = (shadow.reader[index] != blocks) | (free & (shadow.read[index] != stamp))
        if lost.any():
            shadow.other[index[lost]] = blocks[lost]
            shadow.other_read[index[lost]] = stamp[lost]

    # Bulk copies -------------------------------------------------------------------------------
    def access_of_copy(self, by, instruction, array, offsets):
        """The GlobalAccess of a copy that ``by`` = (block of the chunk, thread) started."""
        rows, threads = (np.full(len(offsets), n) for n in by)
        blocks = self.state.numbers[rows] + 1
        return GlobalAccess(array, instruction, rows, blocks, threads, offsets)

    def copy_reads(self, by, instruction, array, offsets):
        """A copy reads at byte offsets (n,) of an array. by: the thread that started it."""
        access = self.access_of_copy(by, instruction, array, offsets)
        if array.written is not None:
            self.uninitialised(access)
        shadow = self.follow(array, instruction)
        if shadow is not None:
            self.read_granules(access, shadow)

    def copy_writes(self, by, instruction, array, offsets):
        """A copy writes at byte offsets (n,) of an array."""
        form = instruction.access
        access = self.access_of_copy(by, instruction, array, offsets)
        if array.written is not None:
            array.written.view(form.wide)[offsets >> form.shift] = WRITTEN[form.bytes]
        shadow = self.follow(array, instruction)
        if shadow is not None:
            for index in self.granules(access):
                self.write_granule(access, index, shadow, None, True, False)

    def atomic(self, group, mask, instruction, array, offset):
        """Active lanes update an array atomically."""
        if array.written is not None and instruction.access.operation != "exch":
            self.uninitialised(self.access(group, mask, instruction, array, offset))
        self.write(group, mask, instruction, array, offset, None)

    def write(self, group, mask, instruction, array, offset, value):
        """Active lanes write. value: what they write, or None for an atomic."""
        form = instruction.access
        if array.written is not None:
            array.written.view(form.wide)[offset >> form.shift] = WRITTEN[form.bytes]
        strong = form.strong or value is None
        shadow = self.follow(array, instruction)
        if shadow is not None:
            access = self.access(group, mask, instruction, array, offset)
            if value is not None and value.shape != access.offsets.shape:
                value = group.compress(value, None)
            changed = True
            if value is not None:
                changed = differ(array.view(form.wide)[access.offsets >> form.shift], value)
            for index in self.granules(access):
                self.write_granule(access, index, shadow, value, changed, strong)
        if strong:
            self.strong(group, mask, instruction)

    def write_granule(self, access, index, shadow, value, changed, strong):
        """value (n,) or None; changed: does it differ from what is there, (n,) or True."""
        writer = shadow.writer[index]
        if strong:
            writer = np.maximum(writer, 0)
        for verb, who, when in (
            ("wrote", writer, shadow.wrote),
            ("read", shadow.reader[index], shadow.read),
            ("read", shadow.other[index], shadow.other_read),
        ):
            if who.any():
                self.compare(access, index, np.where(changed, who, 0), when[index], verb)
        stamp = self.order.stamp(access.rows, access.threads, access.instruction)
        shadow.writer[index] = -access.blocks if strong else access.blocks
        shadow.wrote[index] = stamp
        lost = shadow.wrote[index] != stamp
        lost |= np.abs(shadow.writer[index]) != access.blocks
        if not strong and value is not None and lost.any():
            # lanes met at one granule: a race if their values differ
            start = index.min()
            last = np.zeros(int(index.max() - start) + 1, value.dtype)
            last[index - start] = value
            lost &= differ(last[index - start], value)
            winner = np.where(lost, shadow.writer[index], 0)
            self.compare(access, index, winner, shadow.wrote[index], "wrote")

    # Findings ----------------------------------------------------------------------------------
    def compare(self, access, index, other, stamps, verb):
        """Report accesses of granules ``index`` by two threads in no order. other: the block + 1 of
        the one before, as in a Shadow; stamps: its stamps.
        """
        other = np.abs(other)
        if not other.any():
            return
        own = other == access.blocks
        bad = (other != 0) & ~own
        if bad.any():
            bad &= self.released[np.maximum(other, 1) - 1] > self.acquired[access.blocks - 1]
            if bad.any() and self.launch.cluster_size > 1:
                near = self.launch.cluster_of[np.maximum(other, 1) - 1]
                near = near == self.launch.cluster_of[access.blocks - 1]
                bad &= ~near | self.order.unordered(stamps, access.rows, access.threads)
            if bad.any():
                self.between_blocks(access, index, bad, other, stamps, verb)
        own &= thread_of(stamps) != access.threads
        if own.any():
            bad = own & self.order.unordered(stamps, access.rows, access.threads)
            if bad.any():
                bad &= ~self.order.fenced_since(stamps, access.rows)
            if bad.any():
                self.within_block(access, index, bad, stamps, verb)

    def between_blocks(self, access, index, bad, other, stamps, verb):
        k = int(np.flatnonzero(bad)[0])
        where, line = (
            self.name(access, index[k]),
            self.program.line_of(instruction_of(int(stamps[k]))),
        )
        rival = int(other[k]) - 1
        advice = "blocks run in no order, so make it an atomic or give each block its own element"
        if self.acquired[rival] >= 0 and not self.fenced[rival]:  # it meant to tell the others
            advice = (
                f"put a __threadfence() between line {line} and the atomic or volatile access by "
                "which that block lets others know"
            )
        detail = (
            f"{access.instruction.access.verb} {where}, which block "
            f"{unflatten(rival, self.launch.grid)} {verb} at line {line}: {advice}"
        )
        self.keep("global race", access, bad, index[k] * access.array.shadow.grain, detail)

    def within_block(self, access, index, bad, stamps, verb):
        k = int(np.flatnonzero(bad)[0])
        where, line = (
            self.name(access, index[k]),
            self.program.line_of(instruction_of(int(stamps[k]))),
        )
        rival, thread = int(thread_of(stamps[k])), int(access.threads[k])
        sync = "__syncwarp()" if rival // 32 == thread // 32 else "__syncthreads()"
        detail = (
            f"{access.instruction.access.verb} {where}, which thread "
            f"{unflatten(rival, self.launch.block)} of its block {verb} at line {line}, with no "
            f"{sync} between: order them with one, make it an atomic, or give each thread its own "
            "element"
        )
        self.keep("global race", access, bad, index[k] * access.array.shadow.grain, detail)

    def name(self, access, granule):
        """The element that a granule is in, for messages."""
        array = access.array
        name, element, *_ = array.describe(array.base + int(granule) * array.shadow.grain)
        return f"{name}[{element}]"

    def uninitialised(self, access):
        """Keep a Finding if lanes read what nobody has written."""
        form, written = access.instruction.access, access.array.written
        never = written.view(form.wide)[access.offsets >> form.shift] != WRITTEN[form.bytes]
        if never.any():
            offset = int(access.offsets[never.argmax()])
            offset += int(written[offset : offset + form.bytes].argmin())
            name, element, *_ = access.array.describe(access.array.base + offset)
            detail = f"reads {name}[{element}], which nobody has written"
            self.keep("uninitialised global read", access, never, offset, detail)

    def keep(self, kind, access, bad, offset, detail):
        """Keep the Finding for the first bad lane. offset: of what it accessed, bytes."""
        k = int(np.flatnonzero(bad)[0])
        block = unflatten(int(access.blocks[k]) - 1, self.launch.grid)
        thread = unflatten(int(access.threads[k]), self.launch.block)
        finding = self.launch.finding(kind, access.instruction, block, thread, None, None, detail)
        finding.address = access.array.base + int(offset)
        finding.array, finding.index, *_ = access.array.describe(finding.address)
        self.launch.keep(finding, int(np.count_nonzero(bad)))
