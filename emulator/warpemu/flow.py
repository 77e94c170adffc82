"""Control and data flow of one inlined function: blocks, liveness, reconvergence, origins."""

import heapq
from dataclasses import dataclass, field

from .errors import EmulatorError
from .lanes import lowest_bit
from .ptx import BYTES, Address, Imm, Instruction, Name, Not, Pair, Reg, Vector

LEAVES = {"ret", "exit", "trap"}
ENDS = LEAVES | {"bra", "brx"}
WAITS = {"bar", "barrier"}
SHARED_START = 1024  # where a block's shared variables begin
PHASE_WAITS = {"test_wait", "try_wait"}  # of mbarriers
WARPGROUP_WAITS = {"fence", "wait_group"}  # of wgmma


def is_wait(item):
    """Does an instruction make lanes wait, so that it ends a block?"""
    if item.name in ("mbarrier", "wgmma"):
        return item.parts[1] in (PHASE_WAITS if item.name == "mbarrier" else WARPGROUP_WAITS)
    return item.name in WAITS


@dataclass
class Block:
    """Instructions that run together; ``last`` decides where the lanes go next."""

    index: int
    items: list
    last: object = None  # the bra, brx, ret, exit, bar instruction, or None: fall through
    targets: list = field(default_factory=list)
    reads: list = field(default_factory=list)  # registers needed from before
    writes: list = field(default_factory=list)  # registers needed after
    live: list = field(default_factory=list)  # registers needed here or anywhere later
    spins: bool = False  # may it be in a loop that waits for another thread?
    ends: bool = True  # does any way lead from here to the end?
    run: object = None  # its code: (state, group, *reads) -> (branch value, writes); see codegen
    source: str = ""  # the text of that code

    @property
    def successors(self):
        """Indices of the blocks that may follow; a conditional branch falls through as well."""
        falls = self.last is None or is_wait(self.last) or self.last.guard is not None
        return self.targets + ([self.index + 1] if falls else [])


def blocks(function):
    """[Block] in the order of the text."""
    result, items, starts = [], [], {}

    def close(last=None):
        nonlocal items
        result.append(Block(len(result), items, last))
        items = []

    for item in function.body:
        if isinstance(item, str):
            if items:
                close()
            starts[item] = len(result)
        elif item.name in ENDS or is_wait(item):
            close(item)
        else:
            items.append(item)
    if items or not result or len(result) in starts.values():
        close()
    if result[-1].last is None or result[-1].successors[-1:] == [len(result)]:
        result.append(Block(len(result), [], Instruction("ret", [])))
    for block in result:
        last = block.last
        if last is None or last.name not in ("bra", "brx"):
            continue
        labels = (
            [last.operands[0].name]
            if last.name == "bra"
            else function.tables[last.operands[1].name]
        )
        for label in labels:
            if label not in starts:
                raise EmulatorError(
                    f"line {last.line}: a branch to {label}, which is not in this function"
                )
        block.targets = [starts[label] for label in labels]
    return result


def loops(blocks, index):
    """Can a lane that leaves block ``index`` come back to it?"""
    seen, todo = set(), list(blocks[index].successors)
    while todo:
        k = todo.pop()
        if k not in seen:
            seen.add(k)
            todo += blocks[k].successors
    return index in seen


def find_ends(blocks):
    """Fill Block.ends: can lanes come from here to the end of the kernel? A call of an assertion
    may end it, too.
    """
    for block in blocks:
        names = {item.name for item in [*block.items, block.last] if item is not None}
        block.ends = bool(names & (LEAVES | {"call", "brkpt"}))
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            if not block.ends and any(blocks[k].ends for k in block.successors):
                block.ends = changed = True


# Registers -----------------------------------------------------------------------------------
def registers(operand):
    """Names of the registers in an operand."""
    if type(operand) is Reg:  # most are, and a pattern takes longer
        return [operand.name]
    match operand:
        case Not(reg):
            return [reg.name]
        case Address(base, _):
            return registers(base)
        case Vector(items):
            return [n for o in items for n in registers(o)]
        case Pair(first, second):
            return registers(first) + registers(second)
    return []


def liveness(blocks, uses, defines):
    """Fill reads and writes. uses, defines: Instruction -> register names."""
    before, made = [], []
    for block in blocks:
        need, have = set(), set()
        for item in block.items + ([block.last] if block.last else []):
            need |= set(uses(item)) - have
            have |= set(defines(item))
        before.append(need)
        made.append(have)
    live = [set(n) for n in before]
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            after = set().union(*(live[s] for s in block.successors))
            now = before[block.index] | (after - made[block.index])
            if now != live[block.index]:
                live[block.index], changed = now, True
    for block in blocks:
        after = set().union(*(live[s] for s in block.successors))
        block.reads = sorted(before[block.index])
        block.writes = sorted(made[block.index] & after)
        block.live = sorted(live[block.index])


# Reconvergence -------------------------------------------------------------------------------
def post_dominators(blocks):
    """For each block, the set of blocks (as a bit mask) on every path to the end; bit n is the
    end.
    """
    n = len(blocks)
    end, full = 1 << n, (1 << (n + 1)) - 1
    sets = [full] * n + [end]
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            common = full
            for s in block.successors or [n]:
                common &= sets[s]
            common |= 1 << block.index
            if common != sets[block.index]:
                sets[block.index], changed = common, True
    return sets


