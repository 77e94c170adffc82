"""Lanes that wait: bar and barrier in all their forms, and __syncwarp.

A block's barrier opens when the lanes that wait at it, by its number, are as many as it needs: all
that have not exited, or the count that the instruction gives. A warp's opens when all running lanes
that its member mask names wait at one. Lanes that are all at the same place pass at once.
"""

import numpy as np

from .errors import EmulatorError
from .lanes import lowest_bit, not_named


class Barriers:
    """The barriers of a chunk. scheduler: Scheduler, whose ``put`` lets lanes go on."""

    def __init__(self, scheduler):
        self.scheduler, self.state = scheduler, scheduler.state
        self.checker, self.lanes = self.state.checker, self.state.lanes
        self.shape = self.lanes.blocks, self.lanes.threads
        self.opened = 0  # how often one did
        self.waits = []  # at barriers of blocks
        self.warp_waits = []  # at __syncwarp

    def __bool__(self):
        """Does any lane wait?"""
        return bool(self.warp_waits) or any(not w.goes_on for w in self.waits)

    def moment(self):
        """Where lanes wait now, as a value that differs if any lane waits elsewhere."""
        return tuple(
            (w.pc, w.number, w.group.marks().tobytes()) for w in self.waits + self.warp_waits
        )

    def arrive(self, block, group, arguments):
        """The lanes of a group come to the barrier at the end of a block."""
        last = block.last
        if last.guard is not None:
            raise EmulatorError(
                f"line {last.line}: a barrier under a predicate is not covered ({last.text})"
            )
        if "warp" in last.parts:
            members = arguments[0]
            if group is self.state.everyone and np.ndim(members) == 0 and members == -1:
                if self.checker:
                    self.checker.warp_sync(group)
                self.scheduler.put(block.index + 1, group)
                return
            wait = Wait(group, block.index, last, None, None, members)
            self.named(wait)
            self.warp_waits.append(wait)
            self.release_warps()
            return
        call = Wait(group, block.index, last, *read(last, arguments))
        if self.checker and call.count is None:
            call.running = self.alive()
        for wait in call.by_number():
            if wait.goes_on:
                self.scheduler.put(block.index + 1, wait.group)
            self.waits.append(wait)
        if group is self.state.everyone and len(self.waits) == 1:
            self.release_blocks()  # all are here: no need to look who else can run

    def open_complete(self):
        """Let the lanes go on whose barriers are complete."""
        self.release_warps()
        self.release_blocks()

    def stuck(self):
        """No lane can run: raise the Finding that says which lanes never come to a barrier."""
        if self.warp_waits:
            raise self.missing_lanes()
        places = {}
        for wait in self.waits:
            places[wait.pc] = places.get(wait.pc, 0) + wait.rows(self.shape)
        raise self.divergence(places)

    # Warps ---------------------------------------------------------------------------------------
    def release_warps(self):
        """Let those lanes go on whose member mask is complete."""
        if not self.warp_waits:
            return
        here = np.zeros(self.shape, bool)
        for wait in self.warp_waits:
            here |= wait.group.marks()
        words = self.state.warp_bits(here)
        waits, self.warp_waits = self.warp_waits, []
        met = np.zeros(self.shape, bool)
        for wait in waits:
            ids, missing = self.missing(wait, words)
            ready = np.zeros(self.shape, bool)
            ready.reshape(-1)[ids[missing == 0]] = True
            going = wait.group if (missing == 0).all() else some(self.lanes, ready)
            staying = (
                None if (missing == 0).all() else some(self.lanes, wait.group.marks() & ~ready)
            )
            if staying:
                members = staying.read(wait.group.write(np.zeros((1, 1), np.int32), wait.predicate))
                self.warp_waits.append(Wait(staying, wait.pc, wait.last, None, None, members))
            if going:
                met |= going.marks()
                self.scheduler.put(wait.pc + 1, going)
        if self.checker and met.any():
            self.checker.warp_sync(some(self.lanes, met))

    def named(self, wait):
        """Raise a Finding if a lane's member mask does not name the lane itself."""
        group = wait.group
        ids = (group.ids if group.mask is None else group.ids[group.mask]).reshape(-1)
        members = group.compress(wait.predicate, group.mask).view(np.uint32)
        unnamed = not_named(members, ids % self.lanes.threads)
        if len(unnamed):
            k = int(unnamed[0])
            detail = f"it comes to a __syncwarp whose mask {int(members[k]):#010x} does not name it"
            raise self.finding("lane not in its own member mask", wait, ids[k], detail)

    def missing(self, wait, words):
        """(lane numbers, for each the bits of the lanes of its warp that it still waits for).
        words: the lanes that wait, as one word a warp.
        """
        group = wait.group
        ids = (group.ids if group.mask is None else group.ids[group.mask]).reshape(-1)
        members = group.compress(wait.predicate, group.mask).view(np.uint32)
        here = words[self.state.warp_of(ids)]
        return ids, members & self.state.running(ids) & ~here

    def missing_lanes(self):
        """The Finding for a __syncwarp that some lane of its mask never reaches."""
        here = np.zeros(self.shape, bool)
        for wait in self.warp_waits:
            here |= wait.group.marks()
        wait = self.warp_waits[0]
        ids, missing = self.missing(wait, self.state.warp_bits(here))
        k = int(np.flatnonzero(missing)[0])
        absent = lowest_bit(int(missing[k]))
        return self.finding(
            "missing lanes in a warp operation",
            wait,
            ids[k],
            f"its __syncwarp waits for lane {absent} of its warp, which waits elsewhere",
        )

    # Blocks --------------------------------------------------------------------------------------
    def release_blocks(self):
        """Open the barriers at which enough lanes wait."""
        alive = self.alive()
        for number in sorted({w.number for w in self.waits}):
            waits = [w for w in self.waits if w.number == number]
            here = sum(w.rows(self.shape) for w in waits)
            count = waits[0].count
            complete = (here >= (alive if count is None else count)) & (here > 0)
            if not complete.any():
                continue
            if self.checker:
                if count is None:
                    self.same_place(waits, complete)
                    self.left_waiting(waits, complete, alive)
                self.checker.block_sync(complete, *self.came_and_waited(waits, count))
            self.waits = [w for w in self.waits if w.number != number]
            self.open(waits, complete)

    def came_and_waited(self, waits, count):
        """(the threads that came to a barrier, those of them that waited), bool (B, T) each; None
        and None where all have to come.
        """
        if count is None:
            return None, None
        came, left = np.zeros(self.shape, bool), np.zeros(self.shape, bool)
        for wait in waits:
            came |= wait.group.marks()
            if not wait.goes_on:
                left |= wait.group.marks()
        return came, left

    def alive(self):
        """Running threads of each block of the chunk."""
        if self.state.alive is None:
            return np.full(*self.shape)
        return np.count_nonzero(np.broadcast_to(self.state.alive, self.shape), axis=1)

    def open(self, waits, complete):
        """Let the lanes of the complete blocks go on; the others wait again."""
        self.opened += 1
        votes = ballots(waits, self.shape)
        for wait in waits:
            going, staying = wait.group, None
            if not complete.all():
                marks = wait.group.marks()
                going = some(self.lanes, marks & complete[:, None])
                staying = some(self.lanes, marks & ~complete[:, None])
            if staying:
                kept = Wait(staying, wait.pc, wait.last, wait.number, wait.count, None)
                kept.running = wait.running
                if wait.predicate is not None:
                    votes = wait.group.write(np.zeros((1, 1), bool), wait.predicate)
                    kept.predicate = staying.read(votes)
                self.waits.append(kept)
            if going and not wait.goes_on:
                if wait.predicate is not None:
                    name, result = wait.last.operands[0].name, reduction(wait.last, *votes)
                    registers = self.scheduler.registers
                    registers[name] = going.write(registers[name], going.read(result))
                self.scheduler.put(wait.pc + 1, going)

    def same_place(self, waits, complete):
        """Raise a Finding if threads of one block meet at different __syncthreads(). The hardware
        counts them together, but CUDA forbids it, so only the sanitizer asks.
        """
        if len({wait.pc for wait in waits}) == 1:
            return
        places = {}
        for wait in waits:
            places[wait.pc] = places.get(wait.pc, 0) + wait.rows(self.shape)
        mixed = sum((rows > 0).astype(int) for rows in places.values())
        rows = np.flatnonzero((mixed > 1) & complete)
        if len(rows):
            raise self.divergence(places, int(rows[0]))

    def left_waiting(self, waits, complete, alive):
        """Keep a Finding if threads exited while others of their block waited for them: the
        hardware lets those go on, but CUDA forbids it. alive: running threads by block.
        """
        for wait in waits:
            if wait.running is None:
                continue
            exited = np.where(complete, wait.running - alive, 0)
            exited[wait.rows(self.shape) == 0] = 0
            if exited.any():
                row = int(np.flatnonzero(exited)[0])
                marks = np.broadcast_to(wait.group.marks(), self.shape)[row]
                lane = row * self.shape[1] + int(np.flatnonzero(marks)[0])
                count = int(exited[row])
                who = (
                    "1 thread of its block exits"
                    if count == 1
                    else f"{count} threads of its block exit"
                )
                detail = (
                    f"it waits at this barrier while {who} without reaching it: every thread of a "
                    "block has to reach the same __syncthreads()"
                )
                finding = self.finding("barrier divergence", wait, lane, detail)
                self.state.launch.keep(finding, int(np.count_nonzero(exited)))
                return

    def divergence(self, places, row=None):
        """The Finding for threads of a block at different barriers. places: {pc: lanes by row}."""
        if row is None:
            row = next(r for r in range(self.shape[0]) if any(n[r] for n in places.values()))
        items = sorted((int(n[row]), pc) for pc, n in places.items() if n[row])
        count, pc = items[0]
        for wait in self.waits:
            marks = np.broadcast_to(wait.group.marks(), self.shape)[row]
            if wait.pc == pc and marks.any():
                break
        blocks = self.state.program.blocks
        others = ", ".join(f"{n} wait at line {blocks[p].last.line}" for n, p in items[1:])
        return self.finding(
            "barrier divergence",
            wait,
            row * self.shape[1] + int(np.flatnonzero(marks)[0]),
            f"{count} of the block's {self.alive()[row]} running threads wait at this barrier"
            + (f", while {others}" if others else " and no other thread will come")
            + ": every thread of a block has to reach the same __syncthreads()",
        )

    def finding(self, kind, wait, lane, detail):
        return self.state.finding(kind, wait.last, lane, detail)


