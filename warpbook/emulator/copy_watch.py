"""What the sanitizer knows of bulk copies, and of who else reads shared memory their way.

A bulk copy into shared memory may write from when it starts until its mbarrier's phase completes:
nobody may use that memory meanwhile, nor without having waited for the phase, and what was done to
it before has to be ordered before the start. A bulk copy out of shared memory may read until its
thread waits for the copy's group. Copies and tensor cores do not see ordinary writes unless a
fence.proxy.async lies between.

To PTX, a copy into what was read in the ordinary way wants a fence.proxy.async as well, whatever
orders the two. Kernels that are right on an H100 and an H200 refill without one: behind an mbarrier
at which the readers arrive, as CUTLASS does, or behind __syncthreads(). So only one case is told:
a copy into what its own warp has read, with nothing but __syncwarp() between. On an H200 such a
copy overtook the reads.
"""

import numpy as np

from .clocks import FIRST_BARRIER
from .lanes import unflatten
from .order import author_of, instruction_of, rank_of, thread_of, time_of


class CopyWatch:
    """Belongs to a SharedWatch. any: was there a bulk copy in this chunk?

    leaving: stamps by granule, (B, n), of bulk copies that may still read; else 0.
    visited: has a thread of another block read or written there?
    """

    def __init__(self, watch):
        self.watch, self.any = watch, False

    def enter(self, state):
        """A new chunk."""
        self.any, self.visited, self.leaving = False, False, None
        if self.watch.order.precise:
            self.leaving = np.zeros_like(self.watch.wrote)

    def touch(self, state, instruction, place, by, offsets):
        """A Touch of byte offsets of block ``place`` by thread ``by`` = (block, thread)."""
        rows, own, threads = (np.full(len(offsets), n) for n in (place, *by))
        return self.watch.touch_at(state, instruction, rows, threads, offsets, own)

    # Copies into shared memory -------------------------------------------------------------------
    def load_starts(self, state, flight):
        """A Flight starts: from now on it may write."""
        self.watch.enter(state)
        self.any = True
        watch, row, columns = self.watch, flight.row, self.columns(flight.chunks, flight.piece)
        touch = self.touch(state, flight.instruction, row, flight.by, columns * watch.grain)
        flying, leaving = watch.flying[row, columns], self.leaving[row, columns]
        watch.products.disturbed(touch, row, columns)
        if flying.any():
            self.overlap(touch, columns, flying)
        if leaving.any():
            self.still_read(touch, columns, leaving)
        stamps = np.concatenate([watch.wrote[None, row, columns], watch.reads[:, row, columns]])
        bad = watch.unordered(stamps, touch)
        if bad.any():
            k = int(bad.any(axis=1).argmax())
            watch.race(touch, columns, bad[k], stamps[k], "read" if k else "wrote")
        elif flight.instruction.name == "cp":  # st.async goes the ordinary way
            self.fenced(touch, columns, stamps[0])
            self.overtaking(touch, columns, stamps[1:])
        watch.flying[row, columns], watch.flown = watch.stamp(touch), True

    def load_lands(self, state, flight):
        """It has written; who waits for its mbarrier's phase knows that."""
        watch, order = self.watch, self.watch.order
        columns = self.columns(flight.chunks, flight.piece)
        watch.flying[flight.row, columns] = 0
        number = flight.barrier.number
        stamp = order.copy_stamp(flight.row, number, flight.instruction)
        watch.wrote[flight.row, columns] = stamp
        rank = flight.row % order.size
        flight.barrier.gather_author(order.column(rank, FIRST_BARRIER + number), order.time)
        order.tick()

    def columns(self, chunks, piece=16):
        """Granules of pieces of some bytes that start at the byte offsets ``chunks``, (n,)."""
        grain = self.watch.grain
        return (chunks[:, None] // grain + np.arange(piece // grain)).reshape(-1)

    # Copies out of it, and tensor cores ----------------------------------------------------------
    def async_read(self, state, instruction, row, by, offsets):
        """A copy or a tensor core reads the granules at byte offsets (n,) of block ``row``; by:
        (block, thread) that asks for it. Gives (the Touch, the granules).
        """
        self.watch.enter(state)
        watch, columns = self.watch, offsets // self.watch.grain
        touch = self.touch(state, instruction, row, by, offsets)
        wrote, flying = watch.wrote[row, columns], watch.flying[row, columns]
        if flying.any():
            watch.unfinished(touch, columns, flying)
        elif not wrote.all():
            watch.uninitialised(touch, columns, wrote == 0)
        bad = watch.unordered(wrote, touch)
        if bad.any():
            watch.race(touch, columns, bad, wrote, "wrote")
        else:
            self.fenced(touch, columns, wrote)
        return touch, columns

    def store_starts(self, state, store):
        """A bulk copy out of shared memory starts: it may read until its group is waited for."""
        self.any = True
        offsets = self.left(store) * self.watch.grain
        touch, columns = self.async_read(state, store.instruction, store.row, store.by, offsets)
        self.leaving[store.row, columns] = self.watch.stamp(touch)

    def store_ends(self, state, store):
        """Its thread has waited: it reads no longer."""
        columns = self.left(store)
        touch = self.touch(
            state, store.instruction, store.row, store.by, columns * self.watch.grain
        )
        self.leaving[store.row, columns] = 0
        self.watch.remember(store.row, columns, self.watch.stamp(touch))

    def left(self, store):
        """The granules that a Store reads and that go anywhere."""
        if store.wanted is None:
            return self.columns(store.chunks)
        places = store.chunks[:, None] + np.arange(16)
        return np.unique(places[store.wanted] // self.watch.grain)

    def fenced(self, touch, columns, wrote):
        """Keep a Finding if ordinary writes came without a fence.proxy.async since."""
        bad = self.watch.order.unfenced(wrote, touch.home, touch.threads)
        if not bad.any():
            return
        k = int(bad.argmax())
        stamp = int(wrote[k])
        line = self.watch.program.line_of(instruction_of(stamp))
        verb = touch.instruction.access.verb
        detail = (
            f"{verb} {self.place(columns[k])}, which {self.author(touch, k, stamp)} wrote at line "
            f"{line}: the {asynchronous(touch.instruction)} does not see ordinary writes unless "
            "the writing thread makes a fence.proxy.async between its write and the barrier that "
            "lets the other thread go on"
        )
        self.watch.keep("missing proxy fence", touch, columns, bad, detail)

    def overtaking(self, touch, columns, reads):
        """Keep a Finding if a copy fills anew what its own warp has just read; see the top. reads:
        (6, n), of those who read the granules.
        """
        watch, program = self.watch, self.watch.program
        found = watch.order.behind_warp(reads, touch.home, touch.threads)
        for stamps, bad in zip(reads, found, strict=True) if found.any() else ():
            for k in np.flatnonzero(bad).tolist():  # a bulk copy's read is no ordinary one
                bad[k] = program.instructions[int(instruction_of(stamps[k]))].name != "cp"
            if bad.any():
                k = int(bad.argmax())
                line = program.line_of(instruction_of(int(stamps[k])))
                detail = (
                    f"{touch.instruction.access.verb} {self.place(columns[k])}, which "
                    f"{self.author(touch, k, int(stamps[k]))} read at line {line}: the copy engine "
                    "may overtake reads of its own warp, which __syncwarp() does not wait for: a "
                    "fence.proxy.async after the read, before the __syncwarp(), does"
                )
                watch.keep("missing proxy fence", touch, columns, bad, detail)
                return

    # Findings ------------------------------------------------------------------------------------
    def place(self, column):
        """The variable and the byte in it of a granule, for messages."""
        offset = int(column) * self.watch.grain
        name, start = self.watch.variable(offset)
        return f"byte {offset - start} of {name} in shared memory"

    def author(self, touch, k, stamp):
        """Who did what a stamp stands for, for messages."""
        launch, order = self.watch.launch, self.watch.order
        who, rank = int(thread_of(stamp)), int(rank_of(stamp))
        row = int(np.broadcast_to(touch.home, touch.threads.shape)[k])
        home = row // order.size * order.size + rank
        block = ""
        if home != row:
            block = f" of block {unflatten(int(touch.state.numbers[home]), launch.grid)}"
        if who >= FIRST_BARRIER:
            return f"a bulk copy{' into' + block[3:] if block else ''}"
        return f"thread {unflatten(who, launch.block)}{block}"

    def of_product(self, stamp):
        """Does a stamp stand for what a wgmma read?"""
        number, program = int(instruction_of(stamp)), self.watch.program
        return int(thread_of(stamp)) >= FIRST_BARRIER and (
            program.instructions[number].name == "wgmma"
        )

    def told(self, touch, k, does, stamp, verb, line):
        """The sentence for an access ``k`` in no order with that of a stamp."""
        order, who = self.watch.order, int(thread_of(stamp))
        if self.of_product(stamp):
            return (
                f"{does} the wgmma of line {line} {verb}: wait for it with wgmma.wait_group, and "
                "then let this thread know"
            )
        if who >= FIRST_BARRIER:
            said = f"{does} the bulk copy of line {line} {verb}: wait for the mbarrier it completes"
            return said + self.hint(touch, k)
        row = int(np.broadcast_to(touch.home, touch.threads.shape)[k])
        between = "__syncthreads() or wait for an mbarrier"
        if int(rank_of(stamp)) != row % order.size:
            between = "barrier of the cluster or wait for an mbarrier"
        elif who // 32 == int(touch.threads[k]) // 32:
            between = "__syncwarp()"
        said = f"{does} {self.author(touch, k, stamp)} {verb} at line {line}, with no {between} "
        return f"{said}between{self.hint(touch, k)}"

    def hint(self, touch, k):
        """What to say of the thread's last wait for an mbarrier if it passed at once."""
        row = int(np.broadcast_to(touch.home, touch.threads.shape)[k])
        last = touch.state.mbarriers.last_pass(row, int(touch.threads[k]))
        if last is None or not last.stale:
            return ""
        return f" (its {last.said()})"

    def overlap(self, touch, columns, flying):
        k = int(np.flatnonzero(flying)[0])
        line = self.watch.program.line_of(instruction_of(int(flying[k])))
        detail = (
            f"{touch.instruction.access.verb} {self.place(columns[k])}, which the bulk copy of "
            f"line {line} may still write: wait for its mbarrier first{self.hint(touch, k)}"
        )
        self.watch.keep("unfinished copy", touch, columns, flying != 0, detail)

    def still_read(self, touch, columns, leaving):
        k = int(np.flatnonzero(leaving)[0])
        line = self.watch.program.line_of(instruction_of(int(leaving[k])))
        detail = (
            f"{touch.instruction.access.verb} {self.place(columns[k])}, which the bulk copy of "
            f"line {line} may still read: first let its thread wait (cp.async.bulk.commit_group, "
            "cp.async.bulk.wait_group.read), and then the others for that thread"
        )
        self.watch.keep("unfinished copy", touch, columns, leaving != 0, detail)

    def disturbed(self, touch, row, column):
        """An ordinary write: does it hit what a bulk copy may still write or read?"""
        for stamps, tell in ((self.watch.flying, self.overlap), (self.leaving, self.still_read)):
            found = stamps[row, column]
            if found.any():
                tell(touch, column, found)

    def read_early(self, touch, column, flying, k):
        """An ordinary read of what a bulk copy may still write. Was it one? Then it is told."""
        state, row = touch.state, int(touch.rows[k])
        flight = state.flights.over(row, int(column[k]) * self.watch.grain)
        if flight is None:
            return False
        line = flight.instruction.line
        detail = (
            f"{touch.instruction.access.verb} {self.place(column[k])} while the bulk copy of line "
            f"{line} may still write it"
        )
        barrier, kind = flight.barrier, "unfinished copy"
        last = barrier.last_pass(int(touch.threads[k]))
        if last is not None and last.stale:
            kind = "wait on the wrong phase"
            detail += (
                f": its {last.said()}; the copy completes phase {barrier.phase}, of parity "
                f"{barrier.phase & 1}"
            )
        else:
            detail += f": wait for its mbarrier, phase {barrier.phase} (parity {barrier.phase & 1})"
        self.watch.keep(kind, touch, column, flying != 0, detail)
        return True

    def kind(self, touch, k, stamp, kind):
        """The kind of a race: a wait on the wrong phase is told as such."""
        who = int(thread_of(stamp))
        if who < FIRST_BARRIER:
            return kind
        if self.of_product(stamp):
            return "unfinished wgmma"
        for barrier in touch.state.mbarriers.of(int(touch.home[k])):
            if barrier.number == who - FIRST_BARRIER:
                last = barrier.last_pass(int(touch.threads[k]))
                if last is not None and last.stale:
                    return "wait on the wrong phase"
        return kind

    # The end of a block --------------------------------------------------------------------------
    def outlived(self, state):
        """All threads have exited. A block's shared memory is gone when it exits, so some thread of
        it has to know of every access by another block.
        """
        watch, order = self.watch, self.watch.order
        if watch.state is not state or not order.precise or order.size == 1:
            return
        ranks = np.arange(state.lanes.blocks)[:, None] % order.size
        known = order.seen.max(axis=1)
        for barrier in state.mbarriers.all():
            for stamps in barrier.distant.values():
                late = time_of(stamps) > known[barrier.row, order.columns[author_of(stamps)]]
                if late.any():
                    row = np.full(int(late.sum()), barrier.row)
                    column = row * 0 + barrier.offset // watch.grain
                    self.tell_outlived(state, "uses", row, column, stamps[late])
                    return
        accesses = [*(("reads", reads) for reads in watch.reads), ("writes", watch.wrote)]
        for verb, stamps in accesses if self.visited else ():
            far = (stamps != 0) & (rank_of(stamps) != ranks) & (thread_of(stamps) < FIRST_BARRIER)
            row, column = np.nonzero(far)
            found = stamps[row, column]
            late = time_of(found) > known[row, order.columns[author_of(found)]]
            if late.any():
                self.tell_outlived(state, verb, row[late], column[late], found[late])
                return

    def tell_outlived(self, state, verb, row, column, stamps):
        launch, k = self.watch.launch, int(np.argmin(stamps))
        home = int(row[k]) // launch.cluster_size * launch.cluster_size + int(rank_of(stamps[k]))
        block, other = (unflatten(int(state.numbers[n]), launch.grid) for n in (home, int(row[k])))
        thread = unflatten(int(thread_of(stamps[k])), launch.block)
        instruction = self.watch.program.instructions[int(instruction_of(stamps[k]))]
        detail = (
            f"it {verb} {self.place(column[k])} of block {other}, which may have exited by then: "
            "after the last access to another block's shared memory, let all meet at a barrier of "
            "the cluster"
        )
        kind = "block may have exited"
        finding = launch.finding(kind, instruction, block, thread, None, None, detail)
        launch.keep(finding, len(row))

    # mbarriers -----------------------------------------------------------------------------------
    def uses(self, state, instruction, barrier, rows, threads, sent=False, copying=False):
        """Threads (n,) of blocks (n,) use an mbarrier: do they know that it is initialised? And, if
        the copy engine shall complete it, was a fence made since? sent: by what they send, which
        completes bytes of it: a block that waits for those is still there when they come, and of
        one that does not ``Flights.end`` tells.
        """
        order, watch = self.watch.order, self.watch
        far = () if sent or state.cluster_size == 1 else rows[rows != barrier.row].tolist()
        for row in sorted(set(far)):
            mine = rows == row
            barrier.distant[row] = order.stamp(rows[mine], threads[mine], instruction)
        bad = order.unordered(np.array([barrier.initialised]), rows, threads)
        if bad.any():
            self.not_known(state, instruction, barrier, rows, threads, bad)
        elif copying and not barrier.fenced:
            column = np.full(len(threads), barrier.offset // watch.grain)
            touch = self.touch(state, instruction, barrier.row, (0, 0), column * watch.grain)
            touch.own, touch.threads = rows, threads
            detail = (
                f"names {barrier.name()}, which was initialised at line {barrier.line}: the copy "
                "engine does not see that unless the initialising thread makes a fence (fence."
                "mbarrier_init or fence.proxy.async) before the barrier that follows"
            )
            watch.keep("missing proxy fence", touch, column, np.ones(len(threads), bool), detail)

    def not_known(self, state, instruction, barrier, rows, threads, bad):
        watch = self.watch
        column = np.full(len(threads), barrier.offset // watch.grain)
        touch = self.touch(state, instruction, barrier.row, (0, 0), column * watch.grain)
        touch.own, touch.threads = rows, threads
        k = int(bad.argmax())
        who = self.author(touch, k, barrier.initialised)
        near = int(rows[k]) == barrier.row
        between = "__syncthreads()" if near else "barrier of the cluster"
        detail = (
            f"uses {barrier.name()}, which {who} initialised at line {barrier.line}, with no "
            f"{between} between"
        )
        watch.keep("shared race", touch, column, bad, detail)

    def fences_seen(self, state, rows, threads):
        """Threads made a fence.mbarrier_init or fence.proxy.async: which initialisations are
        visible to copies from now on?
        """
        new = {}  # row -> those of its block that no fence has come after
        for barrier in state.mbarriers.all():
            if not barrier.fenced:
                new.setdefault(barrier.row, []).append(barrier)
        for row, barriers in new.items():
            here = np.flatnonzero(rows == row)
            stamps = np.array([[barrier.initialised] for barrier in barriers])
            known = ~self.watch.order.unordered(stamps, rows[here], threads[here])
            for barrier, seen in zip(barriers, known.any(axis=1).tolist(), strict=True):
                barrier.fenced = seen


def asynchronous(instruction):
    """What reads or writes shared memory its own way, for messages."""
    return "tensor core" if instruction.name == "wgmma" else "copy engine"
