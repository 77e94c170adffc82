"""mbarriers: barriers in shared memory whose phases threads arrive at, copies bring bytes to, and
threads wait for.

A phase is complete when all arrivals that the mbarrier was initialised for have come, and as many
bytes as expect_tx announced. Then the next phase begins. A wait names a phase by its parity (0, 1,
0, ...): it passes if that of the phase under way is the other one.

Threads that wait for a phase that is not complete are set aside. When no other thread can run, the
copies that they wait for land; if that completes no phase, the waits give false, as they may on a
GPU after a while. If then nothing changes, time after time, they will wait for ever.
"""

from dataclasses import dataclass

import numpy as np

from .ptx import plain

LIMIT = (1 << 20) - 1  # of arrivals, and of the bytes that are still to come
ROUNDS = 100  # waits that all give false, nothing having changed, until that is for ever
COUNT = (1 << 20) - 1  # the bits of a token that hold the arrivals that were missing


@dataclass
class Pass:
    """The last wait of a thread for an mbarrier that let it go on. phase: the number of the phase;
    stale: had the thread passed that phase before, or was it the one before the first? turn: the
    number of the wait in the chunk.
    """

    line: int
    phase: int
    stale: bool
    turn: int

    def sentence(self):
        """What is wrong with a stale one, for messages."""
        return (
            f"wait at line {self.line} for parity {self.phase & 1} passed at once, because that is "
            "the parity of the phase before"
        )


class Mbarrier:
    """One mbarrier. row: block of the chunk; offset: in its shared memory; number: among its
    block's.

    count: arrivals of a phase; pending: of this phase, still to come; bytes: announced and not yet
    come, or negative if they came before; phase: how many are complete.
    For the sanitizer: initialised: stamp; fenced: is it visible to copies?; gathered, published:
    what those who arrived in this phase know and in the one before (see
    sanitizer/vector_clocks.py), or None;
    distant: {block of the chunk: stamps of its last use from there}, of other blocks;
    passes: of each thread of the block, as columns (line, phase, stale, turn) of its last Pass, or
    None before anybody's first.
    """

    def __init__(self, table, row, offset, number, count, stamp, line):
        self.table, self.row, self.offset, self.number = table, row, offset, number
        self.count = self.pending = count
        self.bytes = self.phase = 0
        self.line = line
        self.initialised, self.fenced = stamp, False
        self.gathered = self.published = None
        self.distant = {}
        self.passes = None

    def token(self, pending=None):
        """What an arrival gives: the phase's parity and the arrivals that were missing before."""
        pending = self.pending if pending is None else pending
        return np.int64(pending - ((self.phase & 1) << 63))

    def arrive(self, count):
        """So many arrivals have come."""
        self.pending -= count
        self.table.changes += 1
        self.complete()

    def expect(self, size):
        """So many bytes are announced, or, if negative, have come."""
        self.bytes += size
        self.table.changes += 1
        self.complete()

    def complete(self):
        """Begin the next phase if this one is complete."""
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.count
            self.published, self.gathered = self.gathered, None
            self.table.completed = True
            self.table.scheduler.standstill.forget()

    # For the sanitizer ---------------------------------------------------------------------------
    def gather(self, knowledge):
        """A thread that arrives adds what it knows. knowledge: as of Clocks.knowledge."""
        if self.gathered is None:
            self.gathered = [part.copy() for part in knowledge]
        else:
            for mine, part in zip(self.gathered, knowledge, strict=True):
                np.maximum(mine, part, out=mine)

    def gather_author(self, column, time):
        """A copy that completes bytes adds that it has written until ``time``. column: of the copy
        as an author.
        """
        if self.gathered is None:
            columns = self.table.state.checker.order.seen.shape[2]
            self.gathered = [np.zeros(columns, np.int32) for _ in range(2)]
        for mine in self.gathered:
            mine[column] = time

    def passed(self, threads, line, turn):
        """Threads (n,) passed a wait for the phase before the one under way."""
        if self.passes is None:
            self.passes = np.full((self.table.state.lanes.threads, 4), -1)
        phase = self.phase - 1
        stale = self.passes[threads, 1] == phase
        self.passes[threads] = line, phase, 0, turn
        self.passes[threads, 2] = stale

    def last_pass(self, thread):
        """The Pass of a thread, or None."""
        if self.passes is None:
            return None
        line, phase, stale, turn = self.passes[thread].tolist()
        return Pass(line, phase, bool(stale), turn) if turn >= 0 else None

    # Messages ------------------------------------------------------------------------------------
    def name(self):
        """Such as 'the mbarrier full[1]'."""
        return f"the mbarrier {self.table.name(self.offset)}"

    def missing(self):
        """What this phase still lacks."""
        parts = []
        if self.pending:
            parts.append(f"{self.pending} of {self.count} arrivals")
        if self.bytes > 0:
            parts.append(f"{self.bytes} bytes")
        if self.bytes < 0:
            parts.append(f"an expect_tx for {-self.bytes} bytes that have come")
        return " and ".join(parts)


