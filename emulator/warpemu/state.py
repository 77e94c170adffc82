"""State: what the operations of a chunk of blocks see and change.

The generated code hands it to every operation that has an effect. Which lanes run next is no
business of an operation: that is scheduler.py, which this module does not know.
"""

import numpy as np

from . import clusters, warpgroups
from .bulk import Flights
from .lanes import Lanes, unflatten, words
from .memory import Local, Shared
from .ops import cp_async, special


class State:
    """One a chunk of B blocks of T threads.

    What runs
        launch, program    the Launch and its Program
        parameters         {name: bytes}
        numbers            (B,) int64: the blocks' numbers in the grid
        lanes              Lanes: B, T and warps a block
        specials           {'%tid.x': value, ...}, as registers
        cluster_size       blocks of a cluster
        steps              blocks of PTX run so far, which is the time that clocks give
    Who is alive
        everyone           Group of all lanes that have not exited
        alive              bool (B, T): which these are; None: all
        exits              how often lanes have exited
    Memory
        memory             Memory: the arrays, by address
        shared, local      Shared, Local: bytes of the blocks, words of the threads
        windows            (B, 1) int64: where the addresses of each block's shared memory start
        reach              the module clusters if there are clusters, or None
        on_store           None, or a function of (table, index, what was there) to call after each
                           store
    What is under way
        copies             ops.cp_async.Copies: those of cp.async that have not landed
        flights            Flights: the bulk copies on their way
        pipeline           warpgroups.Pipeline: the products of wgmma that may not be finished
        mbarriers          Mbarriers, who wait for their phases among them (the scheduler's)
    Who looks on
        tally, checker     Tally, Checker, or None
    What an operation asks of the scheduler
        paused             lets other groups of lanes go first
    """

    def __init__(self, launch, numbers):
        self.launch, self.program, self.memory = launch, launch.program, launch.memory
        self.tally, self.checker, self.parameters = launch.tally, launch.checker, launch.parameters
        self.numbers, self.cluster_size = numbers, launch.cluster_size
        self.lanes = Lanes(len(numbers), launch.threads)
        self.everyone, self.alive, self.exits = self.lanes.everyone(), None, 0
        self.alive_words = ("none yet", None)  # an ``alive``, and its bits by warp, uint32
        self.shared = Shared(len(numbers), launch.shared_bytes)
        self.local = Local(len(numbers) * launch.threads, self.program.local_bytes)
        self.reach = clusters if self.cluster_size > 1 else None
        self.windows = clusters.windows(len(numbers), self.cluster_size)
        self.on_store, self.steps, self.paused = None, 0, False
        self.copies, self.flights = cp_async.Copies(), Flights(self)
        self.pipeline, self.mbarriers = warpgroups.Pipeline(), None
        self.specials = self.special_registers()
        if self.checker:
            self.checker.chunk_starts(self)

    def special_registers(self):
        """{'%tid.x': value, ...}, as registers."""
        launch, numbers = self.launch, self.numbers
        found = special.registers(
            numbers, launch.grid, launch.block, launch.shared_bytes, launch.dynamic_bytes
        )
        found |= {f"%envreg{k + 1}": part for k, part in enumerate(launch.workspace)}
        if self.program.in_clusters or self.cluster_size > 1:
            found |= clusters.specials(numbers, launch.grid, launch.cluster)
            explicit = self.program.function.cluster is not None or self.cluster_size > 1
            found["%is_explicit_cluster"] = np.int32(explicit)
        if launch.reserved is not None:
            windows = [self.windows] if self.reach else []
            found |= special.reserved(launch.reserved, launch.shared_bytes, *windows)
        return found

    # What operations read ------------------------------------------------------------------------
    def special(self, group, name):
        """The value of a special register for a group."""
        value = self.specials.get(name)
        if value is None:
            return special.clock(name, self.launch.steps + self.steps)
        return group.read(value)

    def in_window(self, group, address):
        """The address of a variable in shared memory, by its offset, for each lane of a group."""
        if self.reach is None:
            return address
        return address + group.read(self.windows).astype(address.dtype)

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

    # What they do --------------------------------------------------------------------------------
    def exit(self, group):
        """The lanes of a group exit."""
        self.exits += 1
        if group is self.everyone:
            return
        alive = np.ones((1, 1), bool) if self.alive is None else self.alive
        alive = np.broadcast_to(alive & ~group.marks(), (self.lanes.blocks, self.lanes.threads))
        self.alive = alive
        if alive.any():
            self.everyone = self.lanes.everyone(alive)

    def print(self, text):
        self.launch.print(text)

    # Findings ------------------------------------------------------------------------------------
    def thread_at(self, group, mask, position):
        """(block, thread) as (x, y, z) of an active lane, by its position among the active ones."""
        ids = (group.ids if mask is None else group.ids[mask]).reshape(-1)
        return self.thread_of(int(ids[position]))

    def thread_of(self, lane):
        """(block, thread) as (x, y, z) of a lane number."""
        row, thread = divmod(lane, self.lanes.threads)
        return unflatten(int(self.numbers[row]), self.launch.grid), unflatten(
            thread, self.launch.block
        )

    def fault(self, kind, group, mask, lanes, instruction, address, array, detail=None):
        """Raise the Finding for the first of the lanes (positions among the active ones)."""
        block, thread = self.thread_at(group, mask, lanes[0])
        finding = self.launch.finding(kind, instruction, block, thread, address, array, detail)
        finding.counts = {**self.launch.found(), kind: len(lanes)}
        raise finding

    def finding(self, kind, instruction, lane, detail):
        """A Finding of a lane number, not of an address."""
        block, thread = self.thread_of(int(lane))
        return self.launch.finding(kind, instruction, block, thread, None, None, detail)

    def keep(self, group, mask, bad, instruction, kind, detail):
        """Keep the Finding for the first of the active lanes where bad holds, and go on."""
        bad = group.compress(bad, mask)
        if not bad.any():
            return
        block, thread = self.thread_at(group, mask, int(bad.argmax()))
        finding = self.launch.finding(kind, instruction, block, thread, None, None, detail)
        self.launch.keep(finding, int(np.count_nonzero(bad)))
