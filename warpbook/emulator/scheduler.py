"""Runs one chunk of blocks: which group of lanes goes next, barriers, and faults.

Lowest-PC-first: of all groups that are not waiting, the one at the earliest block of the program
runs. Lanes that diverged meet again at the first place that all of them reach. A group that has run
long while others could is set aside for them, so that a lane that spins on a lock lets the lane that
holds it go on.
"""
import numpy as np

from .errors import EmulatorError, Finding
from .flow import LEAVES, WAITS
from .lanes import Lanes
from .memory import Local, Shared
from .ops import special

PATIENCE = 1 << 12                  # steps of one group while others could run
STEPS = 1 << 23                     # blocks of PTX a chunk may run: a wait that never ends stops here


class State:
    """What the code of a chunk sees: registers, memories, counters, checker. One a chunk."""

    def __init__(self, launch, numbers):
        self.launch, self.program, self.memory = launch, launch.program, launch.memory
        self.tally, self.checker, self.parameters = launch.tally, launch.checker, launch.parameters
        self.numbers = numbers                       # of the chunk's blocks in the grid
        self.lanes = Lanes(len(numbers), launch.threads)
        self.shared = Shared(len(numbers), launch.shared_bytes)
        self.local = Local(len(numbers) * launch.threads, self.program.local_bytes)
        self.specials = special.registers(numbers, launch.grid, launch.block, launch.shared_bytes,
                                          launch.dynamic_bytes)
        self.registers = dict(launch.program.blank)
        self.everyone = self.lanes.everyone()
        self.alive = None                            # None: all lanes; else bool (B, T)
        self.steps, self.paused = 0, False
        self.async_groups = {}                       # of cp.async: see ops/cp_async.py

    # What ops call ---------------------------------------------------------------------------
    def special(self, G, name):
        value = self.specials.get(name)
        return G.read(value) if value is not None else special.clock(name, self.launch.steps + self.steps)

    def pause(self):
        self.paused = True

    def print(self, text):
        self.launch.print(text)

    def present(self, G, row, present):
        """For each lane of a warp operation, the bits of lanes that exist in its warp."""
        ids = np.arange(32)
        first = self.first_ids(G, present)
        exists = (first[:, None] % self.lanes.threads + ids) < self.lanes.threads
        words = (exists.astype(np.uint64) << ids.astype(np.uint64)).sum(axis=1).astype(np.uint32)
        return words[row]

    def first_ids(self, G, present):
        """Lane number of lane 0 of each warp (a row of present)."""
        return self.warp_starts

    def place(self, G, mask, position):
        """(block, thread) as (x, y, z) of an active lane, by its position among the active ones."""
        ids = (G.ids if mask is None else G.ids[mask]).reshape(-1)
        row, thread = divmod(int(ids[position]), self.lanes.threads)
        return unflatten(int(self.numbers[row]), self.launch.grid), unflatten(thread, self.launch.block)

    def fault(self, kind, G, mask, lanes, i, address, array, detail=None):
        """Raise the Finding for the first of the lanes (positions among the active ones)."""
        block, thread = self.place(G, mask, lanes[0])
        finding = self.launch.finding(kind, i, block, thread, address, array, detail)
        finding.counts = {**self.launch.found(), kind: len(lanes)}
        raise finding

    # Running ---------------------------------------------------------------------------------
    def run(self):
        self.pending = {0: self.everyone}
        self.waiting = []                            # (group, program counter, arguments)
        patience = PATIENCE
        while self.pending or self.waiting:
            if not self.pending:
                self.release()
            pc = min(self.pending)
            if patience == 0 or self.paused:
                pc, patience, self.paused = self.other(pc), PATIENCE, False
            group = self.pending.pop(pc)
            if not self.pending and not self.waiting:
                group, patience = self.everyone, PATIENCE
            else:
                patience -= 1
            self.step(pc, group)

    def other(self, lowest):
        """The waiting place that has not run for longest: the next after the lowest, in turn."""
        places = sorted(self.pending)
        later = [p for p in places if p > lowest]
        self.turn = getattr(self, "turn", 0) + 1
        choices = later or places
        return choices[self.turn % len(choices)]

    def step(self, pc, group):
        """Run one block of PTX for one group; put its lanes where they go next."""
        self.steps += 1
        if self.steps > self.launch.step_limit:
            raise self.endless(pc, group)
        block, registers = self.program.blocks[pc], self.registers
        if group.whole:
            value, results = block.run(self, group, *[registers[r] for r in block.reads])
            for name, result in zip(block.writes, results):
                registers[name] = result
        else:
            value, results = block.run(self, group, *[group.read(registers[r]) for r in block.reads])
            for name, result in zip(block.writes, results):
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
        if last.name in WAITS:
            return self.barrier(block, group, value)
        if last.guard is None:
            return self.leave(group, last)
        gone, rest = group.split(value)
        if gone:
            self.leave(gone, last)
        return self.put(pc + 1, rest) if rest else None

    def put(self, pc, group):
        other = self.pending.get(pc)
        if other is not None:
            group = self.lanes.select(other.marks() | group.marks())
        self.pending[pc] = group

    def branch(self, block, group, value):
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
        if np.ndim(value) == 0:
            return self.put(block.targets[int(value)], group)
        value = np.broadcast_to(value, group.shape)
        choices = np.unique(value if group.mask is None else value[group.mask])
        for choice in choices:
            self.put(block.targets[int(choice)], group if len(choices) == 1 else group.where(value == choice))
        return None

    def leave(self, group, last):
        """Lanes exit; trap stops the launch."""
        if last.name == "trap":
            self.fault("trap", group, group.mask, [0], last, None, None, detail="it executes trap")
        if group is self.everyone:
            return
        alive = np.ones((1, 1), bool) if self.alive is None else self.alive
        alive = np.broadcast_to(alive & ~group.marks(), (self.lanes.blocks, self.lanes.threads))
        self.alive = alive
        if alive.any():
            self.everyone = self.lanes.everyone(alive)

    # Barriers ----------------------------------------------------------------------------------
    def barrier(self, block, group, arguments):
        """All here: go on. Otherwise wait, or, for bar.arrive, only leave word."""
        last = block.last
        plain = len(arguments) <= 1 and "sync" in last.parts and last.guard is None
        if plain and group is self.everyone and all(np.ndim(a) == 0 for a in arguments):
            self.synchronised(None)
            return self.put(block.index + 1, group)
        if "warp" in last.parts:
            return self.warp_barrier(block, group, arguments)
        self.waiting.append((group, block.index, arguments))
        return None

    def warp_barrier(self, block, group, arguments):
        if self.checker:
            self.checker.warp_sync(self, group)
        return self.put(block.index + 1, group)

    def synchronised(self, rows):
        if self.checker:
            self.checker.block_sync(self, rows)

    def release(self):
        """No lane can run: open the barriers that are complete, or say why none will ever be."""
        rows = self.lanes.blocks
        alive = self.alive if self.alive is not None else np.ones((rows, self.lanes.threads), bool)
        needed = alive.sum(axis=1)
        here = np.zeros(rows, np.int64)
        places = {}
        for group, pc, _ in self.waiting:
            count = np.broadcast_to(group.marks(), alive.shape).sum(axis=1)
            here += count
            places.setdefault(pc, np.zeros(rows, np.int64))
            places[pc] += count
        for pc, count in places.items():
            bad = np.flatnonzero((count > 0) & (count < needed))
            if len(bad):
                raise self.divergence(places, bad[0], needed)
        groups, self.waiting = self.waiting, []
        self.synchronised(None)
        for group, pc, _ in groups:
            self.put(pc + 1, group)

    def divergence(self, places, row, needed):
        """The Finding for a block whose threads wait at different barriers."""
        items = [(self.program.blocks[pc].last, count[row], pc) for pc, count in places.items() if count[row]]
        items.sort(key=lambda item: item[1])
        last, count, pc = items[0]
        group = next(g for g, p, _ in self.waiting if p == pc and g.marks()[row if g.marks().shape[0] > 1 else 0].any())
        lanes = np.flatnonzero(np.broadcast_to(group.marks(), (self.lanes.blocks, self.lanes.threads))[row])
        block, thread = unflatten(int(self.numbers[row]), self.launch.grid), unflatten(int(lanes[0]), self.launch.block)
        others = ", ".join(f"{n} wait at line {o.line}" for o, n, _ in items[1:])
        return self.launch.finding(
            "barrier divergence", last, block, thread, None, None,
            f"{count} of the block's {needed[row]} running threads wait at this barrier, while {others}: "
            "every thread of a block has to reach the same __syncthreads()")

    def endless(self, pc, group):
        block, thread = self.place(group, group.mask, 0)
        items = self.program.blocks[pc].items or [self.program.blocks[pc].last]
        return self.launch.finding(
            "endless wait", items[0], block, thread, None, None,
            f"it is still running after {self.launch.step_limit} steps: a loop or a wait that never ends; "
            "if the kernel is only long, launch it with less work")


def unflatten(number, shape):
    x = number % shape[0]
    y = number // shape[0] % shape[1]
    return x, y, number // (shape[0] * shape[1])