def immediate_post_dominators(blocks):
    """For each block, the first block that lies on every path from it to the end, or None if there
    is none before the end. (Of the block's strict post-dominators it is the one whose own
    post-dominators are all of them.)
    """
    sets = post_dominators(blocks)
    owner = {dominators: index for index, dominators in enumerate(sets[:-1])}
    return [owner.get(sets[index] & ~(1 << index)) for index in range(len(blocks))]


def ranks(blocks):
    """For each block its rank: where lanes are at several blocks, those at the lowest rank run
    first. Each block has a lower rank than its immediate post-dominator, so lanes that part meet
    again there. Otherwise ranks follow the order of the text, in which NVRTC puts nearly all places
    where lanes meet last.
    """
    joins = immediate_post_dominators(blocks)
    waits_for = [0] * len(blocks)  # blocks that have to come before
    for join in joins:
        if join is not None:
            waits_for[join] += 1
    ready = [index for index, count in enumerate(waits_for) if count == 0]  # a heap: ascending
    result = [0] * len(blocks)
    for rank in range(len(blocks)):
        index = heapq.heappop(ready)
        result[index], join = rank, joins[index]
        if join is not None:
            waits_for[join] -= 1
            if waits_for[join] == 0:
                heapq.heappush(ready, join)
    return result


# What a register may point to ------------------------------------------------------------------
def origins(function, parameters, instructions, uses, defines):
    """register -> set of parameter and variable names its value may be an address in, '?' if
    any.
    """
    names = {p.name for p in parameters}
    result = {}

    def plain(operand):
        """Names in an operand, but for those that its registers have."""
        match operand:
            case Name(name, _):
                return {name} if not name.startswith("%") else set()
            case Address(base, _):
                return plain(base)
        return set()

    def of(operand):
        match operand:
            case Name(name, _):
                return {name} if not name.startswith("%") else set()
            case Imm():
                return set()
            case Address(base, _):
                return of(base)
        return set().union(set(), *(result.get(r, set()) for r in registers(operand)))

    steps = []  # (registers, names they have, registers whose names they have)
    for item in instructions:
        if item.name not in ("setp", "st", "bra", "bar", "barrier") and defines(item):
            if item.name == "ld" and not (
                isinstance(item.operands[1], Address)
                and isinstance(item.operands[1].base, Name)
                and item.operands[1].base.name in names
            ):
                any_ = BYTES.get(item.type, 0) >= 8 and item.type[0] != "f"
                value, sources = {"?"} if any_ else set(), []
            elif item.name in ("atom", "shfl"):
                value, sources = {"?"} if item.type in ("b64", "u64", "s64") else set(), []
            else:
                value = set().union(*(plain(o) for o in item.operands[1:]))
                sources = [name for o in item.operands[1:] for name in registers(o)]
            steps.append((defines(item), value, sources))
            for register in defines(item):
                result[register] = set()
    changed = True
    while changed:
        changed = False
        for targets, value, sources in steps:
            for name in sources:
                if name in result and not result[name] <= value:
                    value = value | result[name]
            for register in targets:
                if not value <= result[register]:
                    result[register] |= value
                    changed = True
    return result, of


# Alignment -------------------------------------------------------------------------------------
def of_floats(item):
    """Does an instruction compute with floats?"""
    return any(part in BYTES and "f" in part for part in item.parts)


def alignments(instructions, variables, defines):
    """register -> number of low bits known to be zero (a lower bound, from all its definitions).

    variables: (name, offset, bytes) of shared memory. ptxas puts each where the emulator does, and
    knows it; what it merges does not depend on the alignment that a variable asks for.
    """
    shared = {name: lowest_bit(offset | SHARED_START) for name, offset, _ in variables}
    zeros = {}
    made = {}
    for item in instructions:
        for register in defines(item):
            made.setdefault(register, []).append(item)

    def of(operand):
        match operand:
            case Reg(name):
                return zeros.get(name, 63) if name in made else 0
            case Imm(bits, _):
                return lowest_bit(bits) if bits else 63
            case Name(name, offset):
                return min(shared.get(name, 0), of(Imm(offset)))
        return 0

    def step(item):
        """Low zero bits of what an instruction gives."""
        if "hi" in item.parts:
            return 0
        a = [of(o) for o in item.operands[1:]]
        amount = item.operands[-1].bits if isinstance(item.operands[-1], Imm) else None
        match item.name:
            case "mov" | "cvta":
                return a[0] if isinstance(item.operands[1], (Reg, Imm, Name)) else 0
            case "cvt":
                return a[0]
            case "add" | "sub" | "or" | "xor":
                return min(a)
            case "and":
                return max(a)
            case "mul":
                return min(63, sum(a))
            case "mad":
                return min(a[0] + a[1], a[2])
            case "shl":
                return a[0] if amount is None else min(63, a[0] + amount)
            case "shr":
                return 0 if amount is None else max(0, a[0] - amount)
            case "selp" | "min" | "max":
                return min(a[:2])
        return 0

    for register, items in made.items():
        if any(map(of_floats, items)):
            zeros[register] = 0
    rest = {register: items for register, items in made.items() if register not in zeros}
    changed = True
    while changed:
        changed = False
        for register, items in rest.items():
            value = min(step(instruction) for instruction in items)
            if value < zeros.get(register, 63) or register not in zeros:
                changed = changed or zeros.get(register, 63) != value
                zeros[register] = value
    return zeros
