"""Uninitialised reads and races in shared memory.

Each granule (4 bytes, or fewer if the kernel has smaller accesses) remembers who wrote it last and
two of those who read it last, as stamps of (time, thread, instruction). Time advances at every
barrier and __syncwarp. Two accesses by different threads, one of them a write, are a race unless a
barrier of the block, or a __syncwarp of the warp that both are in, lies between them.

While all blocks of a chunk do the same, one row of stamps stands for all of them.
"""

import re
from dataclasses import dataclass

import numpy as np

from .lanes import unflatten
from .memory import shared_take

TIME, THREAD = 27, 16  # where a stamp's fields start; below: the instruction


def thread_of(stamp):
    return (stamp >> THREAD) & 2047


@dataclass
class Access:
    """Lanes of one access. rows: block of the chunk of each lane, None if all blocks do the
    same.
    """

    state: object
    instruction: object
    rows: object
    threads: np.ndarray
    offsets: np.ndarray  # bytes


class SharedWatch:
    def __init__(self, launch):
        self.launch, self.program = launch, launch.program
        self.grain = launch.program.shared_grain
        self.state, self.time = None, 1
        self.atomics = [
            k
            for k, instruction in enumerate(self.program.instructions)
            if instruction.name in ("atom", "red")
        ]

    def enter(self, state):
        """A new chunk has new shared memory and new barriers."""
        if state is self.state:
            return
        self.state, self.time = state, 1
        count = -(-state.shared.size // self.grain)
        self.wrote = np.zeros((1, count), np.int64)
        self.reads = np.zeros((2, 1, count), np.int64)
        self.flying = np.zeros((1, count), np.int64)  # asynchronous copies that have not landed
        self.blocks_synced = np.zeros((1, 1), np.int64)
        self.warps_synced = np.zeros((1, state.lanes.warps), np.int64)

    # Barriers ----------------------------------------------------------------------------------
    def block_sync(self, state, complete):
        """The blocks marked in complete (bool, (B,)) passed a barrier."""
        self.enter(state)
        if complete.all():
            self.blocks_synced = np.full((1, 1), self.time)
        else:
            self.blocks_synced = np.where(complete[:, None], self.time, self.blocks_synced)
        self.time += 1

    def warp_sync(self, state, group):
        """The warps of a group passed a __syncwarp."""
        self.enter(state)
        if group is state.everyone:
            self.warps_synced = np.full_like(self.warps_synced, self.time)
        else:
            ids = (group.ids if group.mask is None else group.ids[group.mask]).reshape(-1)
            block, thread = np.divmod(ids, state.lanes.threads)
            shape = state.lanes.blocks, state.lanes.warps
            self.warps_synced = np.broadcast_to(self.warps_synced, shape).copy()
            self.warps_synced[block, thread // 32] = self.time
        self.time += 1

    # Lanes and their stamps --------------------------------------------------------------------
    def access(self, state, group, mask, instruction, offset):
        """The Access of the active lanes."""
        self.enter(state)
        every_block = mask is None and group.flat is None and group.shape[0] == state.lanes.blocks
        if every_block and (offset.ndim == 0 or offset.shape[0] == 1):
            threads = group.threads
            offsets = np.broadcast_to(offset.reshape(-1), threads.shape)
            pasts = (self.blocks_synced, self.warps_synced, self.wrote)
            if all(past.shape[0] == 1 for past in pasts):
                return Access(state, instruction, None, threads, offsets)
        ids = group.ids if mask is None else group.ids[mask]
        if mask is None or offset.shape != ids.shape:
            offset = group.compress(offset, mask)
        if self.wrote.shape[0] < state.lanes.blocks:  # from now on each block has stamps of its own
            self.wrote = np.repeat(self.wrote, state.lanes.blocks, axis=0)
            self.reads = np.repeat(self.reads, state.lanes.blocks, axis=1)
            self.flying = np.repeat(self.flying, state.lanes.blocks, axis=0)
        rows, threads = np.divmod(ids.reshape(-1), state.lanes.threads)
        return Access(state, instruction, rows, threads, offset.reshape(-1))

    def granules(self, access):
        """(row, column) of the stamps that an access touches, one pair for each granule of a
        lane.
        """
        row = 0 if access.rows is None else access.rows
        for k in range(0, access.instruction.bytes, self.grain):
            yield row, (access.offsets + k) // self.grain

    def stamp(self, access):
        number = access.instruction.index & 0xFFFF
        return (self.time << TIME) | (access.threads.astype(np.int64) << THREAD) | number

    def unordered(self, stamps, access):
        """Which stamps are of another thread, with no barrier between then and now."""
        row = 0 if access.rows is None else access.rows
        blocks, warps = self.blocks_synced, self.warps_synced
        warp = access.threads // 32
        block_since = blocks[row if blocks.shape[0] > 1 else 0, 0]
        warp_since = warps[row if warps.shape[0] > 1 else 0, warp]
        when, who = stamps >> TIME, thread_of(stamps)
        apart = (who // 32 != warp) | (when > warp_since)
        return (stamps != 0) & (who != access.threads) & (when > block_since) & apart

    # Accesses ----------------------------------------------------------------------------------
    def read(self, state, group, mask, instruction, offset):
        access = self.access(state, group, mask, instruction, offset)
        stamp = self.stamp(access)
        for row, column in self.granules(access):
            wrote, flying = self.wrote[row, column], self.flying[row, column]
            if flying.any():
                self.unfinished(access, column, flying)
            elif not wrote.all():
                self.uninitialised(access, column, wrote == 0)
            bad = self.unordered(wrote, access)
            if bad.any():
                self.race(access, column, bad, wrote, "wrote")
            self.remember(row, column, stamp)

    def remember(self, row, column, stamp):
        """Keep two readers of each granule, by different threads."""
        first, second = self.reads
        old = first[row, column]
        other = (old != 0) & (thread_of(old) != thread_of(stamp))
        second[row, column] = np.where(other, old, second[row, column])
        first[row, column] = stamp
        lost = first[row, column] != stamp  # lanes of this access that met at one granule
        if lost.any():
            second[row if np.ndim(row) == 0 else row[lost], column[lost]] = stamp[lost]

    def atomic(self, state, group, mask, instruction, offset):
        self.write(state, group, mask, instruction, offset, None)

    def write(self, state, group, mask, instruction, offset, value):
        """value: what is written, or None for an atomic (and where it is not known)."""
        access = self.access(state, group, mask, instruction, offset)
        stamp, atomic = self.stamp(access), instruction.name in ("atom", "red")
        quiet = None
        for row, column in self.granules(access):
            wrote = self.wrote[row, column]
            if atomic and instruction.operation != "exch" and not wrote.all():
                self.uninitialised(access, column, wrote == 0)
            before = [("wrote", wrote), *(("read", reads[row, column]) for reads in self.reads)]
            for verb, stamps in before:
                bad = self.unordered(stamps, access)
                if atomic:  # atomics do not race with one another
                    bad &= ~np.isin(stamps & 0xFFFF, self.atomics)
                if bad.any():
                    quiet = (
                        self.unchanged(state, group, mask, instruction, offset, value)
                        if quiet is None
                        else quiet
                    )
                    if not quiet:
                        self.race(access, column, bad, stamps, verb)
            self.wrote[row, column] = stamp
            if value is not None and (self.wrote[row, column] != stamp).any():
                self.met(access, column, stamp, value)

    def copy_starts(self, state, group, mask, instruction, offset):
        """cp.async: from now on it may write, until it is waited for."""
        if mask is not None:
            offset = group.compress(offset, mask)
        access = self.access(state, group, mask, instruction, offset)
        for row, column in self.granules(access):
            for verb, stamps in (
                ("wrote", self.wrote[row, column]),
                *(("read", reads[row, column]) for reads in self.reads),
            ):
                bad = self.unordered(stamps, access)
                if bad.any():
                    self.race(access, column, bad, stamps, verb)
            self.flying[row, column] = self.stamp(access)

    def copy_lands(self, state, group, mask, instruction, offset):
        if mask is not None:
            offset = group.compress(offset, mask)
        for row, column in self.granules(self.access(state, group, mask, instruction, offset)):
            self.flying[row, column] = 0

    def unchanged(self, state, group, mask, instruction, offset, value):
        """Does a write leave shared memory as it is?"""
        if value is None or mask is not None:
            return False
        now = shared_take(state.shared.view(instruction.wide), group, offset >> instruction.shift)
        return bool((now == value).all())

    def met(self, access, column, stamp, value):
        """Lanes of one instruction wrote one granule: a race if their values differ."""
        if value.ndim == 2 and access.rows is None:
            value = value[0]
        value = (
            np.broadcast_to(value.reshape(-1), column.shape)
            if value.size in (1, column.size)
            else None
        )
        if value is None:
            return
        row = np.zeros(len(column), int) if access.rows is None else access.rows
        order = np.lexsort((column, row))
        row, column_sorted, value = row[order], column[order], value[order]
        differ = (row[1:] == row[:-1]) & (column_sorted[1:] == column_sorted[:-1])
        differ &= value[1:] != value[:-1]
        if differ.any():
            bad, before = np.zeros(len(column), bool), np.zeros(len(column), np.int64)
            bad[order[1:]], before[order[1:]] = differ, stamp[order[:-1]]
            self.race(access, column, bad, before, "wrote")

    # Findings ----------------------------------------------------------------------------------
    def uninitialised(self, access, column, never):
        name, element = self.element(access, column, never)
        does = f"{access.instruction.verb} {name}[{element}]"
        detail = f"{does} in shared memory, which no thread has written"
        self.keep("uninitialised shared read", access, column, never, detail)

    def unfinished(self, access, column, flying):
        name, element = self.element(access, column, flying != 0)
        stamp = int(flying[np.flatnonzero(flying)[0]])
        detail = (
            f"{access.instruction.verb} {name}[{element}] in shared memory while the asynchronous "
            f"copy of line {self.program.line_of(stamp & 0xFFFF)} may still write it: wait for the "
            "copy, then for the other threads"
        )
        self.keep("unfinished copy", access, column, flying != 0, detail)

    def race(self, access, column, bad, stamps, verb):
        k = int(np.flatnonzero(bad)[0])
        name, element = self.element(access, column, bad)
        other = int(thread_of(stamps[k]))
        near = other // 32 == int(access.threads[k]) // 32
        detail = (
            f"{access.instruction.verb} {name}[{element}] in shared memory, which thread "
            f"{unflatten(other, self.launch.block)} {verb} at line "
            f"{self.program.line_of(int(stamps[k]) & 0xFFFF)}, with no "
            f"{'__syncwarp()' if near else '__syncthreads()'} between"
        )
        kind = "missing __syncwarp" if near else "shared race"
        self.keep(kind, access, column, bad, detail)

    def element(self, access, column, bad):
        """(variable, index) of the first bad lane's granule, counted in elements of the access."""
        offset = int(column[np.flatnonzero(bad)[0]]) * self.grain
        size = access.instruction.bytes // access.instruction.count
        for name, start, length in self.program.shared_variables:
            if start <= offset < start + length or (length == 0 and offset >= start):
                return plain(name), (offset - start) // size
        return "shared memory", offset // size

    def keep(self, kind, access, column, bad, detail):
        k = int(np.flatnonzero(bad)[0])
        state = access.state
        number = int(state.numbers[0 if access.rows is None else access.rows[k]])
        block = unflatten(number, self.launch.grid)
        thread = unflatten(int(access.threads[k]), self.launch.block)
        finding = self.launch.finding(kind, access.instruction, block, thread, None, None, detail)
        finding.array, finding.index = self.element(access, column, bad)
        finding.address = int(column[k]) * self.grain
        alike = state.lanes.blocks if access.rows is None else 1
        self.launch.keep(finding, int(np.count_nonzero(bad)) * alike)


def plain(name):
    """The variable's name out of a mangled one: _ZZ1kE4tile -> tile."""
    match = re.search(r"E(\d+)(\w+?)(_\d+)?$", name) if name.startswith("_Z") else None
    return match.group(2)[: int(match.group(1))] if match else name