class Wait:
    """Lanes that wait at one instruction. number and count: of their barrier; count is None if all
    threads have to come; predicate: what bar.red combines, or the member mask of a __syncwarp.
    """

    def __init__(self, group, pc, last, number, count, predicate):
        self.group, self.pc, self.last = group, pc, last
        self.number, self.count, self.predicate = number, count, predicate
        self.goes_on = "arrive" in last.parts  # without waiting
        self.running = None  # threads of each block that ran when these came; for the sanitizer

    def by_number(self):
        """One Wait for each barrier number: lanes may have computed different ones."""
        if np.ndim(self.number) == 0:
            self.number = int(self.number)
            return [self]
        number = np.broadcast_to(self.number, self.group.shape)
        active = number if self.group.mask is None else number[self.group.mask]
        parts = {int(n): self.group.where(number == n) for n in np.unique(active)}
        waits = [
            Wait(g, self.pc, self.last, n, self.count, self.predicate) for n, g in parts.items()
        ]
        for wait in waits:
            wait.running = self.running
        return waits

    def rows(self, shape):
        """How many lanes wait here, by block of the chunk."""
        if self.group.whole and self.group.mask is None:
            return np.full(*shape)
        return np.count_nonzero(np.broadcast_to(self.group.marks(), shape), axis=1)


def read(last, arguments):
    """(number, count or None, predicate or None) of a bar instruction's operands."""
    arguments = list(arguments)
    predicate = arguments.pop() if "red" in last.parts else None
    number = arguments[0] if arguments else np.int32(0)
    count = int(np.reshape(arguments[1], -1)[0]) if len(arguments) > 1 else None
    return number, count, predicate


def ballots(waits, shape):
    """(the lanes that vote yes, the lanes that vote) in a bar.red, bool (B, T) each."""
    votes, here = np.zeros(shape, bool), np.zeros(shape, bool)
    for wait in waits:
        if wait.predicate is not None:
            marks = wait.group.marks()
            here |= marks
            votes |= wait.group.write(np.zeros((1, 1), bool), wait.predicate) & marks
    return votes, here


def reduction(last, votes, here):
    """The result of a bar.red for each block, (B, 1)."""
    if "popc" in last.parts:
        return np.count_nonzero(votes, axis=1).astype(np.int32)[:, None]
    return (votes.any(axis=1) if "or" in last.parts else (votes | ~here).all(axis=1))[:, None]


def some(lanes, marks):
    """The Group of the lanes marked, None if there are none."""
    return lanes.select(marks) if marks.any() else None
