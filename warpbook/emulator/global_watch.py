"""Uninitialised reads of global memory, and races between blocks.

Each granule of an array that the kernel may write remembers the block that wrote it last and two
that read it last. Atomic, volatile and other strong accesses do not race with one another. Block
A's accesses are before block B's if A made a fence and then a strong access, and B made a strong
access after that: this is how a last block, a look-back or a barrier of the grid orders blocks.
"""

import numpy as np

from .lanes import unflatten
from .memory import SLOT

NEVER = np.iinfo(np.int64).max


class Shadow:
    """Of an array: block + 1 by granule, negative for strong writes; 0: nobody."""

    def __init__(self, launch, array):
        self.launch = launch
        count = -(-array.bytes // array.grain)
        self.writer = np.zeros(count, np.int64)
        self.reader, self.other = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.write_line, self.read_line = np.zeros(count, np.uint16), np.zeros(count, np.uint16)


class GlobalWatch:
    def __init__(self, launch):
        self.launch, self.program = launch, launch.program
        self.slots = self.written_slots()
        self.clock = 1  # of strong accesses
        self.fenced = np.zeros(launch.count, bool)  # by block: was there a fence?
        self.released = np.full(launch.count, NEVER)  # the first strong access after it
        self.acquired = np.full(launch.count, -1, np.int64)  # the last strong access

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

    def follow(self, array):
        """The shadow of an array, or None if the kernel cannot write it."""
        if self.slots is not None and array.base >> SLOT not in self.slots:
            return None
        if array.shadow is None or array.shadow.launch is not self.launch:
            array.shadow = Shadow(self.launch, array)
        return array.shadow

    # Order between blocks ----------------------------------------------------------------------
    def blocks(self, state, group, mask):
        """Numbers in the grid of the blocks that active lanes are in."""
        rows = group.blocks if mask is None else np.unique(group.ids[mask] // group.lanes.threads)
        return state.numbers[rows]

    def fence(self, state, group, mask, instruction):
        self.fenced[self.blocks(state, group, mask)] = True

    def strong(self, state, group, mask, instruction):
        """A strong access: it acquires, and, after a fence or with .release, releases."""
        blocks = self.blocks(state, group, mask)
        if "release" in instruction.parts or "acq_rel" in instruction.parts:
            self.fenced[blocks] = True
        self.clock += 1
        self.acquired[blocks] = self.clock
        ready = blocks[self.fenced[blocks]]
        self.released[ready] = np.minimum(self.released[ready], self.clock)

    # Accesses ----------------------------------------------------------------------------------
    def lanes(self, state, group, mask, offset):
        """(block number + 1, thread, byte offset) of the active lanes, each (n,)."""
        ids = group.ids if mask is None else group.ids[mask]
        if mask is None or offset.shape != ids.shape:
            offset = group.compress(offset, mask)
        rows, threads = np.divmod(ids.reshape(-1), state.lanes.threads)
        return state.numbers[rows] + 1, threads, offset.reshape(-1)

    def read(self, state, group, mask, instruction, array, offset):
        if array.written is not None:
            self.uninitialised(state, group, mask, instruction, array, offset)
        if instruction.strong:
            self.strong(state, group, mask, instruction)
            return
        shadow = self.follow(array)
        if shadow is None:
            return
        blocks, threads, offset = self.lanes(state, group, mask, offset)
        for k in range(0, instruction.bytes, array.grain):
            index = (offset + k) // array.grain
            lanes = array, instruction, blocks, threads, index
            self.compare(lanes, shadow.writer[index], shadow.write_line, "wrote")
            old = shadow.reader[index]
            differs = (old != 0) & (old != blocks)
            if differs.any():
                shadow.other[index[differs]] = old[differs]
            shadow.reader[index], shadow.read_line[index] = blocks, instruction.index & 0xFFFF
            lost = shadow.reader[index] != blocks  # blocks of this access that met at one granule
            if lost.any():
                shadow.other[index[lost]] = blocks[lost]

    def atomic(self, state, group, mask, instruction, array, offset):
        if array.written is not None and instruction.operation != "exch":
            self.uninitialised(state, group, mask, instruction, array, offset)
        self.write(state, group, mask, instruction, array, offset, None)

    def write(self, state, group, mask, instruction, array, offset, value):
        """value: what is written, or None for an atomic."""
        if array.written is not None:
            for k in range(0, instruction.bytes, 4):
                array.written[(offset.reshape(-1) + k) // 4] = True
        strong = instruction.strong or value is None
        shadow = self.follow(array)
        if shadow is not None:
            blocks, threads, offset = self.lanes(state, group, mask, offset)
            if value is not None:
                value = value if value.shape == offset.shape else group.compress(value, None)
            for k in range(0, instruction.bytes, array.grain):
                index = (offset + k) // array.grain
                lanes = array, instruction, blocks, threads, index
                self.write_granule(lanes, shadow, offset, value, strong)
        if strong:
            self.strong(state, group, mask, instruction)

    def write_granule(self, lanes, shadow, offset, value, strong):
        array, instruction, blocks, threads, index = lanes
        writer, reader = shadow.writer[index], shadow.reader[index]
        if strong:
            writer = np.maximum(writer, 0)
        reader = np.where(reader == blocks, shadow.other[index], reader)
        if ((writer != 0) & (np.abs(writer) != blocks)).any() or reader.any():
            changed = (
                True
                if value is None
                else array.view(instruction.wide)[offset >> instruction.shift] != value
            )
            self.compare(lanes, np.where(changed, writer, 0), shadow.write_line, "wrote")
            self.compare(lanes, np.where(changed, reader, 0), shadow.read_line, "read")
        shadow.writer[index] = -blocks if strong else blocks
        shadow.write_line[index] = instruction.index & 0xFFFF
        lost = np.abs(shadow.writer[index]) != blocks
        if not strong and lost.any():  # blocks met at one granule: a race if their values differ
            start = index.min()
            last = np.zeros(int(index.max() - start) + 1, value.dtype)
            last[index - start] = value
            lost &= last[index - start] != value
            winner = np.where(lost, shadow.writer[index], 0)
            self.compare(lanes, winner, shadow.write_line, "wrote")

    # Findings ----------------------------------------------------------------------------------
    def compare(self, lanes, other, lines, verb):
        """Report accesses of one granule by two blocks in no order. other: as in a Shadow."""
        array, instruction, blocks, threads, index = lanes
        other = np.abs(other)
        bad = (other != 0) & (other != blocks)
        if bad.any():
            bad &= self.released[np.maximum(other, 1) - 1] > self.acquired[blocks - 1]
        if not bad.any():
            return
        k = int(np.flatnonzero(bad)[0])
        address = array.base + int(index[k]) * array.grain
        name, element, *_ = array.describe(address)
        rival = unflatten(int(other[k]) - 1, self.launch.grid)
        line = self.program.line_of(int(lines[index[k]]))
        detail = (
            f"{instruction.verb} {name}[{element}], which block {rival} {verb} at line {line}: blocks run in no order, "
            "so make it an atomic or give each block its own element"
        )
        self.keep("global race", lanes, bad, address, detail)

    def uninitialised(self, state, group, mask, instruction, array, offset):
        blocks, threads, offset = self.lanes(state, group, mask, offset)
        for k in range(0, instruction.bytes, 4):
            never = ~array.written[(offset + k) // 4]
            if never.any():
                address = array.base + int(offset[np.flatnonzero(never)[0]]) + k
                name, element, *_ = array.describe(address)
                detail = f"reads {name}[{element}], which nobody has written"
                lanes = array, instruction, blocks, threads, offset
                self.keep("uninitialised global read", lanes, never, address, detail)

    def keep(self, kind, lanes, bad, address, detail):
        array, instruction, blocks, threads, _ = lanes
        k = int(np.flatnonzero(bad)[0])
        block = unflatten(int(blocks[k]) - 1, self.launch.grid)
        thread = unflatten(int(threads[k]), self.launch.block)
        finding = self.launch.finding(kind, instruction, block, thread, None, None, detail)
        finding.address = address
        finding.array, finding.index, *_ = array.describe(address)
        self.launch.keep(finding, int(np.count_nonzero(bad)))
