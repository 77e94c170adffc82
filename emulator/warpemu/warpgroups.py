"""wgmma: warpgroups, whose four warps run together, and their products that are not finished.

Hardware makes a product some time between its wgmma.mma_async and a wgmma.wait_group that waits for
its commit group. The emulator computes it at once; what is here remembers until when it may still
read shared memory or write registers, which the sanitizer asks
(sanitizer/wgmma_registers.py, sanitizer/wgmma_operands.py).
"""

from dataclasses import dataclass

import numpy as np

from .flow import registers
from .lanes import Group
from .ptx import Vector


class Names:
    """The registers of a product. d, a: their names; a is empty if it lies in shared memory."""

    def __init__(self, d, a):
        self.d = tuple(name for operand in d.items for name in registers(operand))
        held = a.items if isinstance(a, Vector) else ()
        self.a = tuple(name for operand in held for name in registers(operand))


@dataclass
class Reading:
    """An operand in shared memory that a product may still read. instruction: the product. For each
    team of warps, (t,): block, of the chunk; thread, its first; number, of its commit group.
    columns: the granules, (t or 1, n).
    """

    instruction: object
    block: np.ndarray
    thread: np.ndarray
    number: np.ndarray
    columns: np.ndarray

    def subset(self, chosen):
        """The same for some teams, bool (t,)."""
        columns = self.columns if len(self.columns) == 1 else self.columns[chosen]
        teams = (x[chosen] for x in (self.block, self.thread, self.number))
        return Reading(self.instruction, *teams, columns)


class Pipeline:
    """The products of a chunk's lanes. As registers:

    closed: commit groups that lanes have closed; landed: those below this number have been waited
    for; fenced: when lanes last made a wgmma.fence, 0 if never; time: now.
    started: {number of an instruction: (it, how often lanes ran it)}.
    numbers: {names of d, of a, or one name that a move made: (commit group of the last product that
    writes or reads it, its line)}; written: {name: when lanes last wrote it}.
    reading: [Reading].
    """

    def __init__(self):
        self.closed = self.landed = self.fenced = np.int64(0)
        self.time = 1
        self.started, self.numbers, self.written, self.reading = {}, {}, {}, []


