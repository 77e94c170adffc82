"""Which registers decide how lanes go on in a loop, whatever the others do.

``for (i = 0; flag == 0; i++);`` counts for ever, so its registers are never as they were; but where
its lanes go hangs on ``flag`` alone. A loop is here all blocks of PTX that lead to one another. A
register decides if it is used by a branch, a barrier, a warp operation or an address, or by what
makes a register that decides.
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
class Deciding:
    """Of one loop. names: the registers that decide, in order; asks: does what is in memory decide
    as well; alone: can no other lane change how its lanes go on?
    """

    names: list
    asks: bool
    alone: bool


class Loops:
    """The loops of a program, worked out when somebody asks. blocks: flow.Block; generator:
    codegen.Generator.
    """

    def __init__(self, blocks, generator):
        self.blocks, self.generator = blocks, generator
        self.found, self.reach, self.lists = {}, None, {}

    def deciding(self, index, stores=False):
        """The Deciding of the loop that block ``index`` is in, None if it is in none. stores: do
        values that are stored decide?
        """
        if (index, stores) not in self.found:  # one for all blocks of the loop
            members = self.members(index)
            made = self.work_out([self.blocks[k] for k in members], stores) if members else None
            self.found |= {(k, stores): made for k in members or [index]}
        return self.found[index, stores]

    def names(self, index, stores):
        """The registers at block ``index`` on which it hangs where its lanes go."""
        deciding, live = self.deciding(index, stores), self.blocks[index].live
        if deciding is None:
            return live
        if (index, stores) not in self.lists:
            names = set(deciding.names)
            self.lists[index, stores] = [name for name in live if name in names]
        return self.lists[index, stores]

    def members(self, index):
        """Indices of the blocks of its loop, ascending; none if it is in none."""
        if self.reach is None:
            self.reach = reachable(self.blocks)
        mine = self.reach[index]
        return [k for k in range(len(self.blocks)) if mine >> k & 1 and self.reach[k] >> index & 1]

    def work_out(self, members, stores):
        wanted, asks, alone, opaque = set(), False, True, False
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
                    opaque = opaque or reads_clock(item)
        if opaque:
            return Deciding(sorted(set().union(*(b.live for b in members))), True, False)
        if asks and not stores:
            return self.work_out(members, True)
        return Deciding(sorted(wanted), asks, alone and not asks)

    def is_opaque(self, item):
        """Does it do what is not followed here?"""
        known = LOADS | STORES | ATOMICS | BY_WARP | QUIET | PURE
        return self.generator.ops[item].effect and item.name not in known

    def roots(self, item, stores):
        """Registers of an instruction that decide, whatever becomes of its result."""
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
