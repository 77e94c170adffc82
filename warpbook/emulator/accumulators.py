"""What wgmma's products may still read or write: the sanitizer's rules for them.

Hardware makes a product some time between its wgmma.mma_async and a wgmma.wait_group that waits for
its commit group. Until then (PTX manual, 'wgmma.wait_group', 'wgmma.fence')

- only further products may use its registers of d, and nothing may write its registers of a;
- nothing may write what it reads in shared memory (shared_watch.py asks for ``held``);

and a wgmma.fence has to come before the first product, and between a write of a register and the
product that uses it. Moves are followed and otherwise let through: the compiler makes them where it
likes. A constant in a register is not looked at, for the same reason.

``watch`` finds, when a kernel is compiled, the few instructions that could break a rule on some way
through it; only these look, when they run, whether they do.
"""

from dataclasses import dataclass

import numpy as np

from .flow import registers
from .lanes import Group
from .ptx import Imm, Name, Reg, Vector

UNFINISHED = "unfinished wgmma"


class Names:
    """The registers of a product. d, a: their names; a is empty if it lies in shared memory."""

    def __init__(self, d, a):
        self.d = tuple(name for operand in d.items for name in registers(operand))
        held = a.items if isinstance(a, Vector) else ()
        self.a = tuple(name for operand in held for name in registers(operand))


@dataclass
class Reading:
    """An operand that a product may still read. instruction: the product. Of each team, (t,):
    block, of the chunk; thread, its first; number, of its commit group. columns: the granules, (t
    or 1, n).
    """

    instruction: object
    block: np.ndarray
    thread: np.ndarray
    number: np.ndarray
    columns: np.ndarray

    def part(self, chosen):
        """The same for some teams, bool (t,)."""
        columns = self.columns if len(self.columns) == 1 else self.columns[chosen]
        teams = (x[chosen] for x in (self.block, self.thread, self.number))
        return Reading(self.instruction, *teams, columns)


