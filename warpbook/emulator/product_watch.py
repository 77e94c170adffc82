"""Shared memory that wgmma reads: races, missing proxy fences, and what is overwritten too early.

A product reads its operands at some time until a wgmma.wait_group waits for it; accumulators.py
says when that was. Whether what it reads was written in time is asked for two threads of a
warpgroup, of its first and its last warp, so that what a single warp has written is foreign to one
of them. The reads themselves are no thread's: their author is the warpgroup's tensor cores, and who
waits for the product knows them (see clocks.py).
"""

import numpy as np

from .clocks import BARRIERS, FIRST_BARRIER


def author(thread):
    """The number, among mbarriers, of the tensor cores of a thread's warpgroup: the last ones."""
    return BARRIERS - 1 - thread // 128


class ProductWatch:
    """What products read, for a SharedWatch. held: by granule, (B, n), 1 + the number of the
    product that may still read it, or 0; None as long as there was no product.
    """

    def __init__(self, watch):
        self.watch, self.held = watch, None

    def enter(self):
        """A new chunk has new shared memory."""
        self.held = None

    def read(self, teams, offsets):
        """A product reads pieces of 16 bytes. teams: ops.wgmma.Teams; offsets: of the pieces,
        (teams or 1, n). Gives the granules, (teams or 1, m).
        """
        watch, state, instruction = self.watch, teams.state, teams.instruction
        watch.enter(state)
        count = len(teams.warps), offsets.shape[1]
        rows, warps = (np.repeat(x, count[1]) for x in (teams.blocks, teams.warps))
        pieces = np.broadcast_to(offsets, count).reshape(-1)
        stamp = watch.order.copy_stamp(rows, author(warps * 32), instruction)
        for last in {0, teams.size - 1}:
            touch = watch.touch_at(state, instruction, rows, (warps + last) * 32, pieces, None)
            self.fenced(touch)
            watch.look(touch)
        watch.remember(*watch.all_granules(touch), stamp)
        columns = offsets[:, :, None] // watch.grain + np.arange(16 // watch.grain)
        columns = columns.reshape(len(offsets), -1)
        self.hold(teams.blocks, columns, instruction)
        return columns

    def fenced(self, touch):
        """Was a fence.proxy.async made for what it reads?"""
        wrote = self.watch.wrote[self.watch.all_granules(touch)]
        if not self.watch.order.unfenced(wrote, touch.home, touch.threads).any():
            return
        for row, column in self.watch.granules(touch):
            wrote = self.watch.wrote[row, column]
            if not self.watch.unordered(wrote, touch).any():
                self.watch.copies.fenced(touch, column, wrote)

    def hold(self, blocks, columns, instruction):
        """From now on a product may read granules."""
        if self.held is None:
            self.held = np.zeros(self.watch.wrote.shape, np.int32)
        self.held[blocks[:, None], columns] = 1 + instruction.index

    def landed(self, gone, left):
        """The products of ``gone`` have read what they read, which their warpgroups know, and only
        those of ``left`` may still read: [accumulators.Reading].
        """
        watch, order = self.watch, self.watch.order
        for reading in gone:  # they may have read it just now
            shape = len(reading.block), reading.columns.shape[1]
            columns = np.broadcast_to(reading.columns, shape).reshape(-1)
            rows, threads = (np.repeat(x, shape[1]) for x in (reading.block, reading.thread))
            stamp = order.copy_stamp(rows, author(threads), reading.instruction)
            watch.remember(rows, columns, stamp)
            self.held[reading.block[:, None], reading.columns] = 0
        for row, thread in {(r, t) for g in gone for r, t in zip(g.block, g.thread, strict=True)}:
            first = thread // 128 * 128
            threads = np.arange(first, min(first + 128, order.threads))
            order.learn_author(row, threads, FIRST_BARRIER + author(first))
        order.tick()
        for reading in left:
            self.hold(reading.block, reading.columns, reading.instruction)

    def disturbed(self, touch, row, column):
        """Lanes write granules: keep a Finding if a product may still read one."""
        if self.held is None:
            return
        held = self.held[row, column]
        if not held.any():
            return
        watch, bad = self.watch, held != 0
        line = watch.program.line_of(int(held[bad.argmax()]) - 1)
        detail = (
            f"{touch.instruction.access.verb} {watch.copies.place(column[bad.argmax()])} while the "
            f"wgmma of line {line} may still read it: wait for it with wgmma.wait_group, then let "
            "the other threads know"
        )
        watch.keep("unfinished wgmma", touch, column, bad, detail)
