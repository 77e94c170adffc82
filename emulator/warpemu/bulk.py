"""Bulk copies on their way: into shared memory (Flight) and out of it (Store).

A Flight holds what global memory held when it started. It writes shared memory ("lands") when some
thread waits for its mbarrier and no other thread can run, so that a thread that reads too early
sees the old bytes. A Store reads shared memory and writes global memory when its thread waits for
its group, or at the end of the chunk, so that what is overwritten too early is lost.
"""

from dataclasses import dataclass, field

import numpy as np

from . import memory

CHUNK = 16  # bytes: copies go by pieces of so many, aligned


@dataclass
class Flight:
    """A copy into shared memory. row: block of the chunk; by: (block of the chunk, thread) that
    started it; chunks: byte offsets of the pieces of 16 bytes, (n,); data: (n, 16) bytes; barrier:
    the Mbarrier that it brings ``size`` bytes to. (Of a st.async, one piece of 4, 8 or 16 bytes.)
    """

    instruction: object
    row: int
    by: tuple
    chunks: np.ndarray
    data: np.ndarray
    barrier: object

    @property
    def size(self):
        return self.data.size

    @property
    def piece(self):
        return self.data.shape[1]


@dataclass
class Store:
    """A copy out of shared memory. chunks: as of a Flight; write: a function of the (n, 16) bytes
    that puts them where they go; wanted: which bytes those are, bool (n, 16), or None for all.
    """

    instruction: object
    row: int
    by: tuple
    chunks: np.ndarray
    write: object
    wanted: object = None


@dataclass
class Groups:
    """The bulk groups of a thread: the Stores since the last commit, and those of each commit."""

    open: list = field(default_factory=list)
    closed: list = field(default_factory=list)


class Flights:
    """The bulk copies of a chunk that are on their way. state: State."""

    def __init__(self, state):
        self.state, self.loads, self.groups = state, {}, {}
        self.arrivals = {}  # Mbarrier -> [function]: of cp.async.mbarrier.arrive

    # Into shared memory --------------------------------------------------------------------------
    def start(self, flight):
        """A copy into shared memory starts."""
        if self.state.checker:
            self.state.checker.load_starts(flight)
        self.loads.setdefault(flight.barrier, []).append(flight)

    def land(self, barrier):
        """Write the bytes of the copies that complete an mbarrier's phase."""
        for flight in self.loads.pop(barrier, ()):
            table = self.state.shared.data[flight.row]
            index = flight.chunks[:, None] + np.arange(flight.piece)
            memory.assign(self.state, table, index, flight.data)
            if self.state.checker:
                self.state.checker.load_lands(flight)
            barrier.expect(-flight.size)

        for arrive in self.arrivals.pop(barrier, ()):
            arrive()

    def arrive_later(self, barrier, run):
        """Run a function when somebody waits for an mbarrier."""
        self.arrivals.setdefault(barrier, []).append(run)

    def over(self, row, offset):
        """A Flight that may still write a byte of a block's shared memory, or None."""
        for flights in self.loads.values():
            for flight in flights:
                inside = (flight.chunks <= offset) & (offset < flight.chunks + flight.piece)
                if flight.row == row and inside.any():
                    return flight
        return None

    # Out of it -----------------------------------------------------------------------------------
    def leave(self, store):
        """A copy out of shared memory starts, in the group that its thread has open."""
        if self.state.checker:
            self.state.checker.store_starts(store)
        self.groups.setdefault(store.by, Groups()).open.append(store)

    def commit(self, by):
        """A thread closes its group."""
        groups = self.groups.setdefault(by, Groups())
        groups.closed.append(groups.open)
        groups.open = []

    def wait(self, by, left):
        """A thread waits for all its groups but the last ``left``."""
        groups = self.groups.get(by)
        if groups is None:
            return
        count = max(0, len(groups.closed) - left)
        for store in (s for group in groups.closed[:count] for s in group):
            self.finish(store)
        del groups.closed[:count]

    def finish(self, store):
        """A Store reads shared memory and writes where it goes."""
        table = self.state.shared.data[store.row]
        store.write(table[store.chunks[:, None] + np.arange(CHUNK)])
        if self.state.checker:
            self.state.checker.store_ends(store)

    # The end -------------------------------------------------------------------------------------
    def end(self):
        """All threads have exited: finish the copies that nobody waited for, and keep a Finding for
        each.
        """
        for groups in self.groups.values():
            for store in [s for group in groups.closed for s in group] + groups.open:
                self.keep_outlived(
                    store, "read", "cp.async.bulk.commit_group and cp.async.bulk.wait_group"
                )
                self.finish(store)
        for flight in [f for flights in self.loads.values() for f in flights]:
            self.keep_outlived(flight, "write", f"{flight.barrier.name()}")
        self.loads, self.groups = {}, {}

    def keep_outlived(self, copy, verb, remedy):
        """Keep the Finding for a copy that outlives its block."""
        state = self.state
        if not state.checker:
            return
        detail = (
            f"it starts this bulk copy, which may still {verb} shared memory when the block exits: "
            f"wait for it before ({remedy})"
        )
        lane = copy.by[0] * state.lanes.threads + copy.by[1]
        state.launch.keep(state.finding("unfinished copy", copy.instruction, lane, detail))
