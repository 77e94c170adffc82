"""Runs one chunk of blocks: which group of lanes goes next, and where it goes then.

Of all groups that do not wait, the one at the block of the lowest rank runs (flow.ranks): nearly
lowest-PC-first, so lanes that diverged meet again where all of their paths first meet. A group that
has run long while others could is set aside for them, so that a lane that spins on a lock lets the
lane that holds it go on. Loops that nothing can end: standstill.py.
"""

import time

import numpy as np

from . import clusters, warpgroups
from .barriers import Barriers
from .flow import is_wait
from .mbarriers import Mbarriers
from .ops import mbarrier
from .ptx import Address, Reg
from .standstill import Standstill
from .state import State

PATIENCE = 1 << 13  # steps of one group while others could run ...
SPIN = 1 << 7  # ... of which a step in a loop that may be a wait counts as so many
STEPS = 1 << 23  # blocks of PTX a chunk may run: a wait that never ends stops here


class Scheduler:
    """Of one chunk of a launch.

    state              State: what the operations see
    registers          {name: NumPy scalar or array (1 or B, 1 or T)}
    pending            {block of PTX: Group}: the lanes that can run, by where they go on
    patience           steps that a group may still run while others could
    Lanes that wait: barriers, mbarriers, cluster_barrier, warpgroups; each lets them go on by
    ``put``.
    standstill         Standstill: looks for loops that nothing can end
    """

    def __init__(self, launch, numbers):
        self.launch, self.program = launch, launch.program
        self.state = state = State(launch, numbers)
        self.tally, self.checker = launch.tally, launch.checker
        self.registers = dict(self.program.blank)
        self.pending, self.patience = {0: state.everyone}, PATIENCE
        self.barriers, self.mbarriers = Barriers(self), Mbarriers(self)
        self.cluster_barrier = clusters.ClusterBarrier(self)
        self.warpgroups = warpgroups.Warpgroups(self)
        self.standstill = Standstill(self)
        state.mbarriers = self.mbarriers

    # Running ---------------------------------------------------------------------------------
    def run(self, progress):
        """Run until all lanes have exited."""
        state = self.state
        while self.pending or self.waiting:
            if state.steps % 256 == 255:
                progress.update(progress.done, f"step {state.steps}")
                self.in_time()
            if not self.pending:
                self.resume()
                if not self.pending:
                    continue
            elif self.mbarriers.completed:
                self.mbarriers.release()
            if self.standstill.due():
                self.standstill.look()
            pc = self.first()
            if self.patience <= 0 or state.paused:
                pc = self.other()
            group = self.pending.pop(pc)
            if not self.pending and not self.waiting:
                group, self.patience = state.everyone, PATIENCE
            else:
                self.patience -= SPIN if self.program.blocks[pc].spins else 1
            self.step(pc, group)
        warpgroups.finish(state)
        state.flights.end()
        if self.checker:
            self.checker.chunk_ends()

    @property
    def waiting(self):
        """Do any lanes wait for others?"""
        others = self.mbarriers.waits or self.cluster_barrier.waits or self.warpgroups.waits
        return bool(self.barriers or others)

    def release_complete(self):
        """Let lanes go on that wait for what is complete by now, mostly through other blocks."""
        self.mbarriers.release(landing=True)
        self.cluster_barrier.release()
        self.warpgroups.release()
        if self.barriers:
            self.barriers.open_complete()

    def resume(self):
        """No lane can run. Let those go on whose wait is over; if there are none, raise the Finding
        that says what they wait for in vain.
        """
        exits = self.state.exits
        self.release_complete()
        if self.pending or exits != self.state.exits:  # those that left may have been waited for
            return
        if self.warpgroups.waits:
            self.warpgroups.release(all_of_them=True)
        elif self.mbarriers:
            self.mbarriers.time_out()
        elif self.cluster_barrier:
            raise self.cluster_barrier.stuck()
        else:
            self.barriers.stuck()

    def first(self):
        """The block of PTX whose lanes run next: of those where lanes can run, the one of lowest
        rank.
        """
        if len(self.pending) == 1:
            return next(iter(self.pending))
        return min(self.pending, key=self.program.ranks.__getitem__)

    def in_time(self):
        """Raise a Finding if the launch has run longer than its ``seconds``."""
        deadline = self.launch.deadline
        if self.pending and deadline is not None and time.monotonic() > deadline:
            self.launch.late = True
            pc, why = self.first(), f"it still runs after {self.launch.seconds} s"
            raise self.endless(pc, self.pending[pc], why, sure=False)

    def other(self):
        """The block of PTX of another group, which gets its turn: the groups take turns in the
        order of their blocks.
        """
        self.patience, self.state.paused = PATIENCE, False
        if self.waiting:
            self.release_complete()
        return self.standstill.turn(sorted(self.pending))

    def step(self, pc, group):
        """Run one block of PTX for one group; put its lanes where they go next."""
        self.state.steps += 1
        if self.state.steps > STEPS:
            raise self.endless(pc, group, f"it still runs after {STEPS} steps", sure=False)
        block, registers = self.program.blocks[pc], self.registers
        reads = [group.read(registers[r]) for r in block.reads]
        value, results = block.run(self.state, group, *reads)
        for name, result in zip(block.writes, results, strict=True):
            registers[name] = group.write(registers[name], result)
        if self.tally:
            self.tally.block(block, group)
        last = block.last
        if last is None:
            return self.put(pc + 1, group)
        if last.name == "bra":
            return self.branch(block, group, value)
        if last.name == "brx":
            return self.jump(block, group, value)
        if is_wait(last):
            return self.wait(block, group, value)
        if last.guard is None:
            return self.leave(group, last)
        gone, rest = group.split(value)
        if gone:
            self.leave(gone, last)
        return self.put(pc + 1, rest) if rest else None

    def wait(self, block, group, value):
        """Lanes come to the barrier or wait at the end of a block."""
        if block.last.name == "mbarrier":
            mbarrier.wait(self, block, group, value)
        elif block.last.name == "wgmma":
            self.warpgroups.come(block, group)
        elif "cluster" in block.last.parts:
            self.cluster_barrier.come(block, group)
        else:
            self.barriers.arrive(block, group, value)

    def put(self, pc, group):
        """The group goes on at block pc. Lanes with nothing left but ret exit at once, so that
        barriers and warp operations do not count on them."""
        block = self.program.blocks[pc]
        if (
            not block.items
            and block.last is not None
            and block.last.name in ("ret", "exit")
            and not block.last.guard
        ):
            if self.tally:
                self.tally.block(block, group)
            self.leave(group, block.last)
            return
        other = self.pending.get(pc)
        if other is not None:
            group = self.state.lanes.select(other.marks() | group.marks())
        self.pending[pc] = group

    def branch(self, block, group, value):
        """Lanes come to a branch, under the predicate ``value`` if it has one: each side goes on at
        its own block.
        """
        target = block.targets[0]
        if value is None:
            return self.put(target, group)
        taken, other = group.split(value)
        if self.tally:
            self.tally.branch(block.last, group, value)
        if taken:
            self.put(target, taken)
        if other:
            self.put(block.index + 1, other)
        return None

    def jump(self, block, group, value):
        """Lanes come to a brx: ``value`` says for each which target it takes."""
        if np.ndim(value) == 0:
            return self.put(block.targets[int(value)], group)
        value = np.broadcast_to(value, group.shape)
        choices = np.unique(value if group.mask is None else value[group.mask])
        for choice in choices:
            self.put(
                block.targets[int(choice)],
                group if len(choices) == 1 else group.where(value == choice),
            )
        return None

    def leave(self, group, last):
        """Lanes exit; trap stops the launch."""
        if last.name == "trap":
            why = "it executes trap"
            self.state.fault("trap", group, group.mask, [0], last, None, None, detail=why)
        self.state.exit(group)

    def gathered(self):
        """Do all blocks of the first chunk wait for one and the same address to change, as at a
        barrier of the grid? In which order they start does not matter then.
        """
        if self.launch.steps:
            return False
        addresses, rows = set(), set()
        for pc, group in self.pending.items():
            for block in [self.program.blocks[k] for k in self.program.loops.members(pc)]:
                for item in block.items if block.spins else ():
                    if item.name not in ("ld", "atom"):
                        continue
                    base = next(o for o in item.operands if isinstance(o, Address)).base
                    if not isinstance(base, Reg) or base.name not in block.reads:
                        return False
                    value = group.compress(group.read(self.registers[base.name]), group.mask)
                    addresses |= set(np.unique(value).tolist())
                    rows |= set(self.rows(group).tolist())
        return len(addresses) == 1 and len(rows) == self.state.lanes.blocks

    def rows(self, group):
        """The blocks of the chunk that lanes of a group are in."""
        ids = group.ids if group.mask is None else group.ids[group.mask]
        return np.unique(ids // self.state.lanes.threads)

    def endless(self, pc, group, why, sure=True):
        """The Finding for lanes that will never get on; with sure=False for lanes that a limit on
        time or steps stops.
        """
        block, thread = self.state.thread_at(group, group.mask, 0)
        items = [*self.program.blocks[pc].items, self.program.blocks[pc].last]
        items = [item for item in items if item is not None]
        place = next((item for item in items if item.name in ("ld", "atom")), items[0])
        detail = f"it loops or waits here and will never get on: {why}"
        later = int(self.state.numbers[-1]) + 1
        if sure and place.name in ("ld", "atom") and later < self.launch.count:
            if self.launch.fits() and self.gathered():
                self.launch.gather()
            detail += (
                f". Blocks from number {later} on have not started: if it waits for one of them, "
                "it hangs on a GPU that has no room for all; let it wait for earlier ones alone"
            )
        if not sure:
            detail = (
                f"it loops or waits here, and {why}: if the kernel is only long, launch it with "
                "less work or more seconds"
            )
        return self.launch.finding("endless wait", place, block, thread, None, None, detail)
