"""Runs one chunk of blocks: which group of lanes goes next, and faults.

Of all groups that do not wait, the one at the block of the lowest rank runs (flow.ranks): nearly
lowest-PC-first, so lanes that diverged meet again where all of their paths first meet. A group that
has run long while others could is set aside for them, so that a lane that spins on a lock lets the
lane that holds it go on.
"""

import time

import numpy as np

from . import accumulators, clusters
from .barriers import Barriers
from .bulk import Flights
from .flow import is_wait
from .lanes import Lanes, unflatten, words
from .mbarriers import Mbarriers
from .memory import Local, Shared
from .ops import mbarrier, special

PATIENCE = 1 << 13  # steps of one group while others could run ...
SPIN = 1 << 7  # ... of which a step in a loop that may be a wait counts as so many
LOOK = 1 << 10  # steps between two looks for a wait that never ends ...
WINDOW = 1 << 6  # ... each of so many steps ...
LONG = 1 << 14  # ... and from here on, at each power of two, of a quarter of the steps so far
STEPS = 1 << 23  # blocks of PTX a chunk may run: a wait that never ends stops here


def is_power_of_two(n):
    return n & (n - 1) == 0


class Anchor:
    """A moment that a standstill comes back to. place: what tells it from others, such as which
    lanes were where; values: [(register, its bytes)] of what decides how they go on; turn: when it
    was; asks: does memory decide as well?

    changed: {place: (table, index, what was there)} of the stores since, or None if too many.
    """

    def __init__(self, place, values, turn=0, asks=False):
        self.place, self.values, self.turn, self.asks, self.changed = place, values, turn, asks, {}

    def remember(self, table, index, before):
        """Something was stored to table[index]."""
        if self.changed is None:
            return
        parts = index if isinstance(index, tuple) else (index,)
        names = (p.tobytes() if isinstance(p, np.ndarray) else repr(p) for p in parts)
        self.changed.setdefault((table.ctypes.data, table.dtype, *names), (table, index, before))
        if len(self.changed) > 1000:
            self.changed = None

    def restored(self):
        """Is all that was stored since as it was then?"""
        return not self.asks or (
            self.changed is not None
            and all(
                before.tobytes() == table[index].tobytes()
                for table, index, before in self.changed.values()
            )
        )

    def same(self, read):
        """Are the registers as they were? read: name -> value. One that is not is asked first next
        time.
        """
        for k, (name, value) in enumerate(self.values):
            if read(name).tobytes() != value:
                self.values.insert(0, self.values.pop(k))
                return False
        return True