class Pipeline:
    """The products of a chunk's lanes. Registers, as of scheduler.State:

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


def pipeline(state):
    """The Pipeline of a chunk."""
    if "wgmma" not in state.async_groups:
        state.async_groups["wgmma"] = Pipeline()
    return state.async_groups["wgmma"]


def write(group, mask, old, new):
    """The register old, with new for the lanes in mask."""
    if mask is not None:
        new = np.where(mask, new, group.read(old))
    return group.write(old, np.asarray(new)[()])


# What wgmma does ---------------------------------------------------------------------------------
class Warpgroups:
    """Lanes that wait at a wgmma.fence or wgmma.wait_group for the rest of their warpgroup, whose
    products are made together. waits: [(block of PTX, group)]. If no other lane can run, they go on
    without it.
    """

    def __init__(self, state):
        self.state, self.waits = state, []

    def come(self, block, group):
        """The lanes of a group come to the end of a block."""
        if self.whole(group):
            self.go(block, group)
            return
        self.waits.append((block, group))
        self.release()

    def whole(self, group):
        """Does it surely consist of whole warpgroups?"""
        if not group.aligned:
            return False
        start, stop, _ = group.cols.indices(group.lanes.threads)
        return start % 128 == 0 and stop % 128 == 0

    def release(self, all_of_them=False):
        """Let go on the lanes of warpgroups that are complete, or all."""
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
        """Do what the instruction says, and go on."""
        state, last = self.state, block.last
        if "fence" in last.parts:
            fence(state, group)
        else:
            wait(state, group, last.operands[0].bits)
        state.put(block.index + 1, group)


def fence(state, group):
    """wgmma.fence."""
    pipe = pipeline(state)
    pipe.time += 1
    pipe.fenced = write(group, group.mask, pipe.fenced, np.int64(pipe.time))


def commit(state, group, mask, instruction):
    """wgmma.commit_group."""
    pipe = pipeline(state)
    pipe.closed = write(group, mask, pipe.closed, group.read(pipe.closed) + np.int64(1))


def wait(state, group, left):
    """wgmma.wait_group: all but the last ``left`` commit groups have landed."""
    pipe = pipeline(state)
    done = np.maximum(group.read(pipe.landed), group.read(pipe.closed) - np.int64(left))
    pipe.landed = write(group, group.mask, pipe.landed, done)
    if pipe.reading:
        release(state, pipe)


def issue(state, group, mask, instruction, names):
    """A product starts."""
    pipe = pipeline(state)
    _, count = pipe.started.get(instruction.index, (instruction, np.int64(0)))
    count = write(group, mask, count, group.read(count) + np.int64(1))
    pipe.started[instruction.index] = instruction, count
    if not state.checker:
        return
    fenced = group.read(pipe.fenced)
    if not np.all(fenced):
        detail = "no wgmma.fence comes before it, which orders it with the writes of its registers"
        keep(state, group, mask, fenced == 0, instruction, "missing wgmma.fence", detail)
    number = group.read(pipe.closed)
    for key in (names.d, names.a):
        if key:
            old, _ = pipe.numbers.get(key, (np.int64(-1), 0))
            pipe.numbers[key] = write(group, mask, old, number), instruction.line


def finish(state):
    """A chunk has ended: raise the Finding for a product that only some warps of a warpgroup ran,
    for which hardware would wait for ever, or worse.
    """
    pipe = state.async_groups.get("wgmma")
    if pipe is None or state.lanes.threads < 128:
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
    """A product reads pieces of 16 bytes. teams: ops.wgmma.Teams; offsets: of the pieces, (teams
    or 1, ..).
    """
    state = teams.state
    if not state.checker:
        return
    pipe = pipeline(state)
    offsets = offsets.reshape(len(offsets), -1)
    columns = state.checker.product_read(teams, offsets)
    closed = np.broadcast_to(pipe.closed, (state.lanes.blocks, state.lanes.threads))
    block, thread = teams.blocks, teams.warps * 32
    number = closed[block, thread]
    pipe.reading.append(Reading(teams.instruction, block, thread, number, columns))


def release(state, pipe):
    """Forget what landed products read."""
    landed = np.broadcast_to(pipe.landed, (state.lanes.blocks, state.lanes.threads))
    gone, stay = [], []
    for reading in pipe.reading:
        left = reading.number >= landed[reading.block, reading.thread]
        if left.any():
            stay.append(reading if left.all() else reading.part(left))
        if not left.all():
            gone.append(reading if not left.any() else reading.part(~left))
    pipe.reading = stay
    if gone:
        state.checker.products_landed(gone, stay)


# Registers -------------------------------------------------------------------------------------
def watch(blocks, generator):
    """{instruction: function(state, group, mask, instruction)} to call before it, of all that could
    break a rule. blocks: flow.Block; generator: codegen.Generator.
    """
    if not any(is_product(item) for block in blocks for item in block.items):
        return {}
    return Watch(blocks, generator).hooks()


def is_product(item):
    return item.name == "wgmma" and "mma_async" in item.parts


def everything(block):
    """The instructions of a block, with the wgmma.fence or wgmma.wait_group at its end."""
    ends = block.last is not None and block.last.name == "wgmma"
    return [*block.items, block.last] if ends else block.items


def is_move(item):
    """Does it only copy one register to another?"""
    return item.name == "mov" and not item.guard and isinstance(item.operands[1], Reg)


def is_constant(item):
    return item.name == "mov" and isinstance(item.operands[1], (Imm, Name))


class Watch:
    """What each instruction of a kernel may meet, over all ways that lead there.

    Sets of names of registers: open, that a product may still write; taken, that one may still
    read; wanted, that a product may use before any wgmma.fence; fresh, that may have been written
    since.
    """

    def __init__(self, blocks, generator):
        self.blocks, self.generator = blocks, generator
        self.products = {
            i: Names(*i.operands[:2]) for b in blocks for i in b.items if is_product(i)
        }
        self.keys = {}  # name -> the keys of Pipeline.numbers that it belongs to
        for names in self.products.values():
            for key in (names.d, names.a):
                for name in key:
                    self.keys.setdefault(name, {})[key] = None
        self.wanted_after = self.backwards()

    def reads(self, item):
        op = self.generator.ops[item]
        return {name for operand, _ in op.ins for name in registers(operand)}

    def writes(self, item):
        return set(self.generator.defines(item))

    def backwards(self):
        """{instruction: wanted, after it}."""
        before, result = [set() for _ in self.blocks], {}
        changed = True
        while changed:
            changed = False
            for block in reversed(self.blocks):
                wanted = set().union(*(before[s] for s in block.successors))
                for item in reversed(everything(block)):
                    result[item] = frozenset(wanted)
                    wanted = self.wanted(item, wanted)
                if wanted != before[block.index]:
                    before[block.index], changed = wanted, True
        return result

    def wanted(self, item, wanted):
        """wanted before an instruction, of what is wanted after it."""
        if item in self.products:
            return wanted | set(self.products[item].d + self.products[item].a)
        if item.name == "wgmma":
            return set() if "fence" in item.parts else wanted
        written = self.writes(item)
        if not written & wanted:
            return wanted
        rest = wanted if item.guard else wanted - written
        return rest | {item.operands[1].name} if is_move(item) else rest

    def step(self, item, open, taken, fresh):
        """(open, taken, fresh) after an instruction."""
        if item in self.products:
            names = self.products[item]
            return open | set(names.d), taken | set(names.a), fresh - set(names.d)
        if item.name == "wgmma":
            waits = "wait_group" in item.parts and item.operands[0].bits == 0
            if waits:
                open, taken = set(), set()
            return open, taken, set() if "fence" in item.parts else fresh
        written = self.writes(item)
        if is_move(item):
            source = item.operands[1].name
            follow = [s | written if source in s else s - written for s in (open, fresh)]
            return follow[0], taken - written, follow[1]
        new = set() if is_constant(item) else written & self.wanted_after[item]
        if item.guard:
            return open, taken, fresh | new
        return open - written, taken - written, (fresh - written) | new

    def hooks(self):
        """As ``watch`` says."""
        before = [None] * len(self.blocks)
        before[0] = (set(), set(), set())
        todo, met = [0], {}
        while todo:
            index = todo.pop()
            sets = before[index]
            for item in everything(self.blocks[index]):
                met[item] = sets
                sets = self.step(item, *sets)
            for successor in self.blocks[index].successors:
                old = before[successor]
                new = sets if old is None else tuple(a | b for a, b in zip(old, sets, strict=True))
                if new != old:
                    before[successor] = new
                    todo.append(successor)
        result = {}
        for item, sets in met.items():
            hook = self.hook(item, *sets)
            if hook is not None:
                result[item] = hook
        return result

    def hook(self, item, open, taken, fresh):
        """What to call before an instruction, or None."""
        if item.name == "wgmma" and item not in self.products:
            return None
        if item in self.products:
            names = self.products[item]
            read = sorted(set(names.a) & open)
            late = sorted(set(names.d + names.a) & fresh)
            return product_hook(self.keyed(read), late) if read or late else None
        written = self.writes(item)
        over = sorted(written & (open | taken))
        if is_move(item):
            source, target = item.operands[1].name, item.operands[0].name
            follows = source in open or source in fresh
            if not over and not follows:
                return None
            return move_hook(self.keyed(over), source, self.keyed([source])[source], target)
        read = sorted(self.reads(item) & open)
        marked = () if is_constant(item) else sorted(written & self.wanted_after[item])
        if not read and not over and not marked:
            return None
        return touch_hook(self.keyed(read), self.keyed(over), marked)

    def keyed(self, names):
        """{name: the keys of Pipeline.numbers that say when it is finished}."""
        return {name: [*self.keys.get(name, ()), name] for name in names}


def touch_hook(read, over, marked):
    """For an instruction that reads and writes registers; marked: names that it writes and a
    product may use.
    """

    def look(state, group, mask, instruction):
        if not state.checker:
            return
        unfinished(state, group, mask, instruction, read, "reads a result")
        unfinished(state, group, mask, instruction, over, "overwrites a register")
        pipe = pipeline(state)
        pipe.time += 1
        for name in marked:
            old = pipe.written.get(name, np.int64(0))
            pipe.written[name] = write(group, mask, old, np.int64(pipe.time))

    return look


def move_hook(over, source, keys, target):
    """For a mov between registers, which takes along what is known of the source."""

    def look(state, group, mask, instruction):
        if not state.checker:
            return
        unfinished(state, group, mask, instruction, over, "overwrites a register")
        pipe = pipeline(state)
        found = [pipe.numbers[key] for key in keys if key in pipe.numbers]
        if found:
            number, line = found[0]
            for other, other_line in found[1:]:
                if np.max(other) > np.max(number):
                    line = other_line
                number = np.maximum(number, other)
            old, _ = pipe.numbers.get(target, (np.int64(-1), 0))
            pipe.numbers[target] = write(group, mask, old, group.read(number)), line
        if source in pipe.written:
            old = pipe.written.get(target, np.int64(0))
            pipe.written[target] = write(group, mask, old, group.read(pipe.written[source]))

    return look


def product_hook(read, late):
    """For a product. late: names that may have been written since the last fence."""

    def look(state, group, mask, instruction):
        if not state.checker:
            return
        unfinished(state, group, mask, instruction, read, "multiplies a result")
        pipe = pipeline(state)
        fenced = group.read(pipe.fenced)
        for name in late:
            if name in pipe.written:
                bad = group.read(pipe.written[name]) > fenced
                if np.any(bad):
                    detail = (
                        "one of its registers was written by another instruction, and no "
                        "wgmma.fence comes between"
                    )
                    kind = "missing wgmma.fence"
                    keep(state, group, mask, bad, instruction, kind, detail)
                    return

    return look


def unfinished(state, group, mask, instruction, names, does):
    """Keep a Finding if products may still write or read one of the registers. names: {name: its
    keys}.
    """
    pipe = pipeline(state)
    landed = group.read(pipe.landed)
    for keys in names.values():
        for key in keys:
            if key not in pipe.numbers:
                continue
            number, line = pipe.numbers[key]
            bad = group.read(number) >= landed
            if np.any(bad):
                detail = (
                    f"{does} of the wgmma of line {line}, which may not be finished: commit it and "
                    "wait for it with wgmma.wait_group"
                )
                keep(state, group, mask, bad, instruction, UNFINISHED, detail)
                return


def keep(state, group, mask, bad, instruction, kind, detail):
    """Keep the Finding for the first of the active lanes where bad holds."""
    bad = group.compress(bad, mask)
    if not bad.any():
        return
    block, thread = state.place(group, mask, int(bad.argmax()))
    finding = state.launch.finding(kind, instruction, block, thread, None, None, detail)
    state.launch.keep(finding, int(np.count_nonzero(bad)))
