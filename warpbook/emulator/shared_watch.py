"""Uninitialised reads and races in shared memory.

Each granule (4 bytes, or fewer if the kernel has smaller accesses) remembers who wrote it last and
two of those who read it last, as stamps (see order.py). Two accesses by different threads, one of
them a write, are a race unless they are in an order.

While all blocks of a chunk do the same, one row of stamps stands for all of them.

What came before a barrier of all blocks of the chunk is in order with what comes after it. So most
reads, those that no write came before since then, are not looked at but kept as they are: the next
barrier settles them, and only a write before it has to know who they were. Kernels whose threads
have clocks of their own (see clocks.py) go without this.
"""

from dataclasses import dataclass

import numpy as np

from .copy_watch import CopyWatch
from .lanes import unflatten
from .memory import differ, shared_take
from .order import author_of, instruction_of, rank_of, thread_of
from .product_watch import ProductWatch
from .ptx import plain

KEPT = 1 << 24  # bytes of reads that are kept to be looked at later


@dataclass
class Touch:
    """Lanes of one access. rows: block of the chunk whose memory each lane touches, None if all
    blocks do the same; threads: of each lane; offsets: bytes; own: the block that each lane is of,
    if not ``rows``; all (n,).
    """

    state: object
    instruction: object
    rows: object
    threads: np.ndarray
    offsets: np.ndarray
    own: object = None

    @property
    def home(self):
        """The block of the chunk that each lane is of."""
        own = self.rows if self.own is None else self.own
        return 0 if own is None else own


def is_atomic(instruction):
    return instruction.name in ("atom", "red")


