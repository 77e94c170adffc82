"""Order by vector clocks, for kernels in which single threads let others go on: with mbarriers,
clusters and asynchronous copies.

Each thread remembers until when it knows what every other thread of its cluster did. What a thread
knows, it gives to whom it arrives for: at an mbarrier to those that wait for the phase, at a
barrier to all that pass it. An access at some time is ordered before all that a thread does now if
the thread knows its author until then.

Bulk copies are no thread's accesses. What lands in shared memory is written by the mbarrier that
its copy completes, an author of its own: who waited for the phase knows it.

Ordinary accesses and those of the copy engine and the tensor cores go by different ways (in PTX:
proxies). For what has to be visible to the other way there is a second table of the same form,
``visible``: what a thread knows and, on the way to it, fence.proxy.async was made for.
"""

import numpy as np

from .order import RANK, TIME, Order, author_of, rank_of, thread_of, time_of

FIRST_BARRIER = 1024  # number of the first mbarrier's author; threads have those below
BARRIERS = 64  # authors among the mbarriers of a block; further ones share theirs
FINE = 1024  # threads of a cluster up to which each has a column; then each warp


class Clocks(Order):
    """Order of one launch. size: blocks of a cluster.

    seen, visible: int32 (B, T or 1, columns): until when each thread of the chunk knows each author
    of its cluster; with 1, all threads of a block know the same. An author's column: see
    ``column``. Barriers of a block and __syncwarp stay in blocks_synced and warps_synced.
    proxy_fenced, fenced_at: (B, T), when each thread last made a fence.proxy.async, a memory fence.
    released: (B, warps), until when a warp's own accesses have come back to it by a barrier of a
    cluster, of some threads or by an mbarrier's phase: at least one of its threads had arrived.
    """

    precise = True

    def __init__(self, size):
        super().__init__()
        self.size = size

    def enter(self, state):
        if not super().enter(state):
            return False
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
        return True

    # Authors -------------------------------------------------------------------------------------
    def column(self, rank, author):
        """Where in a row of ``seen`` an author stands, a thread or (from FIRST_BARRIER on) an
        mbarrier of the block of that rank.
        """
        barrier = self.plain + (author - FIRST_BARRIER) % BARRIERS
        return rank * self.width + np.where(author < FIRST_BARRIER, author // self.unit, barrier)

    def own(self, row):
        """The columns of the threads of a block of the chunk."""
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
        return (self.time << TIME) | (row % self.size << RANK) | (author << 16) | number

    def looked_up(self, table, rows, threads, stamps):
        """Until when threads know the authors of stamps."""
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
        """Which stamps are of ordinary accesses without a fence.proxy.async on the way from them to
        an asynchronous access now by threads of the blocks ``rows``.
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
        """Which stamps are of ordinary accesses of the same warp that only its own order, or a
        __syncwarp, puts before an asynchronous access now: with no fence.proxy.async on the way, no
        barrier of the block, and no wait for what the warp has arrived at since.
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
        """(seen, visible), (columns,) each: what some threads of a block know together, and did
        until now. relaxed: until they last made a fence.
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
        """Threads of a block know now what ``knowledge`` holds as well, by a barrier."""
        own, per = knowledge[0][self.own(row)], 32 // self.unit
        first, last = int(threads.min()) // 32, int(threads.max()) // 32
        for warp in (first,) if first == last else np.unique(threads // 32).tolist():
            came_back = own[per * warp : per * warp + per].max()
            if came_back > self.released[row, warp]:
                self.released[row, warp] = came_back
        self.take_up(row, threads, knowledge)

    def take_up(self, row, threads, knowledge):
        """As learn, but by __syncwarp."""
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
        """Threads of a block know now what an author of their block did until now."""
        table = self.seen if len(threads) == self.threads else self.by_thread("seen")
        table[row, threads if table.shape[1] > 1 else 0, self.column(row % self.size, author)] = (
            self.time
        )

    def by_thread(self, name):
        """A table with a row for each thread."""
        if getattr(self, name).shape[1] == 1:
            setattr(self, name, np.repeat(getattr(self, name), self.threads, axis=1))
        return getattr(self, name)

    def tick(self):
        """What comes now is later than what was released."""
        self.time += 1

    # Barriers and fences -------------------------------------------------------------------------
    def block_sync(self, state, complete, came=None, left=None):
        self.enter(state)
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
        if len(rows) == state.lanes.blocks:
            self.seen, self.visible = seen[:, None], visible[:, None]
        else:
            self.seen[rows], self.visible[rows] = seen[:, None], visible[:, None]
        super().block_sync(state, complete)

    def warp_sync(self, state, group):
        self.enter(state)
        fenced = self.proxy_fenced.max() > self.folded
        self.folded = self.time
        super().warp_sync(state, group)
        if not fenced and self.seen.shape[1] == self.visible.shape[1] == 1:
            return
        ids = (group.ids if group.mask is None else group.ids[group.mask]).reshape(-1)
        block, thread = np.divmod(ids, self.threads)
        warps = block * state.lanes.warps + thread // 32
        starts = np.flatnonzero(np.concatenate(([True], warps[1:] != warps[:-1])))
        for start, stop in zip(starts, [*starts[1:], len(ids)], strict=True):
            row, threads = int(block[start]), thread[start:stop]
            self.take_up(row, threads, self.knowledge(row, threads))

    def fence_by(self, state, group, mask):
        """Active lanes made a memory fence, or fence.mbarrier_init."""
        self.enter(state)
        rows, threads = lanes_of(group, mask)
        self.fenced_at[rows, threads] = self.time
        self.tick()

    def proxy_fence(self, state, group, mask):
        """Active lanes made a fence.proxy.async: all that they know is visible to the other way."""
        self.enter(state)
        rows, threads = lanes_of(group, mask)
        self.proxy_fenced[rows, threads] = self.time
        for row in np.unique(rows).tolist():
            mine = threads[rows == row]
            seen = self.seen[row, mine if self.seen.shape[1] > 1 else slice(None)]
            self.learn_visible(row, mine, seen)
        self.tick()

    def learn_visible(self, row, threads, seen):
        """What threads have seen, (threads or 1, columns), is visible to the other way."""
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
