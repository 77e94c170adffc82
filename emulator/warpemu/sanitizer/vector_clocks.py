"""Which accesses are ordered in kernels whose single threads let others go on: with mbarriers,
clusters and asynchronous copies. By vector clocks.

For every thread there is a row of times, one for each author of its cluster: what that author did
until then is known to the thread, that is, ordered before whatever the thread does now. A thread
that arrives at an mbarrier adds its row to the mbarrier's, and a thread that waits for the phase
takes the sum over. At a barrier all that pass take over the rows of all.

Authors are the threads, and for bulk copies, which belong to no thread, the mbarriers: what a copy
wrote was written by the mbarrier that it completes, and a thread that waited for the phase knows of
it.

Ordinary accesses reach memory by another way (in PTX: proxy) than those of the copy engine and the
tensor cores. A second table of the same form, ``visible``, says what is also visible to the other
way: what a fence.proxy.async was made for before it became known.
"""

import numpy as np

from .barrier_order import RANK, TIME, Order, author_of, rank_of, thread_of, time_of

FIRST_BARRIER = 1024  # number of the first mbarrier's author; threads have those below
BARRIERS = 64  # authors among the mbarriers of a block; further ones share theirs
FINE = 1024  # threads of a cluster up to which each has a column; then each warp


class Clocks(Order):
    """Order of one launch. size: blocks of a cluster.

    seen, visible: int32 (B, T or 1, columns): for each thread of the chunk the time until which it
    knows each author of its cluster; (B, 1, columns) where all threads of a block know the same. An
    author's column: see ``column``. Barriers of a block and __syncwarp are kept in blocks_synced
    and warps_synced. proxy_fenced, fenced_at: (B, T), when each thread last made a
    fence.proxy.async, a memory fence. released: (B, warps), the time until which a warp's own
    accesses are known to have ended, because the warp has arrived somewhere and has waited for
    that: at a barrier of a cluster or of some threads, or for an mbarrier's phase.
    """

    precise = True

    def __init__(self, size):
        super().__init__()
        self.size = size

    def enter(self, state):
        super().enter(state)
        blocks, threads = state.lanes.blocks, state.lanes.threads
        self.threads = threads
        self.unit = 1 if self.size * threads <= FINE else 32
        self.plain = -(-threads // self.unit)  # columns of a block's threads
        self.width = self.plain + BARRIERS
        shape = blocks, 1, self.size * self.width
        self.seen, self.visible = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        self.proxy_fenced = np.zeros((blocks, threads), np.int32)
        self.fenced_at = np.zeros((blocks, threads), np.int32)
        self.released = np.zeros((blocks, -(-threads // 32)), np.int32)
        self.folded = 0  # the last time at which ``visible`` took up proxy_fenced
        authors = np.arange(16 << 11)  # as order.author_of gives them
        self.columns = self.column(authors >> 11, authors & 2047) % shape[2]

    # Authors -------------------------------------------------------------------------------------
    def column(self, rank, author):
        """The column of an author in ``seen``: of a thread or (from FIRST_BARRIER on) an mbarrier,
        of the block of that rank.
        """
        barrier = self.plain + (author - FIRST_BARRIER) % BARRIERS
        return rank * self.width + np.where(author < FIRST_BARRIER, author // self.unit, barrier)

    def own(self, row):
        """The columns of the threads of a block of the chunk, as a slice."""
        start = row % self.size * self.width
        return slice(start, start + self.plain)

    def since(self, row, warp):
        """When the blocks ``row`` last passed a barrier, and these warps a __syncwarp."""
        blocks, warps = self.blocks_synced, self.warps_synced
        return (
            blocks[row if blocks.shape[0] > 1 else 0, 0],
            warps[row if warps.shape[0] > 1 else 0, warp],
        )

    def stamp(self, rows, threads, instruction):
        return super().stamp(rows, threads, instruction) | (
            np.asarray(rows, np.int64) % self.size << RANK
        )

    def copy_stamp(self, row, barrier, instruction):
        """The stamp of what an mbarrier's copies wrote, which lands now in block ``row``."""
        number = instruction.index & 0xFFFF
        author = FIRST_BARRIER + barrier % BARRIERS
        row = np.asarray(row, np.int64)
        return (self.time << TIME) | (row % self.size << RANK) | (author << 16) | number

    def looked_up(self, table, rows, threads, stamps):
        """The times until which threads know the authors of stamps, from one of the tables."""
        return table[rows, threads if table.shape[1] > 1 else 0, self.columns[author_of(stamps)]]

    def unordered(self, stamps, rows, threads):
        """Which stamps are in no order with an access now by threads of the blocks ``rows``."""
        if not np.count_nonzero(stamps):  # half of the time
            return np.zeros(np.broadcast_shapes(stamps.shape, threads.shape), bool)
        when = time_of(stamps)
        rest = when > self.looked_up(self.seen, rows, threads, stamps)  # so there is a stamp, too
        if rest.any():
            who, near = thread_of(stamps), rank_of(stamps) == rows % self.size
            warp = threads // 32
            block_since, warp_since = self.since(rows, warp)
            synced = (when <= block_since) | ((who // 32 == warp) & (when <= warp_since))
            rest &= ~(near & ((who == threads) | (synced & (who < FIRST_BARRIER))))
        return rest

    def unfenced(self, stamps, rows, threads):
        """Which stamps are of ordinary accesses that an asynchronous access now, by threads of the
        blocks ``rows``, may not see, since no fence.proxy.async lies between them?
        """
        when, who = time_of(stamps), thread_of(stamps)
        rest = (stamps != 0) & (who < FIRST_BARRIER)
        if rest.any():
            own = (rank_of(stamps) == rows % self.size) & (who == threads)
            fenced = self.proxy_fenced[rows, threads]
            rest &= ~(own & (when <= fenced))
            rest &= when > self.looked_up(self.visible, rows, threads, stamps)
        return rest

    def behind_warp(self, stamps, rows, threads):
        """Which stamps are of ordinary accesses of the same warp that an asynchronous access now
        may overtake: only program order or a __syncwarp lies between, but no fence.proxy.async, no
        barrier of the block, and no wait for something that the warp has arrived at since.
        """
        warp = threads // 32
        rest = (stamps != 0) & (thread_of(stamps) // 32 == warp)
        if rest.any():
            when = time_of(stamps)
            rest &= (rank_of(stamps) == rows % self.size) & self.unfenced(stamps, rows, threads)
            rest &= (when > self.since(rows, warp)[0]) & (when > self.released[rows, warp])
        return rest

    # What threads know ---------------------------------------------------------------------------
    def knowledge(self, row, threads, relaxed=False):
        """What some threads of a block know together, their own accesses included: (row of seen,
        row of visible), (columns,) each. relaxed: their own accesses only up to their last memory
        fence.
        """
        table, visible = (
            t[row, threads if t.shape[1] > 1 else slice(None)].max(axis=0)
            for t in (self.seen, self.visible)
        )
        own, mine = self.own(row), self.own(row).start + threads // self.unit
        block_since, _ = self.since(row, 0)
        np.maximum(table[own], block_since, out=table[own])
        for warp in np.unique(threads // 32).tolist():
            lanes = np.arange(32 * warp, min(32 * warp + 32, self.threads)) // self.unit
            lanes = own.start + lanes
            table[lanes] = np.maximum(table[lanes], self.since(row, warp)[1])
        until = self.fenced_at[row, threads] if relaxed else self.time
        np.maximum.at(table, mine, until)
        np.maximum.at(visible, mine, self.proxy_fenced[row, threads])
        return table, visible

    def learn(self, row, threads, knowledge):
        """Threads of a block take over what ``knowledge`` holds, after a wait."""
        own, per = knowledge[0][self.own(row)], 32 // self.unit
        first, last = int(threads.min()) // 32, int(threads.max()) // 32
        for warp in (first,) if first == last else np.unique(threads // 32).tolist():
            came_back = own[per * warp : per * warp + per].max()
            if came_back > self.released[row, warp]:
                self.released[row, warp] = came_back
        self.take_up(row, threads, knowledge)

    def take_up(self, row, threads, knowledge):
        """The same after a __syncwarp, which does not show that earlier accesses have ended."""
        for name, new in zip(("seen", "visible"), knowledge, strict=True):
            table = getattr(self, name)
            old = table[row, threads] if table.shape[1] > 1 else table[row]
            if (new <= old).all():
                continue
            if len(threads) == self.threads:
                table[row] = np.maximum(table[row], new)
            else:
                self.by_thread(name)[row, threads] = np.maximum(old, new)

    def learn_author(self, row, threads, author):
        """Threads of a block know from now on all that an author of their block did until now."""
        table = self.seen if len(threads) == self.threads else self.by_thread("seen")
        table[row, threads if table.shape[1] > 1 else 0, self.column(row % self.size, author)] = (
            self.time
        )

    def by_thread(self, name):
        """The table of that name, with a row for each thread."""
        if getattr(self, name).shape[1] == 1:
            setattr(self, name, np.repeat(getattr(self, name), self.threads, axis=1))
        return getattr(self, name)

    def tick(self):
        """Advance the time: later accesses are not part of what was given to others so far."""
        self.time += 1

    # Barriers and fences -------------------------------------------------------------------------
    def block_sync(self, complete, came=None, left=None):
        rows = np.flatnonzero(complete)
        if came is not None and not came[rows].all():  # some threads only: bar.sync a, count
            for row in rows.tolist():
                known = self.knowledge(row, np.flatnonzero(came[row]))
                self.learn(row, np.flatnonzero(left[row]), known)
            self.tick()
            return
        visible = self.visible[rows].max(axis=1)
        if self.proxy_fenced[rows].any():
            fenced = self.proxy_fenced[rows]
            if self.unit > 1:
                fenced = np.maximum.reduceat(fenced, range(0, self.threads, self.unit), axis=1)
            columns = (rows % self.size * self.width)[:, None] + np.arange(self.plain)
            at = np.arange(len(rows))[:, None], columns
            visible[at] = np.maximum(visible[at], fenced)
        seen = self.seen[rows].max(axis=1)
        if len(rows) == self.state.lanes.blocks:
            self.seen, self.visible = seen[:, None], visible[:, None]
        else:
            self.seen[rows], self.visible[rows] = seen[:, None], visible[:, None]
        super().block_sync(complete)

    def warp_sync(self, group):
        fenced = self.proxy_fenced.max() > self.folded
        self.folded = self.time
        super().warp_sync(group)
        if not fenced and self.seen.shape[1] == self.visible.shape[1] == 1:
            return
        ids = (group.ids if group.mask is None else group.ids[group.mask]).reshape(-1)
        block, thread = np.divmod(ids, self.threads)
        warps = block * self.state.lanes.warps + thread // 32
        starts = np.flatnonzero(np.concatenate(([True], warps[1:] != warps[:-1])))
        for start, stop in zip(starts, [*starts[1:], len(ids)], strict=True):
            row, threads = int(block[start]), thread[start:stop]
            self.take_up(row, threads, self.knowledge(row, threads))

    def fence_by(self, group, mask):
        """Active lanes made a memory fence, or fence.mbarrier_init."""
        rows, threads = lanes_of(group, mask)
        self.fenced_at[rows, threads] = self.time
        self.tick()

    def proxy_fence(self, group, mask):
        """Active lanes made a fence.proxy.async: all that they know becomes visible to the other
        way.
        """
        rows, threads = lanes_of(group, mask)
        self.proxy_fenced[rows, threads] = self.time
        for row in np.unique(rows).tolist():
            mine = threads[rows == row]
            seen = self.seen[row, mine if self.seen.shape[1] > 1 else slice(None)]
            self.learn_visible(row, mine, seen)
        self.tick()

    def learn_visible(self, row, threads, seen):
        """What threads know, (threads or 1, columns), becomes visible to the other way."""
        seen, own = seen.copy(), self.own(row)
        np.maximum(seen[:, own], self.since(row, 0)[0], out=seen[:, own])
        if len(threads) == self.threads:
            if len(seen) > 1:
                self.by_thread("visible")
            self.visible[row] = np.maximum(self.visible[row], seen)
            return
        seen = np.broadcast_to(seen, (len(threads), seen.shape[1])).copy()
        for k, thread in enumerate(threads.tolist()):
            warp = thread // 32
            lanes = np.arange(32 * warp, min(32 * warp + 32, self.threads)) // self.unit
            lanes = own.start + lanes
            seen[k, lanes] = np.maximum(seen[k, lanes], self.since(row, warp)[1])
        table = self.by_thread("visible")
        table[row, threads] = np.maximum(table[row, threads], seen)


def lanes_of(group, mask):
    """(block of the chunk, thread) of the active lanes, (n,) each."""
    ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
    return np.divmod(ids, group.lanes.threads)
