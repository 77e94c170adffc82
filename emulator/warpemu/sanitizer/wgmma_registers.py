"""What wgmma's products may still read or write in registers: the sanitizer's rules for them.

Until a wgmma.wait_group has waited for a product (PTX manual, 'wgmma.wait_group', 'wgmma.fence')
only further products may use its registers of d, and nothing may write its registers of a. A
wgmma.fence has to come before the first product, and between a write of a register and the product
that uses it. Moves are followed and otherwise let through: the compiler makes them where it likes.
A constant in a register is not looked at, for the same reason.

``watch`` finds, when a kernel is compiled, the few instructions that could break a rule on some way
through it; only these look, when they run, whether they do.
"""

import numpy as np

from ..flow import registers
from ..ptx import Imm, Name, Reg
from ..warpgroups import Names

UNFINISHED = "unfinished wgmma"


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
    """What may be true when lanes come to each instruction of a kernel, over all ways that lead
    there.

    Sets of names of registers: open, that a product may still write; taken, that a product may
    still read; wanted, that a product may use before the next wgmma.fence; fresh, that may have
    been written since the last one.
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
        """{instruction: the registers wanted after it}, from the last instruction to the first
        until nothing changes.
        """
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
        """(open, taken, fresh) after an instruction, of those before it."""
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
        """{instruction: what to call before it}: carry the sets along all ways until nothing
        changes.
        """
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

    def check(state, group, mask, instruction):
        if not state.checker:
            return
        unfinished(state, group, mask, instruction, read, "reads a result")
        unfinished(state, group, mask, instruction, over, "overwrites a register")
        pipe = state.pipeline
        pipe.time += 1
        for name in marked:
            old = pipe.written.get(name, np.int64(0))
            pipe.written[name] = group.write_masked(mask, old, np.int64(pipe.time))

    return check


def move_hook(over, source, keys, target):
    """For a mov between registers, which takes along what is known of the source."""

    def check(state, group, mask, instruction):
        if not state.checker:
            return
        unfinished(state, group, mask, instruction, over, "overwrites a register")
        pipe = state.pipeline
        found = [pipe.numbers[key] for key in keys if key in pipe.numbers]
        if found:
            number, line = found[0]
            for other, other_line in found[1:]:
                if np.max(other) > np.max(number):
                    line = other_line
                number = np.maximum(number, other)
            old, _ = pipe.numbers.get(target, (np.int64(-1), 0))
            pipe.numbers[target] = group.write_masked(mask, old, group.read(number)), line
        if source in pipe.written:
            old = pipe.written.get(target, np.int64(0))
            pipe.written[target] = group.write_masked(mask, old, group.read(pipe.written[source]))

    return check


def product_hook(read, late):
    """For a product. late: names that may have been written since the last fence."""

    def check(state, group, mask, instruction):
        if not state.checker:
            return
        unfinished(state, group, mask, instruction, read, "multiplies a result")
        pipe = state.pipeline
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
                    state.keep(group, mask, bad, instruction, kind, detail)
                    return

    return check


def unfinished(state, group, mask, instruction, names, does):
    """Keep a Finding if products may still write or read one of the registers. names: {name: its
    keys}.
    """
    pipe = state.pipeline
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
                state.keep(group, mask, bad, instruction, UNFINISHED, detail)
                return