class State:
    """What the code of a chunk sees. One a chunk of B blocks of T threads.

    launch, program    the Launch and its Program
    numbers            (B,) int64: the blocks' numbers in the grid
    lanes              Lanes: B, T and warps a block
    memory             Memory: the arrays, by address
    shared, local      Shared, Local: bytes of the blocks, words of the threads
    parameters         {name: bytes}
    registers          {name: NumPy scalar or array (1 or B, 1 or T)}
    specials           {'%tid.x': value, ...}, as registers
    tally, checker     Tally, Checker, or None
    barriers           Barriers: the lanes that wait at one
    async_groups       of cp.async: {'copies': [Copy], 'count': commit groups, as a register}
    cluster_size       blocks of a cluster; cluster_barrier: its ClusterBarrier
    reach              the module clusters if there are clusters, or None
    windows            (B, 1) int64: where the addresses of each block's shared memory start
    mbarriers, flights Mbarriers; Flights: the bulk copies on their way
    warpgroups         accumulators.Warpgroups: the lanes that wait for the rest of theirs
    left               how often lanes have exited
    everyone           Group of all lanes that have not exited
    alive              bool (B, T): which these are; None: all
    alive_words        (an ``alive``, its bits by warp, uint32): kept until ``alive`` changes
    pending            {block of PTX: Group}: the lanes that can run, by where they go on
    steps              blocks of PTX run so far
    patience, paused   steps that a group may still run while others could; it asked to stop now
    turns              times that another group was let go
    anchor             Anchor that ``look`` waits to see again, or None
    turn_anchor        Anchor that ``other`` waits to see again, or None
    lone_anchor        Anchor of one group that ``look_alone`` waits to see again, or None
    looking            steps until which ``look`` looks at each
    watching           is there an anchor that has to know of stores?
    """

    def __init__(self, launch, numbers):
        self.launch, self.program, self.memory = launch, launch.program, launch.memory
        self.tally, self.checker, self.parameters = launch.tally, launch.checker, launch.parameters
        self.numbers = numbers
        self.lanes = Lanes(len(numbers), launch.threads)
        self.shared = Shared(len(numbers), launch.shared_bytes)
        self.local = Local(len(numbers) * launch.threads, self.program.local_bytes)
        self.specials = special.registers(
            numbers, launch.grid, launch.block, launch.shared_bytes, launch.dynamic_bytes
        )
        for k, part in enumerate(launch.workspace):
            self.specials[f"%envreg{k + 1}"] = part
        if launch.reserved is not None:
            self.specials |= special.reserved(launch.reserved, launch.shared_bytes)
        self.registers = dict(launch.program.blank)
        self.everyone = self.lanes.everyone()
        self.alive, self.alive_words = None, ("none yet", None)
        self.pending = {0: self.everyone}
        self.steps, self.patience, self.paused = 0, PATIENCE, False
        self.turns, self.anchor, self.turn_anchor, self.watching = 0, None, None, False
        self.lone_anchor, self.looking = None, -1
        self.barriers = Barriers(self)
        self.async_groups = {}
        self.cluster_size, self.left = launch.cluster_size, 0
        self.reach = clusters if self.cluster_size > 1 else None
        self.windows = clusters.windows(len(numbers), self.cluster_size)
        self.mbarriers, self.flights = Mbarriers(self), Flights(self)
        self.cluster_barrier = clusters.ClusterBarrier(self)
        self.warpgroups = accumulators.Warpgroups(self)
        if self.program.in_clusters or self.cluster_size > 1:
            self.specials |= clusters.specials(numbers, launch.grid, launch.cluster)
            explicit = self.program.function.cluster is not None or self.cluster_size > 1
            self.specials["%is_explicit_cluster"] = np.int32(explicit)
        if launch.reserved is not None and self.reach:
            self.specials |= special.reserved(launch.reserved, launch.shared_bytes, self.windows)

    # What ops call ---------------------------------------------------------------------------
    def special(self, group, name):
        value = self.specials.get(name)
        return (
            group.read(value)
            if value is not None
            else special.clock(name, self.launch.steps + self.steps)
        )

    def in_window(self, group, address):
        """The address of a variable in shared memory, by its offset, for each lane of a group."""
        if self.reach is None:
            return address
        return address + group.read(self.windows).astype(address.dtype)

    def pause(self):
        self.paused = True

    def print(self, text):
        self.launch.print(text)

    def running(self, ids):
        """For each lane number, the bits of its warp's lanes that exist and have not exited."""
        if self.alive is not self.alive_words[0]:
            marks = np.ones((1, 1), bool) if self.alive is None else self.alive
            self.alive_words = self.alive, self.warp_bits(marks)
        return self.alive_words[1][self.warp_of(ids)]

    def warp_bits(self, marks):
        """One word a warp, with the bits of the lanes marked in a bool array (1 or B, 1 or T)."""
        wide = np.zeros((self.lanes.blocks, 32 * self.lanes.warps), bool)
        wide[:, : self.lanes.threads] = marks
        return words(wide.reshape(-1, 32))

    def warp_of(self, ids):
        """Number of each lane's warp in the chunk."""
        block, thread = np.divmod(ids, self.lanes.threads)
        return block * self.lanes.warps + thread // 32

    def place(self, group, mask, position):
        """(block, thread) as (x, y, z) of an active lane, by its position among the active ones."""
        ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
        row, thread = divmod(int(ids[position]), self.lanes.threads)
        return unflatten(int(self.numbers[row]), self.launch.grid), unflatten(
            thread, self.launch.block
        )

    def fault(self, kind, group, mask, lanes, instruction, address, array, detail=None):
        """Raise the Finding for the first of the lanes (positions among the active ones)."""
        block, thread = self.place(group, mask, lanes[0])
        finding = self.launch.finding(kind, instruction, block, thread, address, array, detail)
        finding.counts = {**self.launch.found(), kind: len(lanes)}
        raise finding

    # Running ---------------------------------------------------------------------------------
    def run(self, progress):
        """Run until all lanes have exited."""
        while self.pending or self.waiting:
            if self.steps % 256 == 255:
                progress.tick(self.steps)
                self.in_time()
            if not self.pending:
                self.resume()
                if not self.pending:
                    continue
            elif self.mbarriers.completed:
                self.mbarriers.release()
            if self.steps % LOOK <= WINDOW or self.steps <= self.looking:
                self.look()
            pc = self.first()
            if self.patience <= 0 or self.paused:
                pc = self.other()
            group = self.pending.pop(pc)
            if not self.pending and not self.waiting:
                group, self.patience = self.everyone, PATIENCE
            else:
                self.patience -= SPIN if self.program.blocks[pc].spins else 1
            self.step(pc, group)
        accumulators.finish(self)
        self.flights.end()
        if self.checker:
            self.checker.copies.outlived(self)

    @property
    def waiting(self):
        """Do any lanes wait for others?"""
        others = self.mbarriers.waits or self.cluster_barrier.waits or self.warpgroups.waits
        return bool(self.barriers or others)

    def let_go(self):
        """Let go on whoever waits for what is complete: the lanes of other blocks, mostly."""
        self.mbarriers.release(landing=True)
        self.cluster_barrier.release()
        self.warpgroups.release()
        if self.barriers:
            self.barriers.open_complete()

    def resume(self):
        """No lane can run: let go on whoever can; if that is nobody, say why nobody ever will."""
        left = self.left
        self.let_go()
        if self.pending or left != self.left:  # those that left may have been waited for
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
        """The block whose lanes run next."""
        if len(self.pending) == 1:
            return next(iter(self.pending))
        return min(self.pending, key=self.program.ranks.__getitem__)

    def in_time(self):
        """Stop a launch that has run longer than it may."""
        deadline = self.launch.deadline
        if self.pending and deadline is not None and time.monotonic() > deadline:
            pc, why = self.first(), f"it still runs after {self.launch.seconds} s"
            raise self.endless(pc, self.pending[pc], why, sure=False)

    # Standstill ------------------------------------------------------------------------------
    def look(self):
        """Now and then, see whether all that decides is as it was when the lanes were last here:
        then it always will be, for no other lane can change it.
        """
        since = self.steps % LOOK
        if since == 0 and self.waiting:
            self.let_go()
        if since == 0 and self.steps:
            self.find_way_out()
            if self.steps >= LONG and is_power_of_two(self.steps):
                self.looking = self.steps + self.steps // 4
                self.anchor = self.lone_anchor = None
        if since >= WINDOW and self.steps >= self.looking:
            self.anchor = self.lone_anchor = None
            self.watching = self.turn_anchor is not None and self.turn_anchor.asks
            return
        pc = self.first()
        deciding = self.program.loops.deciding(pc)
        if deciding is not None and deciding.alone:
            self.look_alone(pc, deciding)
        elif len(self.pending) > 1:
            if self.waiting:  # then the turn that groups take may depend on what was before
                self.anchor = None
        elif self.anchor is None:
            self.anchor = self.take_anchor(pc)
            self.watching = self.watching or self.anchor.asks
        elif self.stands(self.anchor, pc):
            raise self.endless(pc, self.pending[pc], "nothing has changed since it was here last")

    def look_alone(self, pc, deciding):
        """The same for a loop that no other lane can end, whatever the others do."""
        group, anchor, loop = self.pending[pc], self.lone_anchor, id(deciding)
        if anchor is None or anchor.place[0] != loop:
            live = self.program.loops.names(pc, False)
            values = [(name, group.read(self.registers[name]).tobytes()) for name in live]
            self.lone_anchor = Anchor((loop, pc, group.marks().tobytes()), values)
            return
        if anchor.place[1] != pc or not anchor.same(lambda name: group.read(self.registers[name])):
            return
        if anchor.place[2] == group.marks().tobytes():
            why = "all that its way out depends on is as it was when it was here last"
            raise self.endless(pc, group, why)

    def find_way_out(self):
        """Stop if lanes are where no branch leads to the end, whatever their registers hold."""
        for pc, group in self.pending.items():
            if not self.program.blocks[pc].ends:
                raise self.endless(pc, group, "no branch leads out of this loop")

    def other(self):
        """It is another group's turn: the next place after the lowest, round and round. If all
        groups had turns and everything is as before, none will ever get on."""
        self.patience, self.paused = PATIENCE, False
        if self.waiting:
            self.let_go()
        places = sorted(self.pending)
        self.turns += 1
        pc = places[self.turns % len(places)]
        if len(places) == 1 and not self.waiting:
            return pc
        if self.turns >= 4 and is_power_of_two(self.turns):
            self.turn_anchor = self.take_anchor(pc)
            self.watching = self.watching or self.turn_anchor.asks
        elif self.turn_anchor is not None:
            turns = self.turns - self.turn_anchor.turn
            if turns >= 2 * len(places) and self.stands(self.turn_anchor, pc):
                why = "all threads had turns, and nothing has changed"
                raise self.endless(pc, self.pending[pc], why)
            if turns > 4 * len(places) + 8:
                self.turn_anchor = None
        return pc

    def take_anchor(self, pc):
        """The Anchor of this moment."""
        loops = self.program.loops
        found = [loops.deciding(p) for p in self.pending]
        asks = any(deciding is None or deciding.asks for deciding in found)
        names = sorted({name for p in self.pending for name in loops.names(p, asks)})
        values = [(name, self.registers[name].tobytes()) for name in names]
        return Anchor(self.place_of(pc), values, self.turns, asks)

    def place_of(self, pc):
        """(pc, where all lanes are)."""
        lanes = tuple((p, self.pending[p].marks().tobytes()) for p in sorted(self.pending))
        return pc, lanes, self.barriers.places()

    def stands(self, anchor, pc):
        """Is everything that decides as it was at an anchor?"""
        if pc != anchor.place[0] or not anchor.same(self.registers.__getitem__):
            return False
        return anchor.restored() and anchor.place == self.place_of(pc)

    def stored(self, table, index, before):
        """Something was stored to table[index] while ``watching``. before: what was there."""
        if before.tobytes() != table[index].tobytes():
            for anchor in (self.anchor, self.turn_anchor):
                if anchor is not None and anchor.asks:
                    anchor.remember(table, index, before)

    def step(self, pc, group):
        """Run one block of PTX for one group; put its lanes where they go next."""
        self.steps += 1
        if self.steps > STEPS:
            raise self.endless(pc, group, f"it still runs after {STEPS} steps", sure=False)
        block, registers = self.program.blocks[pc], self.registers
        if group.whole:
            value, results = block.run(self, group, *[registers[r] for r in block.reads])
            for name, result in zip(block.writes, results, strict=True):
                registers[name] = result
        else:
            value, results = block.run(
                self, group, *[group.read(registers[r]) for r in block.reads]
            )
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

    def anchors_lost(self):
        """Something changed that anchors do not remember: look anew."""
        self.anchor = self.turn_anchor = None
        self.watching = False

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
            self.put(
                block.targets[int(choice)],
                group if len(choices) == 1 else group.where(value == choice),
            )
        return None

    def leave(self, group, last):
        """Lanes exit; trap stops the launch."""
        if last.name == "trap":
            self.fault("trap", group, group.mask, [0], last, None, None, detail="it executes trap")
        self.left += 1
        if group is self.everyone:
            return
        alive = np.ones((1, 1), bool) if self.alive is None else self.alive
        alive = np.broadcast_to(alive & ~group.marks(), (self.lanes.blocks, self.lanes.threads))
        self.alive = alive
        if alive.any():
            self.everyone = self.lanes.everyone(alive)

    def endless(self, pc, group, why, sure=True):
        """The Finding for lanes that will never get on, or that a limit stops (not sure)."""
        block, thread = self.place(group, group.mask, 0)
        items = [*self.program.blocks[pc].items, self.program.blocks[pc].last]
        items = [item for item in items if item is not None]
        place = next((item for item in items if item.name in ("ld", "atom")), items[0])
        detail = f"it loops or waits here and will never get on: {why}"
        later = int(self.numbers[-1]) + 1
        if sure and place.name in ("ld", "atom") and later < self.launch.count:
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
