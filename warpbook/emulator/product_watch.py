"""Shared memory that wgmma reads: races, missing proxy fences, and what is overwritten too early.

A product reads its operands at some time until a wgmma.wait_group waits for it; accumulators.py
says when that was. Of a warpgroup two threads stand for all as readers, of its first and its last
warp, so that whatever a single warp has written is foreign to one of them.
"""

import numpy as np


class ProductWatch:
    """What products read, for a SharedWatch. held: by granule, (1 or B, n), 1 + the number of the
    product that may still read it, or 0; None as long as there was no product.
    """

    def __init__(self, watch):
        self.watch, self.held = watch, None

    def enter(self):
        """A new chunk has new shared memory."""
        self.held = None

    def read(self, teams, offsets):
        """A product reads pieces of 16 bytes. teams: ops.wgmma.Teams; offsets: of the pieces,
        (teams or 1, n). (columns, alike), as accumulators.Reading has them.
        """
        watch, state, instruction = self.watch, teams.state, teams.instruction
        watch.enter(state)
        order, group = watch.order, teams.group
        pasts = (order.blocks_synced, order.warps_synced, watch.wrote)
        alike = len(offsets) == 1 and teams.mask is None and group.flat is None
        alike = alike and group.shape[0] == state.lanes.blocks
        alike = alike and all(past.shape[0] == 1 for past in pasts)
        if alike:
            warps, rows = teams.warps[: len(teams.warps) // state.lanes.blocks], None
        else:
            watch.by_block(state)
            warps, rows = teams.warps, np.repeat(teams.blocks, offsets.shape[1])
        pieces = np.broadcast_to(offsets, (len(warps), offsets.shape[1])).reshape(-1)
        for last in {0, teams.size - 1}:
            threads = np.repeat((warps + last) * 32, offsets.shape[1])
            touch = watch.touch_at(state, instruction, rows, threads, pieces, None)
            if order.precise:
                self.fenced(touch)
            watch.read_by(touch)
        columns = offsets[:, :, None] // watch.grain + np.arange(16 // watch.grain)
        columns = columns.reshape(len(offsets), -1)
        self.hold(teams.blocks, columns, alike, instruction)
        return columns, alike

    def fenced(self, touch):
        """Was a fence.proxy.async made for what it reads?"""
        for row, column in self.watch.granules(touch):
            wrote = self.watch.wrote[row, column]
            if not self.watch.unordered(wrote, touch).any():
                self.watch.copies.fenced(touch, column, wrote)

    def hold(self, blocks, columns, alike, instruction):
        """From now on a product may read granules."""
        rows, count = self.watch.wrote.shape
        if self.held is None:
            self.held = np.zeros((1, count), np.int64)
        if len(self.held) < rows:
            self.held = np.repeat(self.held, rows, axis=0)
        row = slice(None) if alike else blocks[:, None]
        self.held[row, columns[0] if alike else columns] = 1 + instruction.index

    def landed(self, gone, left):
        """The products of ``gone`` have read what they read, and only those of ``left`` may still
        read: [accumulators.Reading].
        """
        watch = self.watch
        for reading in gone:  # they may have read it just now
            shape = len(reading.block), reading.columns.shape[1]
            columns = np.broadcast_to(reading.columns, shape).reshape(-1)
            block = np.repeat(reading.block, shape[1])
            row = block if len(watch.wrote) > 1 else 0
            for last in {0, reading.last}:
                threads = np.repeat(reading.thread + 32 * last, shape[1])
                by = (block, threads, None, None)
                touch = watch.touch_at(watch.state, reading.instruction, *by)
                watch.remember(row, columns, watch.stamp(touch))
        self.held[...] = 0
        for reading in left:
            self.hold(reading.block, reading.columns, reading.alike, reading.instruction)

    def disturbed(self, touch, row, column):
        """Lanes write granules: keep a Finding if a product may still read one."""
        if self.held is None:
            return
        held = self.held[row if len(self.held) > 1 else 0, column]
        if not held.any():
            return
        watch, bad = self.watch, held != 0
        name, element = watch.element(touch, column, bad)
        line = watch.program.line_of(int(held[bad.argmax()]) - 1)
        detail = (
            f"{touch.instruction.access.verb} {name}[{element}] in shared memory while the wgmma "
            f"of line {line} may still read it: wait for it with wgmma.wait_group, then let the "
            "other threads know"
        )
        watch.keep("unfinished wgmma", touch, column, bad, detail)
