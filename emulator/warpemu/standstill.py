"""Lanes that will never get on: loops and waits that nothing can end.

A group that runs long is compared with a snapshot of itself, an Anchor. If everything that decides
where its lanes go is as it was then, it will always be, and the launch stops with a Finding.
"""

import numpy as np

LOOK = 1 << 10  # steps between two looks for a wait that never ends ...
WINDOW = 1 << 6  # ... each of so many steps ...
LONG = 1 << 14  # ... and from here on, at each power of two, of a quarter of the steps so far


def is_power_of_two(n):
    return n & (n - 1) == 0


class Anchor:
    """A snapshot to compare with. moment: what tells it from others, such as which lanes were
    where; values: [(register, its bytes)] of what controls how they go on; turn: when it was; asks:
    does memory control it as well; timed: does a clock, which never comes back?

    changed: {which element: (table, index, what was there)} of the stores since, or None if too
    many.
    """

    def __init__(self, moment, values, turn=0, asks=False, timed=False):
        self.moment, self.values, self.turn = moment, values, turn
        self.asks, self.timed, self.changed = asks, timed, {}

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


class Standstill:
    """Looks at one chunk. scheduler: whose groups are looked at.

    anchor: of all lanes, where one group alone can run; lone_anchor: of one group in a loop that no
    other lane can end; turn_anchor: of all lanes, where groups take turns; each None if there is
    none. looking: steps until which ``look`` looks at each; turns: times that another group was let
    go.
    """

    def __init__(self, scheduler):
        self.scheduler, self.state = scheduler, scheduler.state
        self.loops = self.state.program.loops
        self.anchor = self.turn_anchor = self.lone_anchor = None
        self.looking, self.turns = -1, 0

    def due(self):
        """Is it time for a ``look``?"""
        steps = self.state.steps
        return steps % LOOK <= WINDOW or steps <= self.looking

    def look(self):
        """Compare the registers that control the loop with a snapshot. If nothing has changed, the
        loop is endless, for no other lane can change it either.
        """
        scheduler, steps = self.scheduler, self.state.steps
        since = steps % LOOK
        if since == 0 and scheduler.waiting:
            scheduler.release_complete()
        if since == 0 and steps:
            self.find_way_out()
            if steps >= LONG and is_power_of_two(steps):
                self.looking = steps + steps // 4
                self.anchor = self.lone_anchor = None
        if since >= WINDOW and steps >= self.looking:
            self.anchor = self.lone_anchor = None
            self.watch_stores()
            return
        pc = scheduler.first()
        loop = self.loops.exit_of(pc)
        if loop is not None and loop.alone:
            self.look_alone(pc, loop)
        elif len(scheduler.pending) > 1:
            if scheduler.waiting:  # then the turn that groups take may depend on what was before
                self.anchor = None
        elif self.anchor is None:
            self.anchor = self.take_anchor(pc)
            self.watch_stores()
        elif self.stands(self.anchor, pc):
            why = "nothing has changed since it was here last"
            raise scheduler.endless(pc, scheduler.pending[pc], why)

    def look_alone(self, pc, loop):
        """The same for a loop that no other lane can end, whatever the others do."""
        group, anchor = self.scheduler.pending[pc], self.lone_anchor

        def read(name):
            return group.read(self.scheduler.registers[name])

        if anchor is None or anchor.moment[0] != id(loop):
            live = self.loops.names(pc, False)
            values = [(name, read(name).tobytes()) for name in live]
            self.lone_anchor = Anchor((id(loop), pc, group.marks().tobytes()), values)
            return
        if anchor.moment[1] != pc or not anchor.same(read):
            return
        if anchor.moment[2] == group.marks().tobytes():
            why = "all that its way out depends on is as it was when it was here last"
            raise self.scheduler.endless(pc, group, why)

    def find_way_out(self):
        """Stop if lanes are where no branch leads to the end, whatever their registers hold."""
        for pc, group in self.scheduler.pending.items():
            if not self.state.program.blocks[pc].ends:
                raise self.scheduler.endless(pc, group, "no branch leads out of this loop")

    def turn(self, places):
        """The block whose lanes have their turn now, of ``places``, round and round. If all groups
        had turns and everything is as before, none will ever get on.
        """
        self.turns += 1
        pc = places[self.turns % len(places)]
        if len(places) == 1 and not self.scheduler.waiting:
            return pc
        if self.turns >= 4 and is_power_of_two(self.turns):
            self.turn_anchor = self.take_anchor(pc)
            self.watch_stores()
        elif self.turn_anchor is not None:
            turns = self.turns - self.turn_anchor.turn
            if turns >= 2 * len(places) and self.stands(self.turn_anchor, pc):
                why = "all threads had turns, and nothing has changed"
                raise self.scheduler.endless(pc, self.scheduler.pending[pc], why)
            if turns > 4 * len(places) + 8:
                self.turn_anchor = None
        return pc

    def take_anchor(self, pc):
        """The Anchor of this moment."""
        pending, registers = self.scheduler.pending, self.scheduler.registers
        found = [self.loops.exit_of(p) for p in pending]
        asks = any(loop is None or loop.asks for loop in found)
        timed = any(loop is not None and loop.timed for loop in found)
        names = sorted({name for p in pending for name in self.loops.names(p, asks)})
        values = [(name, registers[name].tobytes()) for name in names]
        return Anchor(self.moment(pc), values, self.turns, asks, timed)

    def moment(self, pc):
        """(pc, where all lanes are)."""
        pending = self.scheduler.pending
        lanes = tuple((p, pending[p].marks().tobytes()) for p in sorted(pending))
        return pc, lanes, self.scheduler.barriers.moment()

    def stands(self, anchor, pc):
        """Is everything that decides as it was at an anchor?"""
        if anchor.timed or pc != anchor.moment[0]:
            return False
        if not anchor.same(self.scheduler.registers.__getitem__):
            return False
        return anchor.restored() and anchor.moment == self.moment(pc)

    # Stores --------------------------------------------------------------------------------------
    def watch_stores(self):
        """Be told of stores as long as there is an anchor that has to know of them."""
        asking = any(a is not None and a.asks for a in (self.anchor, self.turn_anchor))
        self.state.on_store = self.stored if asking else None

    def stored(self, table, index, before):
        """Something was stored to table[index]. before: what was there."""
        if before.tobytes() != table[index].tobytes():
            for anchor in (self.anchor, self.turn_anchor):
                if anchor is not None and anchor.asks:
                    anchor.remember(table, index, before)

    def forget(self):
        """Something changed that anchors do not remember: look anew."""
        self.anchor = self.turn_anchor = None
        self.watch_stores()