@dataclass
class Wait:
    """Lanes that wait. pc: of their block of PTX; ids: their lane numbers; barriers: mbarriers;
    which: of them, for each lane; parity: of the phase that each waits for.
    """

    pc: int
    last: object
    ids: np.ndarray
    barriers: list
    which: np.ndarray
    parity: np.ndarray

    def done(self):
        """Whose phase has completed, bool (n,)."""
        return np.array([b.phase & 1 for b in self.barriers])[self.which] != self.parity

    def subset(self, chosen):
        return Wait(
            self.pc,
            self.last,
            self.ids[chosen],
            self.barriers,
            self.which[chosen],
            self.parity[chosen],
        )

    def named(self):
        """[(Mbarrier, numbers of the lanes that wait for it)]."""
        return [(self.barriers[k], self.ids[self.which == k]) for k in np.unique(self.which)]


class Mbarriers:
    """Those of a chunk. scheduler: Scheduler, whose ``put`` lets lanes go on.

    changes: how often something came to an mbarrier; completed: did a phase complete since the
    waits were last looked at?
    """

    def __init__(self, scheduler):
        self.scheduler, self.state = scheduler, scheduler.state
        self.table, self.numbers = {}, {}
        self.waits, self.changes, self.completed = [], 0, False
        self.rounds, self.seen, self.turn = 0, None, 0

    def __bool__(self):
        """Does any lane wait?"""
        return bool(self.waits)

    def all(self):
        return self.table.values()

    def of(self, row):
        """The mbarriers of a block of the chunk."""
        return [b for b in self.table.values() if b.row == row]

    def name(self, offset):
        """Such as 'full[1]' or 'bar': the 8 bytes at an offset in shared memory."""
        for name, start, length in self.state.program.shared_variables:
            if start <= offset < start + length or (length == 0 and offset >= start):
                index = "" if length == 8 else f"[{(offset - start) // 8}]"
                return f"{plain(name)}{index}"
        return f"at offset {offset}"

    def last_pass(self, row, thread):
        """The latest Pass of a thread."""
        found = [b.last_pass(thread) for b in self.of(row)]
        return max((p for p in found if p is not None), key=lambda p: p.turn, default=None)

    def initialise(self, row, offset, count, stamp, line):
        number = self.numbers.setdefault(offset, len(self.numbers))
        self.table[row, offset] = Mbarrier(self, row, offset, number, count, stamp, line)
        self.changes += 1

    def invalidate(self, row, offset):
        del self.table[row, offset]

    def get(self, row, offset):
        """The mbarrier there, or None."""
        return self.table.get((row, offset))

    # Waiting -------------------------------------------------------------------------------------
    def wait(self, wait):
        """Lanes come to a wait: those whose phase is complete go on."""
        rest = self.let_go(wait)
        if rest is not None:
            self.waits.append(rest)

    def let_go(self, wait):
        """Let the lanes go on whose phase is complete; the Wait of the others, or None."""
        done = wait.done()
        if done.all():
            self.go_on(wait, True)
            return None
        if done.any():
            self.go_on(wait.subset(done), True)
            return wait.subset(~done)
        return wait

    def go_on(self, wait, passed):
        """The lanes run on, with ``passed`` as what the wait gives."""
        state, lanes = self.state, self.state.lanes
        marks = np.zeros(lanes.blocks * lanes.threads, bool)
        marks[wait.ids] = True
        group = lanes.select(marks.reshape(lanes.blocks, lanes.threads))
        target = wait.last.operands[0]
        name = getattr(target, "name", "_")
        registers = self.scheduler.registers
        if name in registers:
            registers[name] = group.write(registers[name], np.bool_(passed))
        if passed and state.checker:
            self.learn(wait)
        self.scheduler.put(wait.pc + 1, group)

    def learn(self, wait):
        """For the sanitizer: the lanes that pass know from now on what those knew who arrived."""
        order, threads = self.state.checker.order, self.state.lanes.threads
        weak = "relaxed" in wait.last.parts
        for barrier, ids in wait.named():
            mine = ids % threads
            self.turn += 1
            barrier.passed(mine, wait.last.line, self.turn)
            if barrier.published is not None and not weak:
                order.learn(barrier.row, mine, barrier.published)

    def release(self, landing=False):
        """Let the lanes go on whose phase is complete by now. landing: first let the copies land
        that they wait for. Returns whether any lane goes on.
        """
        if landing and self.waits:
            for wait in self.waits:
                for barrier, _ in wait.named():
                    self.state.flights.land(barrier)
        if not self.completed:
            return False
        self.completed = False
        waits, self.waits = self.waits, []
        rest = [self.let_go(wait) for wait in waits]
        self.waits = [w for w in rest if w is not None] + self.waits
        return bool(self.scheduler.pending)

    def time_out(self):
        """No lane can run: the waits return false, as they may on a GPU after a while. Raises the
        Finding if that has led nowhere many times.
        """
        now = self.changes, self.state.exits, self.scheduler.barriers.opened
        self.rounds = self.rounds + 1 if now == self.seen else 0
        self.seen = now
        if self.rounds > ROUNDS:
            raise self.state.launch.blamed(self.endless())
        waits, self.waits = self.waits, []
        for wait in waits:
            self.go_on(wait, False)

    def endless(self):
        """The Finding for a phase that never completes."""
        state, wait = self.state, self.first()
        barrier, parity = wait.barriers[wait.which[0]], int(wait.parity[0])
        row = int(wait.ids[0]) // state.lanes.threads
        lacks = barrier.missing()
        detail = (
            f"it waits for phase {barrier.phase} (parity {parity}) of {barrier.name()}, which "
            f"still lacks {lacks}, and no thread is left that could bring that"
        )
        if barrier.pending == barrier.count and barrier.bytes == 0:
            detail += (
                f": nothing has come in this phase; if the wait is for phase {barrier.phase - 1}, "
                f"its parity is {1 - parity}"
                if barrier.phase
                else ": nobody arrives at it"
            )
        elif not barrier.pending and barrier.bytes > 0:
            detail += ": expect_tx announced more bytes than its copies bring"
        elif barrier.bytes < 0:
            detail += ": announce the bytes with expect_tx"
        detail += self.others(row, wait)
        return state.finding("endless wait", wait.last, wait.ids[0], detail)

    def others(self, row, named):
        """What the other threads of a block wait for, for messages. named: the wait that the
        message is about.
        """
        found = {}
        for wait in self.waits:
            for barrier, ids in wait.named():
                mine = ids[ids // self.state.lanes.threads == row]
                if wait is not named and len(mine):
                    found[f"{barrier.name()} (it lacks {barrier.missing()}) at line"] = wait.last
        for wait in self.scheduler.barriers.waits:
            if wait.rows((self.state.lanes.blocks, self.state.lanes.threads))[row]:
                found["the barrier of line"] = wait.last
        said = [f"{what} {last.line}" for what, last in list(found.items())[:3]]
        return f". Others of its block wait for {', for '.join(said)}" if said else ""

    def first(self):
        """The wait to name in a Finding: one for bytes, or in a phase in which something has come,
        if there is one.
        """

        def key(wait):
            barrier = wait.barriers[wait.which[0]]
            return barrier.pending == barrier.count and barrier.bytes == 0, int(wait.ids[0])

        return min(self.waits, key=key)
