"""Ordinary accesses to shared memory, and cp.async: uninitialised reads and races.

Two accesses by different threads, one of them a write, are a race unless they are in an order.

What came before a barrier of all blocks of the chunk is in order with what comes after it. So most
reads, those that no write came before since then, are not remembered at once but put off: the next
barrier settles them, and only a write before it has to know who they were. Kernels whose threads
have clocks of their own (see vector_clocks.py) go without this.
"""

import numpy as np

from ..memory import differ, shared_take
from .barrier_order import instruction_of

PUT_OFF = 1 << 24  # bytes of reads that are kept to be looked at later


def is_atomic(instruction):
    return instruction.name in ("atom", "red")


class SharedAccesses:
    """Ordinary accesses, on a SharedStamps. operands: WgmmaOperands; copies: BulkCopies.

    atomics: numbers of the instructions that are; in_flight: how many granules of cp.async are on
    their way; put_off: reads to be remembered later, (time, arguments), of put_off_bytes; read_map:
    the granules of the first ``mapped`` of them.
    """

    def __init__(self, stamps, operands, copies):
        self.stamps, self.order = stamps, stamps.order
        self.operands, self.copies, self.launch = operands, copies, stamps.launch
        instructions = self.launch.program.instructions
        self.atomics = [k for k, item in enumerate(instructions) if is_atomic(item)]

    def enter(self):
        """A new chunk has new shared memory."""
        self.in_flight = 0
        self.forget_reads()

    # Reads that are looked at later -------------------------------------------------------------
    def put_off_read(self, group, mask, instruction, offset):
        """Keep a read. Mask and offset may be registers, whose arrays change."""
        mask, offset = None if mask is None else mask.copy(), offset.copy()
        self.put_off.append((self.order.time, (group, mask, instruction, offset)))
        self.put_off_bytes += offset.nbytes
        if self.put_off_bytes > PUT_OFF:
            self.remember_reads()

    def remember_reads(self):
        """Remember who read, of the reads that no barrier has settled. It comes before any access
        that changes stamps: from a read on, each block may have stamps of its own.
        """
        stamps, put_off = self.stamps, self.put_off
        self.forget_reads()
        for time, read in put_off:
            if not stamps.settled(time):
                access = stamps.access(*read)
                stamp = self.order.stamp(access.home, access.threads, access.instruction, time)
                stamps.remember(*stamps.all_granules(access), stamp)

    def forget_reads(self):
        self.put_off, self.put_off_bytes, self.mapped = [], 0, 0

    def before_write(self, group, mask, instruction, offset):
        """Remember the reads that were put off, if one may be of what is written now."""
        settled = self.stamps.settled
        if self.put_off and settled(self.put_off[0][0]):
            rest = [(time, read) for time, read in self.put_off if not settled(time)]
            self.forget_reads()
            self.put_off, self.put_off_bytes = rest, sum(read[-1].nbytes for _, read in rest)
        if self.put_off and self.meets_put_off(group, mask, instruction, offset):
            self.remember_reads()

    def meets_put_off(self, group, mask, instruction, offset):
        """Is what lanes write among what was read and put off, in whatever block?"""
        if self.mapped == 0:
            self.read_map = np.zeros(self.stamps.wrote.shape[1], bool)
        for _, read in self.put_off[self.mapped :]:
            for column in self.columns(*read):
                self.read_map[column] = True
        self.mapped = len(self.put_off)
        columns = self.columns(group, mask, instruction, offset)
        return any(self.read_map[column].any() for column in columns)

    def columns(self, group, mask, instruction, offset):
        """The granules that the active lanes access, in each lane's own block."""
        grain = self.stamps.grain
        if mask is not None and offset.shape != group.ids[mask].shape:
            offset = group.compress(offset, mask)
        for k in range(0, instruction.access.bytes, grain):
            yield (offset + k) // grain

    # Reads ---------------------------------------------------------------------------------------
    def read(self, group, mask, instruction, offset):
        """Active lanes read at byte offsets of their own block's shared memory."""
        stamps, lanes = self.stamps, (group, mask, instruction, offset)
        if self.order.precise:
            self.read_by(stamps.access(*lanes))
            return
        if stamps.any_flying or not (stamps.settled(stamps.wrote_at) and stamps.all_written()):
            stamps.check_read(stamps.access(*lanes))
        self.put_off_read(*lanes)

    def read_by(self, access):
        """As read, of a SharedAccess, at once."""
        stamps = self.stamps
        stamps.check_read(access)
        stamps.remember(*stamps.all_granules(access), stamps.stamp(access))

    # Writes --------------------------------------------------------------------------------------
    def atomic(self, group, mask, instruction, offset):
        """Active lanes update memory atomically. In the part that CUDA keeps for itself this is how
        cooperative groups of several warps meet: it counts as a barrier of the block.
        """
        reserved, lanes = self.launch.reserved, self.stamps.state.lanes
        if reserved is not None and (offset >= reserved).all():
            blocks = np.zeros(lanes.blocks, bool)
            blocks[group.blocks if mask is None else group.ids[mask] // lanes.threads] = True
            self.order.block_sync(blocks)
            return
        self.write(group, mask, instruction, offset, None)

    def write(self, group, mask, instruction, offset, value):
        """Active lanes write. value: what they write, or None for an atomic (and where it is not
        known).
        """
        self.before_write(group, mask, instruction, offset)
        self.write_by(
            self.stamps.access(group, mask, instruction, offset),
            value,
            lambda: self.unchanged(group, mask, instruction, offset, value),
        )

    def write_by(self, access, value=None, unchanged=lambda: False):
        """As write, of a SharedAccess. unchanged: a function that tells whether the write leaves
        memory as it is.
        """
        stamps = self.stamps
        if self.may_be_written(access):
            stamp, place = stamps.stamp(access), stamps.all_granules(access)
            stamps.wrote[place] = stamp
            if value is not None and (stamps.wrote[place] != stamp).any():
                for column in place[1]:
                    self.check_meeting(access, column, stamp, value)
        else:
            self.check_write(access, value, unchanged)
        stamps.wrote_at = self.order.time

    def check_write(self, access, value, unchanged):
        """write_by, granule by granule of each lane, where there may be something to find."""
        stamps, atomic, quiet = self.stamps, is_atomic(access.instruction), None
        stamp = stamps.stamp(access)
        for row, column in stamps.granules(access):
            self.operands.check_write(access, row, column)
            if access.instruction.name != "cp":
                self.copies.check_write(access, row, column)
            if atomic and access.instruction.access.operation != "exch":
                wrote = stamps.wrote[row, column]
                if not wrote.all():
                    stamps.keep_uninitialised(access, column, wrote == 0)
            for verb, before in self.unsettled(row, column):
                bad = self.clashing(before, access)
                if bad.any():
                    quiet = unchanged() if quiet is None else quiet
                    if not quiet:
                        stamps.keep_race(access, column, bad, before, verb)
            stamps.wrote[row, column] = stamp
            if value is not None and (stamps.wrote[row, column] != stamp).any():
                self.check_meeting(access, column, stamp, value)

    def may_be_written(self, access):
        """Is there nothing to find of what was before, where lanes write? As ``may_be_read``."""
        stamps, instruction = self.stamps, access.instruction
        place = stamps.all_granules(access)
        busy = [] if self.operands.held is None else [self.operands.held]
        if instruction.name != "cp":
            busy += self.copies.in_flight()
        if any(table[place].any() for table in busy):
            return False
        updates = is_atomic(instruction) and instruction.access.operation != "exch"
        if updates and not stamps.wrote[place].all():
            return False
        return not any(self.clashing(found, access).any() for _, found in self.unsettled(*place))

    def clashing(self, before, access):
        """Which accesses before are a race with a write; atomics are none with one another."""
        bad = self.stamps.unordered(before, access)
        if is_atomic(access.instruction):
            bad &= ~np.isin(instruction_of(before), self.atomics)
        return bad

    def unsettled(self, row, column):
        """(verb, stamps) of those who wrote and read granules, where no barrier has settled it."""
        stamps, precise = self.stamps, self.order.precise
        if precise or not stamps.settled(stamps.wrote_at):
            yield "wrote", stamps.wrote[row, column]
        if precise or not stamps.settled(stamps.read_at):
            for reads in stamps.reads:
                yield "read", reads[row, column]

    def unchanged(self, group, mask, instruction, offset, value):
        """Does a write leave shared memory as it is?"""
        if value is None or mask is not None:
            return False
        wide, shift = instruction.access.wide, instruction.access.shift
        now = shared_take(self.stamps.state.shared.view(wide), group, offset >> shift)
        return not differ(now, value).any()

    def check_meeting(self, access, column, stamp, value):
        """Lanes of one instruction wrote one granule: a race if their values differ."""
        if value.ndim == 2 and access.rows is None:
            value = value[0]
        value = (
            np.broadcast_to(value.reshape(-1), column.shape)
            if value.size in (1, column.size)
            else None
        )
        if value is None:
            return
        row = np.zeros(len(column), int) if access.rows is None else access.rows
        order = np.lexsort((column, row))
        row, column_sorted, value = row[order], column[order], value[order]
        unlike = (row[1:] == row[:-1]) & (column_sorted[1:] == column_sorted[:-1])
        unlike &= differ(value[1:], value[:-1])
        if unlike.any():
            bad, before = np.zeros(len(column), bool), np.zeros(len(column), np.int64)
            bad[order[1:]], before[order[1:]] = unlike, stamp[order[:-1]]
            self.stamps.keep_race(access, column, bad, before, "wrote")

    # cp.async ------------------------------------------------------------------------------------
    def copy_starts(self, group, mask, instruction, offset):
        """cp.async: from now on it may write, until it is waited for."""
        stamps = self.stamps
        if mask is not None:
            offset = group.compress(offset, mask)
        self.before_write(group, mask, instruction, offset)
        access = stamps.access(group, mask, instruction, offset)
        for row, column in () if self.may_be_written(access) else stamps.granules(access):
            self.operands.check_write(access, row, column)
            for verb, before in self.unsettled(row, column):
                bad = stamps.unordered(before, access)
                if bad.any():
                    stamps.keep_race(access, column, bad, before, verb)
        row, columns = stamps.all_granules(access)
        stamps.flying[row, columns], stamps.any_flying = stamps.stamp(access), True
        self.in_flight += columns.size

    def copy_lands(self, group, mask, instruction, offset):
        """It has been waited for, and has written."""
        stamps = self.stamps
        if mask is not None:
            offset = group.compress(offset, mask)
        row, columns = stamps.all_granules(stamps.access(group, mask, instruction, offset))
        stamps.flying[row, columns] = 0
        self.in_flight -= columns.size
        still = self.in_flight > 0 or self.order.precise
        stamps.any_flying = stamps.any_flying and still
