"""Who wrote and read shared memory last, granule by granule, and the findings that follow from it.

Every rule of the sanitizer about shared memory works on one SharedStamps: ordinary accesses
(shared_accesses.py), bulk copies (bulk_copies.py) and tensor cores (wgmma_operands.py). It knows
none of them.

A granule has 4 bytes, or fewer if the kernel has smaller accesses. It remembers as stamps (see
barrier_order.py) who wrote it last, and two of those who read it last. While all blocks of a chunk
do the same, one row of stamps stands for all of them.
"""

from dataclasses import dataclass

import numpy as np

from ..lanes import unflatten
from ..ptx import plain
from .barrier_order import author_of, instruction_of, rank_of, thread_of
from .vector_clocks import FIRST_BARRIER


@dataclass
class SharedAccess:
    """Lanes of one access to shared memory. rows: block of the chunk whose memory each lane
    accesses, None if all blocks do the same; threads: of each lane; offsets: bytes; own: the block
    that each lane is of, if not ``rows``; all (n,).
    """

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

    def home_of(self, k):
        """The same of lane ``k``."""
        return int(np.broadcast_to(self.home, self.threads.shape)[k])


class SharedStamps:
    """The stamps of the shared memory of a launch's blocks, chunk after chunk.

    state: of the chunk that runs; grain: bytes of a granule; order: Order.
    Stamps by granule, (1, n) while all blocks do the same, else (B, n), 0 where there was none:
    wrote; reads, (2 or 6, 1 or B, n); flying: of asynchronous copies that may still write.
    any_flying: is there one? wrote_at, read_at: when somebody last wrote, and was remembered to
    read; whole: has each granule been written, as was known at the time ``whole_at``?
    """

    def __init__(self, launch, order):
        self.launch, self.program, self.order = launch, launch.program, order
        self.grain = launch.program.shared_grain

    def enter(self, state):
        """A new chunk has new shared memory."""
        self.state = state
        count = -(-state.shared.size // self.grain)
        rows = state.lanes.blocks if self.order.precise else 1
        self.wrote = np.zeros((rows, count), np.int64)
        self.reads = np.zeros((6 if self.order.precise else 2, rows, count), np.int64)
        self.flying, self.any_flying = np.zeros((rows, count), np.int64), False
        self.wrote_at = self.read_at = 0
        self.whole, self.whole_at = False, None
        self.since_time, self.since = None, 0
        if self.launch.reserved is not None:  # CUDA has set it up
            self.wrote[:, self.launch.reserved // self.grain :] = 1

    # Lanes and their granules --------------------------------------------------------------------
    def access(self, group, mask, instruction, offset):
        """The SharedAccess of the active lanes, each to its own block's memory."""
        state = self.state
        every_block = mask is None and group.flat is None and group.shape[0] == state.lanes.blocks
        alike = every_block and not self.order.precise
        if alike and (offset.ndim == 0 or offset.shape[0] == 1):
            threads = group.threads
            offsets = offset.reshape(-1)
            if offsets.shape != threads.shape:
                offsets = np.broadcast_to(offsets, threads.shape)
            pasts = (self.order.blocks_synced, self.order.warps_synced, self.wrote)
            if all(past.shape[0] == 1 for past in pasts):
                return SharedAccess(instruction, None, threads, offsets)
        ids = group.ids if mask is None else group.ids[mask]
        if mask is None or offset.shape != ids.shape:
            offset = group.compress(offset, mask)
        self.by_block()
        rows, threads = np.divmod(ids.reshape(-1), state.lanes.threads)
        return SharedAccess(instruction, rows, threads, offset.reshape(-1))

    def by_block(self):
        """From now on each block has stamps of its own."""
        blocks = self.state.lanes.blocks
        if self.wrote.shape[0] < blocks:
            self.wrote = np.repeat(self.wrote, blocks, axis=0)
            self.reads = np.repeat(self.reads, blocks, axis=1)
            self.flying = np.repeat(self.flying, blocks, axis=0)

    def granules(self, access):
        """(row, column) of the stamps of what lanes access, one pair for each granule of a lane."""
        row = 0 if access.rows is None else access.rows
        for k in range(0, access.instruction.access.bytes, self.grain):
            yield row, (access.offsets + k) // self.grain

    def all_granules(self, access):
        """All of them at once: (row, columns), with columns of shape (granules of a lane, n).
        Accesses are aligned, so lanes that meet at a granule do so within one row of these.
        """
        row = 0 if access.rows is None else access.rows
        steps = np.arange(0, access.instruction.access.bytes, self.grain)[:, None]
        return row, (access.offsets + steps) // self.grain

    def stamp(self, access):
        """Of an access now."""
        return self.order.stamp(access.home, access.threads, access.instruction)

    def unordered(self, stamps, access):
        """Which of the accesses that stamps stand for are in no order with this one?"""
        return self.order.unordered(stamps, access.home, access.threads)

    def settled(self, when):
        """Has a barrier of all blocks of the chunk come since then?"""
        order = self.order
        if self.since_time != order.time:
            self.since_time, self.since = order.time, int(order.blocks_synced.min())
        return when <= self.since

    def all_written(self):
        """Has every granule been written? As far as that is known without much work."""
        if not self.whole and self.whole_at != self.wrote_at:
            self.whole, self.whole_at = bool(self.wrote.all()), self.wrote_at
        return self.whole

    # Reads ---------------------------------------------------------------------------------------
    def check_read(self, access):
        """Has all that lanes read been written, before a barrier and by no copy on its way?"""
        simple = not self.order.precise
        settled, whole = simple and self.settled(self.wrote_at), simple and self.all_written()
        if self.may_be_read(access, settled, whole):
            return
        for row, column in self.granules(access):
            flying = self.flying[row, column] if self.any_flying else None
            wrote = None if settled and whole else self.wrote[row, column]
            if flying is not None and flying.any():
                self.keep_unfinished(access, column, flying)
            elif not whole and np.count_nonzero(wrote) < wrote.size:
                self.keep_uninitialised(access, column, wrote == 0)
            if not settled:
                bad = self.unordered(wrote, access)
                if np.count_nonzero(bad):
                    self.keep_race(access, column, bad, wrote, "wrote")

    def may_be_read(self, access, settled, whole):
        """Is there nothing for ``check_read`` to find? All granules at once, which is quick."""
        place = self.all_granules(access)
        if self.any_flying and self.flying[place].any():
            return False
        if settled and whole:
            return True
        wrote = self.wrote[place]
        written = whole or np.count_nonzero(wrote) == wrote.size
        return written and (settled or not self.unordered(wrote, access).any())

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

    # Findings ----------------------------------------------------------------------------------
    def keep(self, kind, access, column, bad, detail):
        """Keep the Finding for the first lane where bad holds. column: granules, (n,)."""
        k = int(np.flatnonzero(bad)[0])
        lanes = self.state.lanes
        block = self.block(access.home_of(k))
        thread = unflatten(int(access.threads[k]), self.launch.block)
        finding = self.launch.finding(kind, access.instruction, block, thread, None, None, detail)
        finding.array, finding.index = self.element(access, column, bad)
        finding.address = int(column[k]) * self.grain
        alike = lanes.blocks if access.rows is None else 1
        self.launch.keep(finding, int(np.count_nonzero(bad)) * alike)

    def keep_uninitialised(self, access, column, never):
        """Lanes read granules that nobody has written. never: which lanes, bool (n,)."""
        name, element = self.element(access, column, never)
        does = f"{access.instruction.access.verb} {name}[{element}]"
        detail = f"{does} in shared memory, which no thread has written"
        self.keep("uninitialised shared read", access, column, never, detail)

    def keep_unfinished(self, access, column, flying):
        """Lanes read granules that an asynchronous copy may still write. flying: stamps, (n,)."""
        k = int(np.flatnonzero(flying)[0])
        if self.order.precise and self.keep_read_before_landing(access, column, flying, k):
            return
        name, element = self.element(access, column, flying != 0)
        detail = (
            f"{access.instruction.access.verb} {name}[{element}] in shared memory while the "
            f"asynchronous copy of line {self.line_of(flying[k])} may still write it: wait for the "
            "copy, then for the other threads"
        )
        self.keep("unfinished copy", access, column, flying != 0, detail)

    def keep_read_before_landing(self, access, column, flying, k):
        """The same where it is a bulk copy; False where it is none. Its mbarrier is named, and a
        wait that passed for the phase before is the cause.
        """
        flight = self.state.flights.over(int(access.rows[k]), int(column[k]) * self.grain)
        if flight is None:
            return False
        line = flight.instruction.line
        detail = (
            f"{access.instruction.access.verb} {self.byte_of(column[k])} while the bulk copy of "
            f"line {line} may still write it"
        )
        barrier, kind = flight.barrier, "unfinished copy"
        last = barrier.last_pass(int(access.threads[k]))
        if last is not None and last.stale:
            kind = "wait on the wrong phase"
            detail += (
                f": its {last.sentence()}; the copy completes phase {barrier.phase}, of parity "
                f"{barrier.phase & 1}"
            )
        else:
            detail += f": wait for its mbarrier, phase {barrier.phase} (parity {barrier.phase & 1})"
        self.keep(kind, access, column, flying != 0, detail)
        return True

    def keep_race(self, access, column, bad, stamps, verb):
        """Keep the Findings for accesses of two threads in no order: within a warp, between warps.

        bad: the lanes, (n,) bool; stamps: of the other access of each, (n,).
        """
        if self.launch.reserved is not None and column.min() * self.grain >= self.launch.reserved:
            return
        same_warp = self.same_warp(stamps, access)
        apart = "shared race"
        if self.order.precise and (bad & ~same_warp).any():
            k = int((bad & ~same_warp).argmax())
            apart = self.kind_of_race(access, k, int(stamps[k]))
        groups = [("missing __syncwarp", bad & same_warp), (apart, bad & ~same_warp)]
        for kind, lanes in sorted(groups, key=lambda group: not group[1][bad.argmax()]):
            if lanes.any():
                detail = self.race_sentence(access, column, lanes, stamps, verb)
                self.keep(kind, access, column, lanes, detail)

    def keep_unfenced(self, access, column, wrote):
        """Keep a Finding if ordinary writes came without a fence.proxy.async before a copy or a
        tensor core reads or overwrites them. wrote: their stamps, (n,).
        """
        bad = self.order.unfenced(wrote, access.home, access.threads)
        if not bad.any():
            return
        k = int(bad.argmax())
        detail = (
            f"{access.instruction.access.verb} {self.byte_of(column[k])}, which "
            f"{self.author(access, k, int(wrote[k]))} wrote at line {self.line_of(wrote[k])}: the "
            f"{engine(access.instruction)} does not see ordinary writes unless the writing thread "
            "makes a fence.proxy.async between its write and the barrier that lets the other "
            "thread go on"
        )
        self.keep("missing proxy fence", access, column, bad, detail)

    # Words for them ------------------------------------------------------------------------------
    def line_of(self, stamp):
        """Line of the .cu of the access that a stamp stands for."""
        return self.program.line_of(instruction_of(int(stamp)))

    def block(self, row):
        """(x, y, z) of a block of the chunk."""
        return unflatten(int(self.state.numbers[row]), self.launch.grid)

    def element(self, access, column, bad):
        """(variable, index) of the first bad lane's granule, counted in elements of the access."""
        offset = int(column[np.flatnonzero(bad)[0]]) * self.grain
        name, start = self.variable(offset)
        return name, (offset - start) // access.instruction.access.element

    def byte_of(self, column):
        """The variable and the byte in it of a granule, for messages."""
        offset = int(column) * self.grain
        name, start = self.variable(offset)
        return f"byte {offset - start} of {name} in shared memory"

    def variable(self, offset):
        """(name, first byte) of the variable that an offset in shared memory is in."""
        for name, start, length in self.program.shared_variables:
            if start <= offset < start + length or (length == 0 and offset >= start):
                return plain(name), start
        return "shared memory", 0

    def same_warp(self, stamps, access):
        """Which of the other accesses are by threads of the same warp."""
        same = thread_of(stamps) // 32 == access.threads // 32
        if self.order.precise:
            same &= rank_of(stamps) == access.home % self.order.size
        return same

    def kind_of_race(self, access, k, stamp):
        """The kind of a race between warps: a copy or a product that nobody waited for, or a wait
        on the wrong phase, is named as such.
        """
        who = int(thread_of(stamp))
        if who < FIRST_BARRIER:
            return "shared race"
        if self.is_product(stamp):
            return "unfinished wgmma"
        for barrier in self.state.mbarriers.of(int(access.home[k])):
            if barrier.number == who - FIRST_BARRIER:
                last = barrier.last_pass(int(access.threads[k]))
                if last is not None and last.stale:
                    return "wait on the wrong phase"
        return "shared race"

    def race_sentence(self, access, column, lanes, stamps, verb):
        """What the first of these lanes does, and who did what before with nothing between."""
        k = int(lanes.argmax())
        stamp = int(stamps[k])
        name, element = self.element(access, column, lanes)
        line, who, thread = self.line_of(stamp), int(thread_of(stamp)), int(access.threads[k])
        does = f"{access.instruction.access.verb} {name}[{element}] in shared memory, which"
        if not self.order.precise:
            between = "__syncwarp()" if who // 32 == thread // 32 else "__syncthreads()"
            other = unflatten(who, self.launch.block)
            return f"{does} thread {other} {verb} at line {line}, with no {between} between"
        if self.is_product(stamp):
            return (
                f"{does} the wgmma of line {line} {verb}: wait for it with wgmma.wait_group, and "
                "then let this thread know"
            )
        if who >= FIRST_BARRIER:
            detail = (
                f"{does} the bulk copy of line {line} {verb}: wait for the mbarrier it completes"
            )
            return detail + self.stale_wait(access, k)
        between = "__syncthreads() or wait for an mbarrier"
        if int(rank_of(stamp)) != access.home_of(k) % self.order.size:
            between = "barrier of the cluster or wait for an mbarrier"
        elif who // 32 == thread // 32:
            between = "__syncwarp()"
        detail = f"{does} {self.author(access, k, stamp)} {verb} at line {line}, with no {between} "
        return f"{detail}between{self.stale_wait(access, k)}"

    def author(self, access, k, stamp):
        """Who did what a stamp stands for, as lane ``k`` of an access would say it."""
        who, row = int(thread_of(stamp)), access.home_of(k)
        home = row // self.order.size * self.order.size + int(rank_of(stamp))
        block = f" of block {self.block(home)}" if home != row else ""
        if who >= FIRST_BARRIER:
            return f"a bulk copy{' into' + block[3:] if block else ''}"
        return f"thread {unflatten(who, self.launch.block)}{block}"

    def is_product(self, stamp):
        """Does a stamp stand for what a wgmma read?"""
        asynchronous = int(thread_of(stamp)) >= FIRST_BARRIER
        return asynchronous and self.instruction_of(stamp).name == "wgmma"

    def instruction_of(self, stamp):
        """The instruction of the access that a stamp stands for."""
        return self.program.instructions[int(instruction_of(stamp))]

    def stale_wait(self, access, k):
        """What to add if the thread's last wait for an mbarrier passed at once, for the phase
        before.
        """
        last = self.state.mbarriers.last_pass(access.home_of(k), int(access.threads[k]))
        if last is None or not last.stale:
            return ""
        return f" (its {last.sentence()})"


def engine(instruction):
    """What reads or writes shared memory its own way, for messages."""
    return "tensor core" if instruction.name == "wgmma" else "copy engine"
