"""Shared memory that wgmma reads: races, missing proxy fences, and what is overwritten too early.

A product reads its operands at some time until a wgmma.wait_group waits for it; warpgroups.py says
when that was. Whether what it reads was written in time is asked for two threads of a warpgroup, of
its first and its last warp, so that what a single warp has written is foreign to one of them. The
reads themselves are no thread's: their author is the warpgroup's tensor cores, and who waits for
the product knows them (see vector_clocks.py).
"""

import numpy as np

from .shared_stamps import SharedAccess
from .vector_clocks import BARRIERS, FIRST_BARRIER


def author(thread):
    """The number, among mbarriers, of the tensor cores of a thread's warpgroup: the last ones."""
    return BARRIERS - 1 - thread // 128


class WgmmaOperands:
    """What products read, on a SharedStamps. held: by granule, (B, n), 1 + the number of the
    product that may still read it, or 0; None as long as there was no product.
    """

    def __init__(self, stamps):
        self.stamps, self.order, self.held = stamps, stamps.order, None

    def enter(self):
        """A new chunk has new shared memory."""
        self.held = None

    def read(self, teams, offsets):
        """A product reads pieces of 16 bytes. teams: ops.wgmma.Teams; offsets: of the pieces,
        (teams or 1, n). Gives the granules, (teams or 1, m).
        """
        stamps, instruction = self.stamps, teams.instruction
        count = len(teams.warps), offsets.shape[1]
        rows, warps = (np.repeat(x, count[1]) for x in (teams.blocks, teams.warps))
        pieces = np.broadcast_to(offsets, count).reshape(-1)
        stamp = self.order.copy_stamp(rows, author(warps * 32), instruction)
        for last in {0, teams.size - 1}:
            access = SharedAccess(instruction, rows, (warps + last) * 32, pieces)
            self.check_fence(access)
            stamps.check_read(access)
        stamps.remember(*stamps.all_granules(access), stamp)
        columns = offsets[:, :, None] // stamps.grain + np.arange(16 // stamps.grain)
        columns = columns.reshape(len(offsets), -1)
        self.hold(teams.blocks, columns, instruction)
        return columns

    def check_fence(self, access):
        """Was a fence.proxy.async made for what it reads?"""
        stamps = self.stamps
        wrote = stamps.wrote[stamps.all_granules(access)]
        if not self.order.unfenced(wrote, access.home, access.threads).any():
            return
        for row, column in stamps.granules(access):
            wrote = stamps.wrote[row, column]
            if not stamps.unordered(wrote, access).any():
                stamps.keep_unfenced(access, column, wrote)

    def hold(self, blocks, columns, instruction):
        """From now on a product may read granules."""
        if self.held is None:
            self.held = np.zeros(self.stamps.wrote.shape, np.int32)
        self.held[blocks[:, None], columns] = 1 + instruction.index

    def landed(self, finished, others):
        """The ``finished`` products have read what they read, which their warpgroups know, and only
        the ``others`` may still read: [warpgroups.Reading] both.
        """
        stamps, order = self.stamps, self.order
        for reading in finished:  # they may have read it just now
            shape = len(reading.block), reading.columns.shape[1]
            columns = np.broadcast_to(reading.columns, shape).reshape(-1)
            rows, threads = (np.repeat(x, shape[1]) for x in (reading.block, reading.thread))
            stamp = order.copy_stamp(rows, author(threads), reading.instruction)
            stamps.remember(rows, columns, stamp)
            self.held[reading.block[:, None], reading.columns] = 0
        teams = {(r, t) for done in finished for r, t in zip(done.block, done.thread, strict=True)}
        for row, thread in teams:
            first = thread // 128 * 128
            threads = np.arange(first, min(first + 128, order.threads))
            order.learn_author(row, threads, FIRST_BARRIER + author(first))
        order.tick()
        for reading in others:
            self.hold(reading.block, reading.columns, reading.instruction)

    def check_write(self, access, row, column):
        """Lanes write granules: keep a Finding if a product may still read one."""
        if self.held is None:
            return
        held = self.held[row, column]
        if not held.any():
            return
        stamps, bad = self.stamps, held != 0
        line = stamps.program.line_of(int(held[bad.argmax()]) - 1)
        detail = (
            f"{access.instruction.access.verb} {stamps.byte_of(column[bad.argmax()])} while the "
            f"wgmma of line {line} may still read it: wait for it with wgmma.wait_group, then let "
            "the other threads know"
        )
        stamps.keep("unfinished wgmma", access, column, bad, detail)
