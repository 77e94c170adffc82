"""Uninitialised reads, races in shared memory, and races between blocks in global memory.

Shared memory: each granule remembers who wrote it last and two of those who read it last, as stamps of
(time, thread, instruction). Time advances at every barrier and __syncwarp. Two accesses by different
threads, one of them a write, are a race unless a barrier of the block, or a __syncwarp of the warp
that both are in, lies between them. While all blocks of a chunk do the same, one row of stamps
stands for all of them.

Global memory: each granule of an array that the kernel may write remembers the blocks that wrote and
read it. Atomic, volatile and other strong accesses do not race with one another; block A's accesses are
before block B's if A made a fence and then a strong access, and B made a strong access after that.

A write of the value that is there already is not reported.
"""

import re

import numpy as np

TIME, THREAD = 27, 16  # where a stamp's fields start; below: the instruction


def thread_of(stamp):
    return (stamp >> THREAD) & 2047


class Checker:
    """Watches one launch."""

    def __init__(self, launch):
        self.launch, self.program = launch, launch.program
        self.grain = launch.program.shared_grain
        self.state, self.time = None, 1
        self.clock = 1  # of strong accesses
        self.fenced = np.zeros(
            launch.count, bool
        )  # by block: a fence since the last strong access?
        self.released = np.full(launch.count, np.iinfo(np.int64).max)
        self.acquired = np.full(launch.count, -1, np.int64)
        self.watched = self.watched_slots()

    def watched_slots(self):
        """Slots of the arrays that the kernel may write; None for all."""
        names = self.program.written
        if "?" in names:
            return None
        slots = set()
        for name in names:
            if name in self.launch.parameters:
                raw = self.launch.parameters[name]
                slots |= {
                    int.from_bytes(raw[k : k + 8], "little") >> 40
                    for k in range(0, len(raw) - 7, 8)
                }
            elif self.program.symbols.get(name):
                slots.add(self.program.symbols[name] >> 40)
        return slots

    def enter(self, S):
        """A new chunk has new shared memory and new barriers."""
        if S is self.state:
            return
        self.state, self.time = S, 1
        count = -(-S.shared.size // self.grain)
        self.wrote = np.zeros((1, count), np.int64)
        self.read = np.zeros((2, 1, count), np.int64)
        self.blocks_synced = np.zeros((1, 1), np.int64)
        self.warps_synced = np.zeros((1, S.lanes.warps), np.int64)

    # Barriers and fences ---------------------------------------------------------------------------
    def block_sync(self, S, complete):
        self.enter(S)
        if complete.all():
            self.blocks_synced = np.full((1, 1), self.time)
        else:
            self.blocks_synced = np.where(complete[:, None], self.time, self.blocks_synced)
        self.time += 1

    def warp_sync(self, S, G):
        self.enter(S)
        if G is S.everyone:
            self.warps_synced = np.full_like(self.warps_synced, self.time)
        else:
            ids = (G.ids if G.mask is None else G.ids[G.mask]).reshape(-1)
            self.warps_synced = np.broadcast_to(
                self.warps_synced, (S.lanes.blocks, S.lanes.warps)
            ).copy()
            self.warps_synced[ids // S.lanes.threads, ids % S.lanes.threads // 32] = self.time
        self.time += 1

    def fence(self, S, G, mask, i):
        self.fenced[S.numbers[self.rows(G, mask)]] = True

    def strong(self, S, G, mask, i):
        """A strong access: it acquires, and, after a fence or with .release, releases."""
        if "release" in i.parts or "acq_rel" in i.parts:
            self.fence(S, G, mask, i)
        blocks = S.numbers[self.rows(G, mask)]
        self.clock += 1
        self.acquired[blocks] = self.clock
        ready = blocks[self.fenced[blocks]]
        self.released[ready] = np.minimum(self.released[ready], self.clock)

    def rows(self, G, mask):
        if mask is None:
            return G.blocks
        return np.unique(G.ids[mask] // G.lanes.threads)

    # Shared memory -----------------------------------------------------------------------------------
    def lanes(self, S, G, mask, offset):
        """(rows or None, threads, offsets) of the active lanes, each (n,); rows None: all blocks alike."""
        alike = (
            mask is None
            and G.flat is None
            and G.shape[0] == S.lanes.blocks
            and (offset.ndim == 0 or offset.shape[0] == 1)
        )
        if alike:
            threads = G.threads
            return None, threads, np.broadcast_to(offset.reshape(-1), threads.shape)
        ids = G.ids if mask is None else G.ids[mask]
        if mask is not None and offset.shape == ids.shape:
            values = offset
        else:
            values = np.broadcast_to(offset, G.shape)
            values = values if mask is None else values[mask]
        ids = ids.reshape(-1)
        return ids // S.lanes.threads, ids % S.lanes.threads, values.reshape(-1)

    def spread(self, S, rows):
        """Give every block stamps of its own, once they differ."""
        if self.wrote.shape[0] < S.lanes.blocks and rows is not None:
            self.wrote = np.repeat(self.wrote, S.lanes.blocks, axis=0)
            self.read = np.repeat(self.read, S.lanes.blocks, axis=1)

    def place(self, rows, threads):
        """Index of each lane's row of stamps."""
        if rows is None or self.wrote.shape[0] == 1:
            return np.zeros(len(threads), np.int64) if rows is None else rows * 0
        return rows

    def unordered(self, stamps, rows, threads):
        """Which stamps are of another thread, with no barrier between it and now."""
        blocks, warps = self.blocks_synced, self.warps_synced
        at = 0 if rows is None else rows
        since = blocks[at if blocks.shape[0] > 1 else 0, 0]
        when, who = stamps >> TIME, thread_of(stamps)
        warp = threads // 32
        warp_since = warps[at if warps.shape[0] > 1 else 0, warp]
        return (
            (stamps != 0)
            & (who != threads)
            & (when > since)
            & ((who // 32 != warp) | (when > warp_since))
        )

    def each(self, S, G, mask, i, offset, check):
        """Run check for each granule that an access covers."""
        self.enter(S)
        rows, threads, offset = self.lanes(S, G, mask, offset)
        if (
            rows is None
            and max(self.blocks_synced.shape[0], self.warps_synced.shape[0], self.wrote.shape[0])
            > 1
        ):
            # Blocks had different pasts: no row can stand for all.
            rows, threads, offset = (
                np.repeat(np.arange(S.lanes.blocks), len(threads)),
                np.tile(threads, S.lanes.blocks),
                np.tile(offset, S.lanes.blocks),
            )
        self.spread(S, rows)
        stamp = (
            (np.int64(self.time) << TIME)
            | (threads.astype(np.int64) << THREAD)
            | np.int64(i.index & 0xFFFF)
        )
        for k in range(0, i.bytes, self.grain):
            check(rows, threads, (offset + k) // self.grain, stamp)

    def shared_read(self, S, G, mask, i, offset):
        def check(rows, threads, index, stamp):
            row = self.place(rows, threads)
            wrote = self.wrote[row, index]
            never = wrote == 0
            if never.any():
                self.uninitialised_shared(S, i, rows, threads, index, never)
            bad = self.unordered(wrote, rows, threads)
            if bad.any():
                self.race(S, i, rows, threads, index, bad, wrote, "wrote")
            self.remember(row, index, stamp)

        self.each(S, G, mask, i, offset, check)

    def remember(self, row, index, stamp):
        """Keep two readers of each granule, by different threads."""
        first, second = self.read
        old = first[row, index]
        other = (old != 0) & (thread_of(old) != thread_of(stamp))
        if other.any():
            second[row[other], index[other]] = old[other]
        first[row, index] = stamp
        lost = first[row, index] != stamp  # lanes of this instruction that met at one granule
        if lost.any():
            second[row[lost], index[lost]] = stamp[lost]

    def shared_write(self, S, G, mask, i, offset, value, atomic=False):
        def check(rows, threads, index, stamp):
            row = self.place(rows, threads)
            if atomic and i.operation != "exch" and (self.wrote[row, index] == 0).any():
                self.uninitialised_shared(S, i, rows, threads, index, self.wrote[row, index] == 0)
            stamps = [
                ("wrote", self.wrote[row, index]),
                ("read", self.read[0][row, index]),
                ("read", self.read[1][row, index]),
            ]
            for verb, stamp_before in stamps:
                bad = self.unordered(stamp_before, rows, threads)
                if atomic:  # atomics do not race with one another
                    bad &= ~self.atomic_instruction(stamp_before)
                if bad.any() and not self.no_change(S, i, G, mask, offset, value):
                    self.race(S, i, rows, threads, index, bad, stamp_before, verb)
            self.wrote[row, index] = stamp
            if not atomic and (self.wrote[row, index] != stamp).any():
                self.together(S, G, mask, i, rows, threads, index, stamp, value, offset)

        self.each(S, G, mask, i, offset, check)

    def atomic_instruction(self, stamps):
        numbers = np.fromiter(
            (k for k, i in enumerate(self.program.instructions) if i.name in ("atom", "red")),
            np.int64,
        )
        return np.isin(stamps & 0xFFFF, numbers & 0xFFFF)

    def shared_atomic(self, S, G, mask, i, offset):
        self.shared_write(S, G, mask, i, offset, None, atomic=True)

    def no_change(self, S, i, G, mask, offset, value):
        """Does a write leave shared memory as it is? (Threads that set the same flag do no harm.)"""
        if value is None or mask is not None:
            return False
        from .memory import shared_take

        return bool((shared_take(S.shared.view(i.wide), G, offset >> i.shift) == value).all())

    def together(self, S, G, mask, i, rows, threads, index, stamp, value, offset):
        """Lanes of one instruction wrote one granule: a race if their values differ."""
        values = np.broadcast_to(value, G.shape if mask is None else offset.shape)
        values = values[0] if rows is None and values.ndim == 2 else values.reshape(-1)
        if values.shape != index.shape:
            return
        row = self.place(rows, threads)
        order = np.lexsort((np.arange(len(index)), index, row))
        same = (row[order][1:] == row[order][:-1]) & (index[order][1:] == index[order][:-1])
        differ = same & (values[order][1:] != values[order][:-1])
        if differ.any():
            bad = np.zeros(len(index), bool)
            bad[order[1:][differ]] = True
            before = np.zeros(len(index), np.int64)
            before[order[1:]] = stamp[order[:-1]]
            self.race(S, i, rows, threads, index, bad, before, "wrote")

    # Findings ------------------------------------------------------------------------------------------
    def coordinates(self, S, rows, threads, k):
        from .scheduler import unflatten

        number = int(S.numbers[0 if rows is None else rows[k]])
        return unflatten(number, self.launch.grid), unflatten(int(threads[k]), self.launch.block)

    def shared_name(self, i, offset):
        """'tile[3]' for a byte offset: counted in elements of the access."""
        size = i.bytes // i.count
        for name, start, length in self.program.shared_variables:
            if start <= offset < start + length or length == 0 and offset >= start:
                return plain(name), int(offset - start) // size
        return "shared memory", int(offset) // size

    def uninitialised_shared(self, S, i, rows, threads, index, never):
        k = int(np.flatnonzero(never)[0])
        offset = int(index[k]) * self.grain
        name, element = self.shared_name(i, offset)
        self.keep(
            S,
            "uninitialised shared read",
            i,
            rows,
            threads,
            k,
            never,
            offset,
            name,
            element,
            f"{'reads' if i.name == 'ld' else 'updates'} {name}[{element}] in shared memory, "
            "which no thread has written",
        )

    def race(self, S, i, rows, threads, index, bad, stamps, verb):
        k = int(np.flatnonzero(bad)[0])
        offset = int(index[k]) * self.grain
        name, element = self.shared_name(i, offset)
        other = int(thread_of(stamps[k]))
        _, other_thread = (
            self.coordinates(S, rows, np.array([other]), 0)
            if rows is None
            else self.coordinates(S, rows[k : k + 1], np.array([other]), 0)
        )
        line = self.line(int(stamps[k]) & 0xFFFF, i)
        does = "reads" if i.name == "ld" else "updates" if i.name in ("atom", "red") else "writes"
        near = other // 32 == int(threads[k]) // 32
        remedy = "__syncwarp()" if near else "__syncthreads()"
        kind = "missing __syncwarp" if near else "shared race"
        self.keep(
            S,
            kind,
            i,
            rows,
            threads,
            k,
            bad,
            offset,
            name,
            element,
            f"{does} {name}[{element}] in shared memory, which thread {other_thread} {verb} at line {line}, "
            f"with no {remedy} between",
        )

    def line(self, index, i):
        found = [j.line for j in self.program.instructions[index :: 1 << 16]]
        return found[0] if found else i.line

    def keep(self, S, kind, i, rows, threads, k, bad, address, name, element, detail):
        block, thread = self.coordinates(S, rows, threads, k)
        count = int(np.count_nonzero(bad)) * (S.lanes.blocks if rows is None else 1)
        finding = self.launch.finding(kind, i, block, thread, None, None, detail)
        finding.address, finding.array, finding.index = address, name, element
        self.launch.keep(finding, count)

    # Global memory -----------------------------------------------------------------------------------
    def follow(self, array):
        """The shadow of an array, or None if the kernel cannot write it."""
        if self.watched is not None and array.base >> 40 not in self.watched:
            return None
        if array.shadow is None or array.shadow.launch is not self.launch:
            array.shadow = Shadow(self.launch, array)
        return array.shadow

    def flat_lanes(self, S, G, mask, offset):
        """(block number + 1, lane numbers, offsets), each (n,)."""
        ids = G.ids
        if mask is not None:
            ids = ids[mask]
            offset = offset if offset.shape == ids.shape else np.broadcast_to(offset, G.shape)[mask]
        else:
            offset = np.broadcast_to(offset, G.shape)
        ids = ids.reshape(-1)
        return S.numbers[ids // S.lanes.threads] + 1, ids, offset.reshape(-1)

    def global_read(self, S, G, mask, i, array, offset):
        if array.written is not None:
            self.uninitialised_global(S, G, mask, i, array, offset)
        if i.strong:
            self.strong(S, G, mask, i)
            return
        shadow = self.follow(array)
        if shadow is None:
            return
        blocks, ids, offset = self.flat_lanes(S, G, mask, offset)
        for k in range(0, i.bytes, array.grain):
            index = (offset + k) // array.grain
            writer = shadow.writer[index]
            self.between(S, i, array, blocks, ids, index, writer, shadow.line, "wrote")
            old = shadow.reader[index]
            differs = (old != 0) & (old != blocks)
            if differs.any():
                shadow.other[index[differs]] = old[differs]
            shadow.reader[index] = blocks
            lost = shadow.reader[index] != blocks
            if lost.any():
                shadow.other[index[lost]] = blocks[lost]
            shadow.read_line[index] = i.index & 0xFFFF

    def global_write(self, S, G, mask, i, array, offset, value, atomic=False):
        if array.written is not None:
            if atomic and i.operation != "exch":
                self.uninitialised_global(S, G, mask, i, array, offset)
            flat = offset.reshape(-1)
            for k in range(0, i.bytes, 4):
                array.written[(flat + k) // 4] = True
        shadow = self.follow(array)
        atomic = atomic or i.strong
        if shadow is not None:
            blocks, ids, flat = self.flat_lanes(S, G, mask, offset)
            changed = None
            for k in range(0, i.bytes, array.grain):
                index = (flat + k) // array.grain
                writer = shadow.writer[index]
                if atomic:
                    writer = np.where(writer < 0, 0, writer)
                busy = (writer != 0) & (np.abs(writer) != blocks)
                if busy.any() and changed is None:
                    changed = self.changed(array, i, flat, value, mask, G)
                if busy.any():
                    self.between(
                        S,
                        i,
                        array,
                        blocks,
                        ids,
                        index,
                        np.where(changed, writer, 0),
                        shadow.line,
                        "wrote",
                    )
                reader = shadow.reader[index]
                if reader.any():
                    if changed is None:
                        changed = self.changed(array, i, flat, value, mask, G)
                    hit = np.where(reader == blocks, shadow.other[index], reader)
                    self.between(
                        S,
                        i,
                        array,
                        blocks,
                        ids,
                        index,
                        np.where(changed, hit, 0),
                        shadow.read_line,
                        "read",
                    )
                shadow.writer[index] = -blocks if atomic else blocks
                shadow.line[index] = i.index & 0xFFFF
                if not atomic:
                    self.met(S, i, array, blocks, ids, index, shadow, value, mask, G)
        if atomic:
            self.strong(S, G, mask, i)

    def global_atomic(self, S, G, mask, i, array, offset):
        self.global_write(S, G, mask, i, array, offset, None, atomic=True)

    def changed(self, array, i, offset, value, mask, G):
        """Which lanes write something new."""
        if value is None:
            return np.ones(offset.shape, bool)
        value = (
            np.broadcast_to(value, G.shape).reshape(-1)
            if value.size != offset.size
            else value.reshape(-1)
        )
        return array.view(i.wide)[offset >> i.shift] != value

    def met(self, S, i, array, blocks, ids, index, shadow, value, mask, G):
        """Lanes of several blocks in one instruction wrote one granule: a race if the values differ."""
        lost = shadow.writer[index] != blocks
        if not lost.any():
            return
        value = (
            np.broadcast_to(value, G.shape).reshape(-1)
            if value.size != index.size
            else value.reshape(-1)
        )
        last = np.zeros(int(index.max()) + 1 - int(index.min()), value.dtype)
        last[index - index.min()] = value
        lost &= last[index - index.min()] != value
        self.between(
            S,
            i,
            array,
            blocks,
            ids,
            index,
            np.where(lost, shadow.writer[index], 0),
            shadow.line,
            "wrote",
        )

    def between(self, S, i, array, blocks, ids, index, other, lines, verb):
        """Report accesses of a granule by two blocks in no order. other: block + 1, negative if strong, 0: none."""
        who = np.abs(other)
        bad = (who != 0) & (who != blocks)
        if not bad.any():
            return
        ordered = self.released[np.maximum(who, 1) - 1] <= self.acquired[blocks - 1]
        bad &= ~ordered
        if not bad.any():
            return
        k = int(np.flatnonzero(bad)[0])
        from .scheduler import unflatten

        address = array.base + int(index[k]) * array.grain
        name, element, *_ = array.describe(address)
        grid, block = self.launch.grid, self.launch.block
        line = self.line(int(lines[index[k]]), i)
        does = "reads" if i.name == "ld" else "updates" if i.name in ("atom", "red") else "writes"
        finding = self.launch.finding(
            "global race",
            i,
            unflatten(int(blocks[k]) - 1, grid),
            unflatten(int(ids[k]) % S.lanes.threads, block),
            None,
            None,
            f"{does} {name}[{element}], which block {unflatten(int(who[k]) - 1, grid)} {verb} at line {line}: "
            "blocks run in no order, so make it an atomic or give each block its own element",
        )
        finding.address, finding.array, finding.index = address, name, element
        self.launch.keep(finding, int(np.count_nonzero(bad)))

    def uninitialised_global(self, S, G, mask, i, array, offset):
        blocks, ids, flat = self.flat_lanes(S, G, mask, offset)
        for k in range(0, i.bytes, 4):
            never = ~array.written[(flat + k) // 4]
            if not never.any():
                continue
            n = int(np.flatnonzero(never)[0])
            from .scheduler import unflatten

            address = array.base + int(flat[n]) + k
            name, element, *_ = array.describe(address)
            finding = self.launch.finding(
                "uninitialised global read",
                i,
                unflatten(int(blocks[n]) - 1, self.launch.grid),
                unflatten(int(ids[n]) % S.lanes.threads, self.launch.block),
                None,
                None,
                f"reads {name}[{element}], which nobody has written",
            )
            finding.address, finding.array, finding.index = address, name, element
            self.launch.keep(finding, int(np.count_nonzero(never)))


class Shadow:
    """Who wrote and read each granule of an array: block + 1, negative for strong writes; 0: nobody."""

    def __init__(self, launch, array):
        self.launch = launch
        count = -(-array.bytes // array.grain)
        self.writer = np.zeros(count, np.int64)
        self.reader, self.other = (
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
        )  # two that read it last
        self.line, self.read_line = np.zeros(count, np.uint16), np.zeros(count, np.uint16)


def plain(name):
    """The variable's name out of a mangled one: _ZZ1kE4tile -> tile."""
    match = re.search(r"E(\d+)(\w+?)(_\d+)?$", name) if name.startswith("_Z") else None
    return match.group(2)[: int(match.group(1))] if match else name