# What wgmma does ---------------------------------------------------------------------------------
class Warpgroups:
    """Lanes that wait at a wgmma.fence or wgmma.wait_group for the rest of their warpgroup, whose
    products are made together. waits: [(block of PTX, group)]. If no other lane can run, they go on
    without it.
    """

    def __init__(self, scheduler):
        self.scheduler, self.state, self.waits = scheduler, scheduler.state, []

    def come(self, block, group):
        """The lanes of a group come to the end of a block."""
        if self.whole(group):
            self.go(block, group)
            return
        self.waits.append((block, group))
        self.release()

    def whole(self, group):
        """Does a group surely consist of whole warpgroups? (False may also mean that it is not
        known.)
        """
        if not group.aligned:
            return False
        start, stop, _ = group.cols.indices(group.lanes.threads)
        return start % 128 == 0 and stop % 128 == 0

    def release(self, all_of_them=False):
        """Let the lanes go on whose warpgroup is complete; with all_of_them the others as well."""
        if not self.waits:
            return
        lanes, places = self.state.lanes, {}
        for block, group in self.waits:
            old = places.get(block.index, (block, np.zeros((lanes.blocks, lanes.threads), bool)))[1]
            places[block.index] = block, old | group.marks()
        self.waits = []
        alive = np.True_ if self.state.alive is None else self.state.alive
        for block, here in places.values():
            going = here
            if not all_of_them:
                missing = np.zeros((lanes.blocks, -(-lanes.threads // 128) * 128), bool)
                missing[:, : lanes.threads] = alive & ~here
                late = missing.reshape(lanes.blocks, -1, 128).any(axis=2)
                going = here & ~np.repeat(late, 128, axis=1)[:, : lanes.threads]
            if going.any():
                self.go(block, lanes.select(going))
            if (here & ~going).any():
                self.waits.append((block, lanes.select(here & ~going)))

    def go(self, block, group):
        """Lanes that have met execute the wgmma.fence or wgmma.wait_group and go on."""
        state, last = self.state, block.last
        if "fence" in last.parts:
            fence(state, group)
        else:
            wait(state, group, last.operands[0].bits)
        self.scheduler.put(block.index + 1, group)


def fence(state, group):
    """wgmma.fence."""
    pipe = state.pipeline
    pipe.time += 1
    pipe.fenced = group.write_masked(group.mask, pipe.fenced, np.int64(pipe.time))


def commit(state, group, mask, instruction):
    """wgmma.commit_group."""
    pipe = state.pipeline
    pipe.closed = group.write_masked(mask, pipe.closed, group.read(pipe.closed) + np.int64(1))


def wait(state, group, left):
    """wgmma.wait_group: all but the last ``left`` commit groups have landed."""
    pipe = state.pipeline
    done = np.maximum(group.read(pipe.landed), group.read(pipe.closed) - np.int64(left))
    pipe.landed = group.write_masked(group.mask, pipe.landed, done)
    if pipe.reading:
        release(state, pipe)


def issue(state, group, mask, instruction, names):
    """A product starts."""
    pipe = state.pipeline
    _, count = pipe.started.get(instruction.index, (instruction, np.int64(0)))
    count = group.write_masked(mask, count, group.read(count) + np.int64(1))
    pipe.started[instruction.index] = instruction, count
    if not state.checker:
        return
    fenced = group.read(pipe.fenced)
    if not np.all(fenced):
        detail = "no wgmma.fence comes before it, which orders it with the writes of its registers"
        state.keep(group, mask, fenced == 0, instruction, "missing wgmma.fence", detail)
    number = group.read(pipe.closed)
    for key in (names.d, names.a):
        if key:
            old, _ = pipe.numbers.get(key, (np.int64(-1), 0))
            pipe.numbers[key] = group.write_masked(mask, old, number), instruction.line


def finish(state):
    """A chunk has ended: raise the Finding for a product that only some warps of a warpgroup
    executed. Hardware would wait for ever, or do worse.
    """
    pipe = state.pipeline
    if not pipe.started or state.lanes.threads < 128:
        return
    shape = state.lanes.blocks, state.lanes.threads
    for instruction, count in pipe.started.values():
        warps = np.broadcast_to(count, shape)[:, : shape[1] // 128 * 128 : 32]
        teams = warps.reshape(shape[0], -1, 4)
        unlike = (teams != teams[:, :, :1]).any(axis=2)
        if unlike.any():
            row, team = np.argwhere(unlike)[0]
            least, most = teams[row, team].min(), teams[row, team].max()
            lane = row * shape[1] + 128 * team + 32 * teams[row, team].argmin()
            group = Group(state.lanes, None, None, flat=np.array([lane]))
            detail = (
                f"its warp runs this product {least} times and another warp of its warpgroup "
                f"{most} times: all four have to run it together"
            )
            kind = "missing lanes in a warp operation"
            state.fault(kind, group, None, [0], instruction, None, None, detail)


# Shared memory ---------------------------------------------------------------------------------
def operand(teams, offsets):
    """A product reads pieces of 16 bytes from now until it is waited for. teams: ops.wgmma.Teams;
    offsets: of the pieces, (teams or 1, ..).
    """
    state = teams.state
    if not state.checker:
        return
    pipe = state.pipeline
    offsets = offsets.reshape(len(offsets), -1)
    columns = state.checker.product_read(teams, offsets)
    closed = np.broadcast_to(pipe.closed, (state.lanes.blocks, state.lanes.threads))
    block, thread = teams.blocks, teams.warps * 32
    number = closed[block, thread]
    pipe.reading.append(Reading(teams.instruction, block, thread, number, columns))


def release(state, pipe):
    """Tell the sanitizer which products have been waited for, so that they read no longer."""
    landed = np.broadcast_to(pipe.landed, (state.lanes.blocks, state.lanes.threads))
    gone, stay = [], []
    for reading in pipe.reading:
        left = reading.number >= landed[reading.block, reading.thread]
        if left.any():
            stay.append(reading if left.all() else reading.subset(left))
        if not left.all():
            gone.append(reading if not left.any() else reading.subset(~left))
    pipe.reading = stay
    if gone:
        state.checker.products_landed(gone, stay)