class SharedWatch:
    """Watches the shared memory of a launch's blocks, chunk after chunk.

    grain: bytes of a granule; atomics: numbers of the instructions that are; order: Order.
    Stamps by granule, (1, n) while all blocks do the same, else (B, n), 0 where there was none:
    wrote; reads, (2 or 6, 1 or B, n); flying: of asynchronous copies that have not landed.
    flown: is there one? aloft: how many granules of copies are on their way.
    wrote_at, read_at: when somebody last wrote, and was remembered to read; whole: has each granule
    been written, as was known at the time ``whole_at``? kept: reads to be looked at later, (time,
    arguments); kept_bytes; read_map: the granules of the first ``mapped`` of them.
    """

    def __init__(self, launch, order):
        self.launch, self.program, self.order = launch, launch.program, order
        self.grain, self.state = launch.program.shared_grain, None
        instructions = self.program.instructions
        self.atomics = [k for k, item in enumerate(instructions) if is_atomic(item)]
        self.copies, self.products = CopyWatch(self), ProductWatch(self)

    def enter(self, state):
        """A new chunk has new shared memory."""
        self.order.enter(state)
        if state is self.state:
            return
        self.state = state
        count = -(-state.shared.size // self.grain)
        rows = state.lanes.blocks if self.order.precise else 1
        self.wrote = np.zeros((rows, count), np.int64)
        self.wrote_at = self.read_at = self.aloft = 0
        self.whole, self.whole_at = False, None
        self.forget_kept()
        self.since_time, self.since = None, 0
        if self.launch.reserved is not None:  # CUDA has set it up
            self.wrote[:, self.launch.reserved // self.grain :] = 1
        self.reads = np.zeros((6 if self.order.precise else 2, rows, count), np.int64)
        self.flying, self.flown = np.zeros((rows, count), np.int64), False
        self.copies.enter(state)
        self.products.enter()

    # Lanes and their stamps --------------------------------------------------------------------
    def touch(self, state, group, mask, instruction, offset):
        """The Touch of the active lanes."""
        self.enter(state)
        every_block = mask is None and group.flat is None and group.shape[0] == state.lanes.blocks
        alike = every_block and not self.order.precise
        if alike and (offset.ndim == 0 or offset.shape[0] == 1):
            threads = group.threads
            offsets = offset.reshape(-1)
            if offsets.shape != threads.shape:
                offsets = np.broadcast_to(offsets, threads.shape)
            pasts = (self.order.blocks_synced, self.order.warps_synced, self.wrote)
            if all(past.shape[0] == 1 for past in pasts):
                return Touch(state, instruction, None, threads, offsets)
        ids = group.ids if mask is None else group.ids[mask]
        if mask is None or offset.shape != ids.shape:
            offset = group.compress(offset, mask)
        self.by_block(state)
        rows, threads = np.divmod(ids.reshape(-1), state.lanes.threads)
        return Touch(state, instruction, rows, threads, offset.reshape(-1))

    def by_block(self, state):
        """From now on each block has stamps of its own."""
        if self.wrote.shape[0] < state.lanes.blocks:
            self.wrote = np.repeat(self.wrote, state.lanes.blocks, axis=0)
            self.reads = np.repeat(self.reads, state.lanes.blocks, axis=1)
            self.flying = np.repeat(self.flying, state.lanes.blocks, axis=0)

    def touch_at(self, state, instruction, rows, threads, offsets, own):
        """The Touch of given offsets in given blocks, by threads of the blocks ``own``."""
        self.enter(state)
        return Touch(state, instruction, rows, threads, offsets, own)

    def granules(self, touch):
        """(row, column) of the stamps of what lanes touch, one pair for each granule of a lane."""
        row = 0 if touch.rows is None else touch.rows
        for k in range(0, touch.instruction.access.bytes, self.grain):
            yield row, (touch.offsets + k) // self.grain

    def all_granules(self, touch):
        """All of them at once: (row, columns), with columns of shape (granules of a lane, n).
        Accesses are aligned, so lanes that meet at a granule do so within one row of these.
        """
        row = 0 if touch.rows is None else touch.rows
        steps = np.arange(0, touch.instruction.access.bytes, self.grain)[:, None]
        return row, (touch.offsets + steps) // self.grain

    def stamp(self, touch):
        """Of an access now."""
        return self.order.stamp(touch.home, touch.threads, touch.instruction)

    def unordered(self, stamps, touch):
        return self.order.unordered(stamps, touch.home, touch.threads)

    # Reads that are looked at later -------------------------------------------------------------
    def settled(self, when):
        """Has a barrier of all blocks come since then?"""
        order = self.order
        if self.since_time != order.time:
            self.since_time, self.since = order.time, int(order.blocks_synced.min())
        return when <= self.since

    def written(self):
        """Has every granule been written? As far as that is known without much work."""
        if not self.whole and self.whole_at != self.wrote_at:
            self.whole, self.whole_at = bool(self.wrote.all()), self.wrote_at
        return self.whole

    def defer(self, state, group, mask, instruction, offset):
        """Keep a read. Mask and offset may be registers, whose arrays change."""
        mask, offset = None if mask is None else mask.copy(), offset.copy()
        self.kept.append((self.order.time, (state, group, mask, instruction, offset)))
        self.kept_bytes += offset.nbytes
        if self.kept_bytes > KEPT:
            self.look_at_kept()

    def look_at_kept(self):
        """Remember who read, of the reads that no barrier has settled. It comes before any Touch
        that changes stamps: from a read on, each block may have stamps of its own.
        """
        kept = self.kept
        self.forget_kept()
        for time, read in kept:
            if not self.settled(time):
                touch = self.touch(*read)
                stamp = self.order.stamp(touch.home, touch.threads, touch.instruction, time)
                self.remember(*self.all_granules(touch), stamp)

    def forget_kept(self):
        self.kept, self.kept_bytes, self.mapped = [], 0, 0

    def before_write(self, state, group, mask, instruction, offset):
        """Look at the reads that are kept, if one may be of what is written now."""
        self.enter(state)
        if self.kept and self.settled(self.kept[0][0]):
            open_ = [(time, read) for time, read in self.kept if not self.settled(time)]
            self.forget_kept()
            self.kept, self.kept_bytes = open_, sum(read[-1].nbytes for _, read in open_)
        if self.kept and self.meets_kept(group, mask, instruction, offset):
            self.look_at_kept()

    def meets_kept(self, group, mask, instruction, offset):
        """Is what lanes touch among what was read and is kept, in whatever block?"""
        if self.mapped == 0:
            self.read_map = np.zeros(self.wrote.shape[1], bool)
        for _, (_, *read) in self.kept[self.mapped :]:
            for column in self.columns(*read):
                self.read_map[column] = True
        self.mapped = len(self.kept)
        columns = self.columns(group, mask, instruction, offset)
        return any(self.read_map[column].any() for column in columns)

    def columns(self, group, mask, instruction, offset):
        """The granules that the active lanes touch, in each lane's own block."""
        if mask is not None and offset.shape != group.ids[mask].shape:
            offset = group.compress(offset, mask)
        for k in range(0, instruction.access.bytes, self.grain):
            yield (offset + k) // self.grain

    # Accesses ----------------------------------------------------------------------------------
    def read(self, state, group, mask, instruction, offset):
        self.enter(state)
        access = state, group, mask, instruction, offset
        if self.order.precise:
            self.read_by(self.touch(*access))
            return
        if self.flown or not (self.settled(self.wrote_at) and self.written()):
            self.look(self.touch(*access))
        self.defer(*access)

    def read_by(self, touch):
        self.look(touch)
        self.remember(*self.all_granules(touch), self.stamp(touch))

    def look(self, touch):
        """Has all that lanes read been written, before a barrier and by no copy on its way?"""
        simple = not self.order.precise
        settled, whole = simple and self.settled(self.wrote_at), simple and self.written()
        if self.may_be_read(touch, settled, whole):
            return
        for row, column in self.granules(touch):
            flying = self.flying[row, column] if self.flown else None
            wrote = None if settled and whole else self.wrote[row, column]
            if flying is not None and flying.any():
                self.unfinished(touch, column, flying)
            elif not whole and np.count_nonzero(wrote) < wrote.size:
                self.uninitialised(touch, column, wrote == 0)
            if not settled:
                bad = self.unordered(wrote, touch)
                if np.count_nonzero(bad):
                    self.race(touch, column, bad, wrote, "wrote")

    def may_be_read(self, touch, settled, whole):
        """Is there nothing for ``look`` to find? All granules are asked at once, which is quick."""
        place = self.all_granules(touch)
        if self.flown and self.flying[place].any():
            return False
        if settled and whole:
            return True
        wrote = self.wrote[place]
        written = whole or np.count_nonzero(wrote) == wrote.size
        return written and (settled or not self.unordered(wrote, touch).any())

    def remember(self, row, column, stamp):
        """Keep two readers of each granule, by different threads; where warps go their own ways,
        also the last of each fourth warp. column: (n,) or (granules of a lane, n).
        """
        self.read_at = self.order.time
        reads = self.reads.reshape(len(self.reads), -1)  # one index is quicker than two
        first, second, place = *reads[:2], row * self.reads.shape[2] + column
        if self.order.precise:
            warp = rank_of(stamp) * self.state.lanes.warps + thread_of(stamp) // 32
            reads[2 + warp % 4, place] = stamp
        old = first[place]
        other = (old != 0) & (author_of(old) != author_of(stamp))
        if np.count_nonzero(other):
            second[place] = np.where(other, old, second[place])
        first[place] = stamp
        lost = first[place] != stamp  # lanes of this access that met at one granule
        if np.count_nonzero(lost):
            second[place[lost]] = np.broadcast_to(stamp, place.shape)[lost]

    def atomic(self, state, group, mask, instruction, offset):
        """In CUDA's own part: cooperative groups of several warps synchronise there."""
        reserved = self.launch.reserved
        if reserved is not None and (offset >= reserved).all():
            blocks = np.zeros(state.lanes.blocks, bool)
            blocks[group.blocks if mask is None else group.ids[mask] // state.lanes.threads] = True
            self.order.block_sync(state, blocks)
            return
        self.write(state, group, mask, instruction, offset, None)

    def write(self, state, group, mask, instruction, offset, value):
        """value: what is written, or None for an atomic (and where it is not known)."""
        self.before_write(state, group, mask, instruction, offset)
        self.write_by(
            self.touch(state, group, mask, instruction, offset),
            value,
            lambda: self.unchanged(state, group, mask, instruction, offset, value),
        )

    def write_by(self, touch, value=None, unchanged=lambda: False):
        """unchanged: a function that tells whether the write leaves memory as it is."""
        if self.may_be_written(touch):
            stamp, place = self.stamp(touch), self.all_granules(touch)
            self.wrote[place] = stamp
            if value is not None and (self.wrote[place] != stamp).any():
                for column in place[1]:
                    self.met(touch, column, stamp, value)
        else:
            self.look_at_write(touch, value, unchanged)
        self.wrote_at = self.order.time

    def look_at_write(self, touch, value, unchanged):
        """write_by, granule by granule of each lane, where there may be something to find."""
        stamp, atomic, quiet = self.stamp(touch), is_atomic(touch.instruction), None
        for row, column in self.granules(touch):
            self.products.disturbed(touch, row, column)
            if self.copies.any and touch.instruction.name != "cp":
                self.copies.disturbed(touch, row, column)
            if atomic and touch.instruction.access.operation != "exch":
                wrote = self.wrote[row, column]
                if not wrote.all():
                    self.uninitialised(touch, column, wrote == 0)
            for verb, stamps in self.unsettled(row, column):
                bad = self.clashing(stamps, touch)
                if bad.any():
                    quiet = unchanged() if quiet is None else quiet
                    if not quiet:
                        self.race(touch, column, bad, stamps, verb)
            self.wrote[row, column] = stamp
            if value is not None and (self.wrote[row, column] != stamp).any():
                self.met(touch, column, stamp, value)

    def may_be_written(self, touch):
        """Is there nothing to find of what was before, where lanes write? As ``may_be_read``."""
        place, instruction = self.all_granules(touch), touch.instruction
        busy = [] if self.products.held is None else [self.products.held]
        if self.copies.any and instruction.name != "cp":
            busy += [self.flying, self.copies.leaving]
        if any(table[place].any() for table in busy):
            return False
        updates = is_atomic(instruction) and instruction.access.operation != "exch"
        if updates and not self.wrote[place].all():
            return False
        return not any(self.clashing(found, touch).any() for _, found in self.unsettled(*place))

    def clashing(self, stamps, touch):
        """Which accesses are a race with a write; atomics are none with one another."""
        bad = self.unordered(stamps, touch)
        if is_atomic(touch.instruction):
            bad &= ~np.isin(instruction_of(stamps), self.atomics)
        return bad

    def unsettled(self, row, column):
        """(verb, stamps) of those who wrote and read granules, where no barrier has settled it."""
        precise = self.order.precise
        if precise or not self.settled(self.wrote_at):
            yield "wrote", self.wrote[row, column]
        if precise or not self.settled(self.read_at):
            for reads in self.reads:
                yield "read", reads[row, column]

    def copy_starts(self, state, group, mask, instruction, offset):
        """cp.async: from now on it may write, until it is waited for."""
        if mask is not None:
            offset = group.compress(offset, mask)
        self.before_write(state, group, mask, instruction, offset)
        touch = self.touch(state, group, mask, instruction, offset)
        for row, column in () if self.may_be_written(touch) else self.granules(touch):
            self.products.disturbed(touch, row, column)
            for verb, stamps in self.unsettled(row, column):
                bad = self.unordered(stamps, touch)
                if bad.any():
                    self.race(touch, column, bad, stamps, verb)
        row, columns = self.all_granules(touch)
        self.flying[row, columns], self.flown = self.stamp(touch), True
        self.aloft += columns.size

    def copy_lands(self, state, group, mask, instruction, offset):
        if mask is not None:
            offset = group.compress(offset, mask)
        row, columns = self.all_granules(self.touch(state, group, mask, instruction, offset))
        self.flying[row, columns] = 0
        self.aloft -= columns.size
        self.flown = self.flown and (self.aloft > 0 or self.order.precise)

    def unchanged(self, state, group, mask, instruction, offset, value):
        """Does a write leave shared memory as it is?"""
        if value is None or mask is not None:
            return False
        now = shared_take(
            state.shared.view(instruction.access.wide), group, offset >> instruction.access.shift
        )
        return not differ(now, value).any()

    def met(self, touch, column, stamp, value):
        """Lanes of one instruction wrote one granule: a race if their values differ."""
        if value.ndim == 2 and touch.rows is None:
            value = value[0]
        value = (
            np.broadcast_to(value.reshape(-1), column.shape)
            if value.size in (1, column.size)
            else None
        )
        if value is None:
            return
        row = np.zeros(len(column), int) if touch.rows is None else touch.rows
        order = np.lexsort((column, row))
        row, column_sorted, value = row[order], column[order], value[order]
        unlike = (row[1:] == row[:-1]) & (column_sorted[1:] == column_sorted[:-1])
        unlike &= differ(value[1:], value[:-1])
        if unlike.any():
            bad, before = np.zeros(len(column), bool), np.zeros(len(column), np.int64)
            bad[order[1:]], before[order[1:]] = unlike, stamp[order[:-1]]
            self.race(touch, column, bad, before, "wrote")

    # Findings ----------------------------------------------------------------------------------
    def uninitialised(self, touch, column, never):
        name, element = self.element(touch, column, never)
        does = f"{touch.instruction.access.verb} {name}[{element}]"
        detail = f"{does} in shared memory, which no thread has written"
        self.keep("uninitialised shared read", touch, column, never, detail)

    def unfinished(self, touch, column, flying):
        name, element = self.element(touch, column, flying != 0)
        k = int(np.flatnonzero(flying)[0])
        stamp = int(flying[k])
        line = self.program.line_of(instruction_of(stamp))
        if self.copies.any and self.copies.read_early(touch, column, flying, k):
            return
        detail = (
            f"{touch.instruction.access.verb} {name}[{element}] in shared memory while the "
            f"asynchronous copy of line {line} may still write it: wait for the copy, then for the "
            "other threads"
        )
        self.keep("unfinished copy", touch, column, flying != 0, detail)

    def race(self, touch, column, bad, stamps, verb):
        """Keep the Findings for accesses of two threads in no order: within a warp, between warps.

        bad: the lanes, (n,) bool; stamps: of the other access of each, (n,).
        """
        if self.launch.reserved is not None and column.min() * self.grain >= self.launch.reserved:
            return
        near = self.near(stamps, touch)
        apart = "shared race"
        if self.order.precise and (bad & ~near).any():
            k = int((bad & ~near).argmax())
            apart = self.copies.kind(touch, k, int(stamps[k]), apart)
        groups = [("missing __syncwarp", bad & near), (apart, bad & ~near)]
        for kind, lanes in sorted(groups, key=lambda group: not group[1][bad.argmax()]):
            if lanes.any():
                self.keep(kind, touch, column, lanes, self.told(touch, column, lanes, stamps, verb))

    def near(self, stamps, touch):
        """Which of the other accesses are by threads of the same warp."""
        near = thread_of(stamps) // 32 == touch.threads // 32
        if self.order.precise:
            near &= rank_of(stamps) == touch.home % self.order.size
        return near

    def told(self, touch, column, lanes, stamps, verb):
        """The sentence for the first of these lanes."""
        k = int(lanes.argmax())
        name, element = self.element(touch, column, lanes)
        line = self.program.line_of(instruction_of(int(stamps[k])))
        does = f"{touch.instruction.access.verb} {name}[{element}] in shared memory, which"
        if self.order.precise:
            return self.copies.told(touch, k, does, int(stamps[k]), verb, line)
        other = int(thread_of(stamps[k]))
        near = other // 32 == int(touch.threads[k]) // 32
        return (
            f"{does} thread {unflatten(other, self.launch.block)} {verb} at line {line}, with no "
            f"{'__syncwarp()' if near else '__syncthreads()'} between"
        )

    def element(self, touch, column, bad):
        """(variable, index) of the first bad lane's granule, counted in elements of the access."""
        offset = int(column[np.flatnonzero(bad)[0]]) * self.grain
        name, start = self.variable(offset)
        return name, (offset - start) // touch.instruction.access.element

    def variable(self, offset):
        """(name, first byte) of the variable that an offset in shared memory is in."""
        for name, start, length in self.program.shared_variables:
            if start <= offset < start + length or (length == 0 and offset >= start):
                return plain(name), start
        return "shared memory", 0

    def keep(self, kind, touch, column, bad, detail):
        k = int(np.flatnonzero(bad)[0])
        state = touch.state
        home = touch.home
        number = int(state.numbers[home if np.ndim(home) == 0 else home[k]])
        block = unflatten(number, self.launch.grid)
        thread = unflatten(int(touch.threads[k]), self.launch.block)
        finding = self.launch.finding(kind, touch.instruction, block, thread, None, None, detail)
        finding.array, finding.index = self.element(touch, column, bad)
        finding.address = int(column[k]) * self.grain
        alike = state.lanes.blocks if touch.rows is None else 1
        self.launch.keep(finding, int(np.count_nonzero(bad)) * alike)
