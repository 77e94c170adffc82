"""Which accesses are ordered in kernels that have only barriers, __syncwarp and fences.

Time advances at each of these. An access is remembered as a stamp, an int64 made of time, rank of
the block in its cluster, thread and instruction. Two accesses by different threads are ordered if a
barrier of the block lies between them, or, if both threads are in one warp, a __syncwarp. Kernels
with mbarriers, clusters or bulk copies need more than that: vector_clocks.py.
"""

import numpy as np

TIME, RANK, THREAD = 31, 27, 16  # where a stamp's fields start; below: the instruction


def time_of(stamp):
    """The time of the access that a stamp stands for."""
    return stamp >> TIME


def thread_of(stamp):
    """The thread of the block that made it."""
    return (stamp >> THREAD) & 2047


def rank_of(stamp):
    """The rank, in its cluster, of the block of that thread; 0 without clusters."""
    return (stamp >> RANK) & 15


def author_of(stamp):
    """Rank and thread together: one number for each thread of the cluster."""
    return (stamp >> THREAD) & 0x7FFF


def instruction_of(stamp):
    """The number of the instruction that made it (its low 16 bits)."""
    return stamp & 0xFFFF


class Order:
    """Order of one launch, chunk after chunk.

    state: of the chunk that runs; time: now. Times at which lanes last met, (1, n) while all blocks
    of the chunk did the same, else (B, n): blocks_synced (n = 1) at a barrier, warps_synced (n =
    warps of a block) at a __syncwarp; fenced (n = 1): when a thread of the block last made a fence.
    """

    precise = False  # has each thread a clock of its own? See vector_clocks.py

    def __init__(self):
        self.time = 1

    def enter(self, state):
        """A new chunk has barriers of its own."""
        self.state, self.time = state, 1
        self.blocks_synced = self.fenced = np.zeros((1, 1), np.int64)
        self.warps_synced = np.zeros((1, state.lanes.warps), np.int64)

    def block_sync(self, complete, came=None, left=None):
        """The blocks marked in complete (bool, (B,)) passed a barrier. came, left: the threads that
        came to it and those that waited, bool (B, T), or None for all; see vector_clocks.py.
        """
        if complete.all():
            self.blocks_synced = np.full((1, 1), self.time)
        else:
            self.blocks_synced = np.where(complete[:, None], self.time, self.blocks_synced)
        self.time += 1

    def warp_sync(self, group):
        """The warps of a group passed a __syncwarp."""
        state = self.state
        if group is state.everyone:
            self.warps_synced = np.full_like(self.warps_synced, self.time)
        else:
            ids = (group.ids if group.mask is None else group.ids[group.mask]).reshape(-1)
            block, thread = np.divmod(ids, state.lanes.threads)
            shape = state.lanes.blocks, state.lanes.warps
            self.warps_synced = np.broadcast_to(self.warps_synced, shape).copy()
            self.warps_synced[block, thread // 32] = self.time
        self.time += 1

    def fence(self, rows):
        """Threads of the blocks ``rows`` of the chunk made a fence."""
        self.fenced = np.broadcast_to(self.fenced, (self.state.lanes.blocks, 1)).copy()
        self.fenced[rows] = self.time
        self.time += 1

    def fence_by(self, group, mask):
        """Active lanes of a group made a fence: for Clocks, which keeps a time for each thread."""

    def stamp(self, rows, threads, instruction, time=None):
        """The stamps of accesses, now or at an earlier time, by int threads (n,) of the blocks
        ``rows`` of the chunk.
        """
        number = instruction_of(instruction.index)
        time = self.time if time is None else time
        return (time << TIME) | (threads.astype(np.int64) << THREAD) | number

    def unordered(self, stamps, rows, threads):
        """Which stamps (n,) are of other threads than ``threads`` (n,), and not ordered before an
        access now? rows: block of the chunk by lane, or 0 for all.
        """
        blocks, warps, warp = self.blocks_synced, self.warps_synced, threads // 32
        when = time_of(stamps)
        late = when > blocks[rows if blocks.shape[0] > 1 else 0, 0]  # so there is a stamp, too
        if not np.count_nonzero(late):
            return late
        who = thread_of(stamps)
        apart = (who // 32 != warp) | (when > warps[rows if warps.shape[0] > 1 else 0, warp])
        return late & (who != threads) & apart

    def fenced_since(self, stamps, rows):
        """Which stamps are from before a fence of the block."""
        return time_of(stamps) <= self.fenced[rows if self.fenced.shape[0] > 1 else 0, 0]
