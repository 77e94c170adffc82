"""Bulk copies into and out of shared memory, the mbarriers that they complete, and accesses by
other blocks of a cluster.

A bulk copy into shared memory may write from when it starts until its mbarrier's phase completes:
nobody may use that memory meanwhile, nor without having waited for the phase, and what was done to
it before has to be ordered before the start. A bulk copy out of shared memory may read until its
thread waits for the copy's group. Copies and tensor cores do not see ordinary writes unless a
fence.proxy.async lies between.

To PTX, a copy into what was read in the ordinary way wants a fence.proxy.async as well, whatever
orders the two. Kernels that are right on an H100 and an H200 refill without one: behind an mbarrier
at which the readers arrive, as CUTLASS does, or behind __syncthreads(). So only one case is a
Finding: a copy into what its own warp has read, with nothing but __syncwarp() between. On an H200
such a copy overtook the reads.
"""

import numpy as np

from ..lanes import unflatten
from .barrier_order import author_of, rank_of, thread_of, time_of
from .shared_stamps import SharedAccess
from .vector_clocks import FIRST_BARRIER


class BulkCopies:
    """Bulk copies, on a SharedStamps. operands: WgmmaOperands. any: was there one in this chunk?

    in_flight_reads: stamps by granule, (B, n), of bulk copies that may still read; else 0. (Those
    that may still write are SharedStamps.flying.)
    visited: has a thread of another block read or written there?
    """

    def __init__(self, stamps, operands):
        self.stamps, self.order, self.operands = stamps, stamps.order, operands
        self.launch = stamps.launch

    def enter(self):
        """A new chunk."""
        self.any, self.visited, self.in_flight_reads = False, False, None
        if self.order.precise:
            self.in_flight_reads = np.zeros_like(self.stamps.wrote)

    def access(self, instruction, row, by, offsets):
        """The SharedAccess of byte offsets (n,) of block ``row`` by thread ``by`` = (block,
        thread).
        """
        rows, own, threads = (np.full(len(offsets), n) for n in (row, *by))
        return SharedAccess(instruction, rows, threads, offsets, own)

    # Copies into shared memory -------------------------------------------------------------------
    def load_starts(self, flight):
        """A Flight starts: from now on it may write."""
        self.any = True
        stamps, row, columns = self.stamps, flight.row, self.columns(flight.chunks, flight.piece)
        access = self.access(flight.instruction, row, flight.by, columns * stamps.grain)
        flying, reading = stamps.flying[row, columns], self.in_flight_reads[row, columns]
        self.operands.check_write(access, row, columns)
        if flying.any():
            self.keep_overlap(access, columns, flying)
        if reading.any():
            self.keep_still_read(access, columns, reading)
        before = np.concatenate([stamps.wrote[None, row, columns], stamps.reads[:, row, columns]])
        bad = stamps.unordered(before, access)
        if bad.any():
            k = int(bad.any(axis=1).argmax())
            stamps.keep_race(access, columns, bad[k], before[k], "read" if k else "wrote")
        elif flight.instruction.name == "cp":  # st.async goes the ordinary way
            stamps.keep_unfenced(access, columns, before[0])
            self.check_own_reads(access, columns, before[1:])
        stamps.flying[row, columns], stamps.any_flying = stamps.stamp(access), True

    def load_lands(self, flight):
        """It has written; who waits for its mbarrier's phase knows that."""
        stamps, order = self.stamps, self.order
        columns = self.columns(flight.chunks, flight.piece)
        stamps.flying[flight.row, columns] = 0
        number = flight.barrier.number
        stamp = order.copy_stamp(flight.row, number, flight.instruction)
        stamps.wrote[flight.row, columns] = stamp
        rank = flight.row % order.size
        flight.barrier.gather_author(order.column(rank, FIRST_BARRIER + number), order.time)
        order.tick()

    def columns(self, chunks, piece=16):
        """Granules of pieces of some bytes that start at the byte offsets ``chunks``, (n,)."""
        grain = self.stamps.grain
        return (chunks[:, None] // grain + np.arange(piece // grain)).reshape(-1)

    # Copies out of it ----------------------------------------------------------------------------
    def copy_reads(self, instruction, row, by, columns):
        """A copy reads granules (n,) of block ``row``; by: (block, thread) that asks for it. Gives
        the SharedAccess.
        """
        stamps = self.stamps
        access = self.access(instruction, row, by, columns * stamps.grain)
        wrote, flying = stamps.wrote[row, columns], stamps.flying[row, columns]
        if flying.any():
            stamps.keep_unfinished(access, columns, flying)
        elif not wrote.all():
            stamps.keep_uninitialised(access, columns, wrote == 0)
        bad = stamps.unordered(wrote, access)
        if bad.any():
            stamps.keep_race(access, columns, bad, wrote, "wrote")
        else:
            stamps.keep_unfenced(access, columns, wrote)
        return access

    def copy_between_blocks(self, instruction, row, by, chunks):
        """A copy to another block reads pieces of 16 bytes at byte offsets (n,) of block ``row``;
        it has read them when it starts.
        """
        self.copy_reads(instruction, row, by, self.columns(chunks))

    def store_starts(self, store):
        """A bulk copy out of shared memory starts: it may read until its group is waited for."""
        self.any = True
        columns = self.columns_of_store(store)
        access = self.copy_reads(store.instruction, store.row, store.by, columns)
        self.in_flight_reads[store.row, columns] = self.stamps.stamp(access)

    def store_ends(self, store):
        """Its thread has waited: it reads no longer."""
        stamps, columns = self.stamps, self.columns_of_store(store)
        access = self.access(store.instruction, store.row, store.by, columns * stamps.grain)
        self.in_flight_reads[store.row, columns] = 0
        stamps.remember(store.row, columns, stamps.stamp(access))

    def columns_of_store(self, store):
        """The granules that a Store reads and that go anywhere."""
        if store.wanted is None:
            return self.columns(store.chunks)
        places = store.chunks[:, None] + np.arange(16)
        return np.unique(places[store.wanted] // self.stamps.grain)

    def check_own_reads(self, access, columns, reads):
        """Keep a Finding if a copy fills anew what its own warp has just read; see the top. reads:
        (6, n), of those who read the granules.
        """
        stamps = self.stamps
        found = self.order.behind_warp(reads, access.home, access.threads)
        for before, bad in zip(reads, found, strict=True) if found.any() else ():
            for k in np.flatnonzero(bad).tolist():  # a bulk copy's read is no ordinary one
                bad[k] = stamps.instruction_of(before[k]).name != "cp"
            if bad.any():
                k = int(bad.argmax())
                detail = (
                    f"{access.instruction.access.verb} {stamps.byte_of(columns[k])}, which "
                    f"{stamps.author(access, k, int(before[k]))} read at line "
                    f"{stamps.line_of(before[k])}: the copy engine may overtake reads of its own "
                    "warp, which __syncwarp() does not wait for: a fence.proxy.async after the "
                    "read, before the __syncwarp(), does"
                )
                stamps.keep("missing proxy fence", access, columns, bad, detail)
                return

    # What an ordinary write may hit --------------------------------------------------------------
    def in_flight(self):
        """The tables of what bulk copies may still write and read: none without a copy."""
        return [self.stamps.flying, self.in_flight_reads] if self.any else []

    def check_write(self, access, row, column):
        """An ordinary write: does it hit what a bulk copy may still write or read?"""
        keeps = (self.keep_overlap, self.keep_still_read)
        for table, keep in zip(self.in_flight(), keeps, strict=False):
            found = table[row, column]
            if found.any():
                keep(access, column, found)

    def keep_overlap(self, access, columns, flying):
        stamps, k = self.stamps, int(np.flatnonzero(flying)[0])
        detail = (
            f"{access.instruction.access.verb} {stamps.byte_of(columns[k])}, which the bulk copy "
            f"of line {stamps.line_of(flying[k])} may still write: wait for its mbarrier first"
            f"{stamps.stale_wait(access, k)}"
        )
        stamps.keep("unfinished copy", access, columns, flying != 0, detail)

    def keep_still_read(self, access, columns, reading):
        stamps, k = self.stamps, int(np.flatnonzero(reading)[0])
        detail = (
            f"{access.instruction.access.verb} {stamps.byte_of(columns[k])}, which the bulk copy "
            f"of line {stamps.line_of(reading[k])} may still read: first let its thread wait "
            "(cp.async.bulk.commit_group, cp.async.bulk.wait_group.read), and then the others for "
            "that thread"
        )
        stamps.keep("unfinished copy", access, columns, reading != 0, detail)

    # Other blocks of a cluster -------------------------------------------------------------------
    def distant_access(self, instruction, rows, offsets, ids):
        """The SharedAccess of lanes ``ids`` to byte offsets of the blocks ``rows``, (n,) each."""
        own, threads = divmod(ids, self.stamps.state.lanes.threads)
        self.visited = self.visited or bool((own != rows).any())
        return SharedAccess(instruction, rows, threads, offsets, own)

    def chunk_ends(self):
        """All threads have exited. A block's shared memory is gone when it exits, so some thread of
        it has to know of every access by another block.
        """
        stamps, order = self.stamps, self.order
        if not order.precise or order.size == 1:
            return
        state = stamps.state
        ranks = np.arange(state.lanes.blocks)[:, None] % order.size
        known = order.seen.max(axis=1)
        for barrier in state.mbarriers.all():
            for used in barrier.distant.values():
                late = time_of(used) > known[barrier.row, order.columns[author_of(used)]]
                if late.any():
                    row = np.full(int(late.sum()), barrier.row)
                    column = row * 0 + barrier.offset // stamps.grain
                    self.keep_outlived("uses", row, column, used[late])
                    return
        accesses = [*(("reads", reads) for reads in stamps.reads), ("writes", stamps.wrote)]
        for verb, table in accesses if self.visited else ():
            far = (table != 0) & (rank_of(table) != ranks) & (thread_of(table) < FIRST_BARRIER)
            row, column = np.nonzero(far)
            found = table[row, column]
            late = time_of(found) > known[row, order.columns[author_of(found)]]
            if late.any():
                self.keep_outlived(verb, row[late], column[late], found[late])
                return

    def keep_outlived(self, verb, row, column, found):
        """Keep the Finding for the earliest of these accesses to a block that may have exited."""
        stamps, launch, k = self.stamps, self.launch, int(np.argmin(found))
        home = int(row[k]) // launch.cluster_size * launch.cluster_size + int(rank_of(found[k]))
        block, other = stamps.block(home), stamps.block(int(row[k]))
        thread = unflatten(int(thread_of(found[k])), launch.block)
        instruction = stamps.instruction_of(found[k])
        detail = (
            f"it {verb} {stamps.byte_of(column[k])} of block {other}, which may have exited by "
            "then: after the last access to another block's shared memory, let all meet at a "
            "barrier of the cluster"
        )
        kind = "block may have exited"
        finding = launch.finding(kind, instruction, block, thread, None, None, detail)
        launch.keep(finding, len(row))

    # mbarriers -----------------------------------------------------------------------------------
    def uses_mbarrier(self, instruction, barrier, rows, threads, sent=False, copying=False):
        """Threads (n,) of blocks (n,) use an mbarrier: do they know that it is initialised? And, if
        the copy engine shall complete it, was a fence made since? That is not asked of libcu++'s
        own memcpy_async: its users have no such fence in CUDA's programming guide either. sent: by
        what they send, which completes bytes of it: a block that waits for those is still there
        when they come, and a block that does not is the Finding of ``Flights.end``.
        """
        order, stamps = self.order, self.stamps
        far = () if sent or order.size == 1 else rows[rows != barrier.row].tolist()
        for row in sorted(set(far)):
            mine = rows == row
            barrier.distant[row] = order.stamp(rows[mine], threads[mine], instruction)
        bad = order.unordered(np.array([barrier.initialised]), rows, threads)
        if not bad.any() and (not copying or barrier.fenced or instruction.of_memcpy):
            return
        column = np.full(len(threads), barrier.offset // stamps.grain)
        place = np.full(len(threads), barrier.row)
        access = SharedAccess(instruction, place, threads, column * stamps.grain, rows)
        if bad.any():
            k = int(bad.argmax())
            near = int(rows[k]) == barrier.row
            between = "__syncthreads()" if near else "barrier of the cluster"
            detail = (
                f"uses {barrier.name()}, which {stamps.author(access, k, barrier.initialised)} "
                f"initialised at line {barrier.line}, with no {between} between"
            )
            stamps.keep("shared race", access, column, bad, detail)
            return
        detail = (
            f"names {barrier.name()}, which was initialised at line {barrier.line}: the copy "
            "engine does not see that unless the initialising thread makes a fence (fence."
            "mbarrier_init or fence.proxy.async) before the barrier that follows"
        )
        stamps.keep("missing proxy fence", access, column, np.ones(len(threads), bool), detail)

    def fences_seen(self, rows, threads):
        """Threads made a fence.mbarrier_init or fence.proxy.async: which initialisations are
        visible to copies from now on?
        """
        new = {}  # row -> those of its block that no fence has come after
        for barrier in self.stamps.state.mbarriers.all():
            if not barrier.fenced:
                new.setdefault(barrier.row, []).append(barrier)
        for row, barriers in new.items():
            here = np.flatnonzero(rows == row)
            initialised = np.array([[barrier.initialised] for barrier in barriers])
            known = ~self.order.unordered(initialised, rows[here], threads[here])
            for barrier, seen in zip(barriers, known.any(axis=1).tolist(), strict=True):
                barrier.fenced = seen
