"""Which registers control whether lanes leave a loop.

``for (i = 0; flag == 0; i++);`` counts for ever, so its registers are never as they were before;
but only ``flag`` controls whether its lanes leave it. standstill.py compares these registers alone.

A loop is the set of all blocks of PTX from which lanes can come to one another. A register controls
it if a branch, a barrier, a warp operation or an address uses it, or if it is used to compute such
a register.
"""

from dataclasses import dataclass

from .flow import is_wait, registers
from .ptx import Address, Name

LOADS, STORES, ATOMICS = {"ld", "ldu", "ldmatrix"}, {"st", "stmatrix"}, {"atom", "red"}
BY_WARP = {"shfl", "vote", "match", "redux", "activemask", "elect"}
QUIET = {"membar", "fence", "nanosleep", "pmevent", "brkpt", "call"}
QUIET |= {"setmaxnreg", "griddepcontrol"}
PURE = {"mma", "movmatrix", "cvta", "isspacep"}  # effects that only compute
RUNNING = ("%clock", "%globaltimer")


@dataclass
class LoopExit:
    """What controls one loop. names: the registers, sorted; asks: does what is in memory control it
    as well; alone: can no other lane change where its lanes go; timed: does a clock control it, so
    that it ends though all else stands?
    """

    names: list
    asks: bool
    alone: bool
    timed: bool = False


class Loops:
    """The loops of a program; each is analysed when somebody first asks for it. blocks: flow.Block;
    generator: codegen.Generator.
    """

    def __init__(self, blocks, generator):
        self.blocks, self.generator = blocks, generator
        self.found, self.reach, self.lists = {}, None, {}

    def exit_of(self, index, stores=False):
        """The LoopExit of the loop that block ``index`` is in, None if it is in none. stores: do
        the values that are stored count as controlling?
        """
        if (index, stores) not in self.found:  # one for all blocks of the loop
            members = self.members(index)
            made = self.work_out([self.blocks[k] for k in members], stores) if members else None
            self.found |= {(k, stores): made for k in members or [index]}
        return self.found[index, stores]

    def names(self, index, stores):
        """The registers that are live at block ``index`` and control where its lanes go."""
        exit, live = self.exit_of(index, stores), self.blocks[index].live
        if exit is None:
            return live
        if (index, stores) not in self.lists:
            names = set(exit.names)
            self.lists[index, stores] = [name for name in live if name in names]
        return self.lists[index, stores]

    def members(self, index):
        """Indices of the blocks of its loop, ascending; none if it is in none."""
        if self.reach is None:
            self.reach = reachable(self.blocks)
        mine = self.reach[index]
        return [k for k in range(len(self.blocks)) if mine >> k & 1 and self.reach[k] >> index & 1]

    def work_out(self, members, stores):
        """The LoopExit of a loop's blocks: begin with what branches, barriers and addresses use,
        and add what is used to compute it until nothing more is added. Where an instruction is not
        understood, every live register counts, and memory does.
        """
        wanted, asks, alone, opaque, timed = set(), False, True, False, False
        generator = self.generator
        steps = [
            (item, generator.defines(item), generator.uses(item))
            for block in reversed(members)
            for item in reversed(block.items)
        ]
        for block in members:
            last = block.last
            if last is not None:
                wanted |= set(self.generator.uses(last))
                alone = alone and not is_wait(last)
                opaque = opaque or last.name == "mbarrier"
            for item in block.items:
                wanted |= self.roots(item, stores)
                opaque = opaque or self.is_opaque(item)
                alone = alone and item.name not in BY_WARP
        changed = True
        while changed:
            changed = False
            for item, defines, uses in steps:
                if not wanted.isdisjoint(defines):
                    changed = changed or not wanted.issuperset(uses)
                    wanted.update(uses)
                    asks = asks or item.name in LOADS | ATOMICS and not is_parameter(item)
                    timed = timed or reads_clock(item)
        if opaque or timed:
            return LoopExit(sorted(set().union(*(b.live for b in members))), True, False, timed)
        if asks and not stores:
            return self.work_out(members, True)
        return LoopExit(sorted(wanted), asks, alone and not asks)

    def is_opaque(self, item):
        """Does an instruction have effects that this analysis does not know?"""
        known = LOADS | STORES | ATOMICS | BY_WARP | QUIET | PURE
        return self.generator.ops[item].effect and item.name not in known

    def roots(self, item, stores):
        """The registers of an instruction that control the loop whatever becomes of its result."""
        touches = item.name in LOADS | STORES | ATOMICS
        if not self.generator.ops[item].effect or item.name in PURE and "sp" not in item.opcode:
            return set()
        if not touches or (stores and item.name not in LOADS):
            return set(self.generator.uses(item))
        addresses = [o for o in item.operands if isinstance(o, Address)]
        guard = [item.guard] if item.guard else []
        return {name for operand in addresses + guard for name in registers(operand)}


def is_parameter(item):
    """Does it load a parameter of the kernel, by name?"""
    return item.access is not None and item.access.space == "param"


def reads_clock(item):
    return any(isinstance(o, Name) and o.name.startswith(RUNNING) for o in item.operands)


def reachable(blocks):
    """For each block, which ones lanes may come to from it, as a bit mask."""
    result = [0] * len(blocks)
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            found = 0
            for k in block.successors:
                found |= result[k] | 1 << k
            if found != result[block.index]:
                result[block.index], changed = found, True
    return result
