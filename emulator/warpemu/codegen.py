"""Each basic block -> one Python function over NumPy values.

    def block_3(state, group, v5, v6):    # registers read from before the block
        t0 = add_12(v5, c2)               # the function that an op's handler gave; a constant
        v7 = t0
        t0 = ld_13(state, group, group.mask, instruction13, v7)  # effects get where they act
        v8 = t0.view(np.int32)
        return p1, (v7, v8,)              # the branch's predicate; registers needed afterwards

``program.blocks[3].source`` is that text. Each register has one dtype for all the program, chosen
by vote of its uses; where an instruction wants the same bits as another type, the code has
``.view``; where it wants fewer, ``.astype``.
"""

import numpy as np

from .errors import EmulatorError
from .flow import is_wait, registers
from .ops import DTYPES, translate
from .ops.barrier import wait_op
from .ptx import BYTES, SINK, Address, Imm, Name, Not, Pair, Reg, Vector


class Generator:
    """Compiles the blocks of a function. symbols: name -> address (int) of variables; shared: names
    of those in shared memory.
    """

    def __init__(self, function, symbols, shared):
        self.function, self.symbols, self.shared = function, symbols, shared
        self.ops = {}
        self.used, self.defined = {}, {}  # instruction -> names; see uses, defines
        self.hooks = {}  # instruction -> an effect before it: sanitizer/wgmma_registers.py
        self.space = {"np": np, "where": choose}
        self.constants = {}
        self.names = {}
        for item in function.body:
            if not isinstance(item, str) and item.name not in ("bra", "ret", "exit", "brx", "trap"):
                self.ops[item] = self.translate(item)
        self.vote()

    def translate(self, item):
        if is_wait(item) and item.name != "wgmma":
            return wait_op(item)
        op = translate(item)
        op.outs = flatten(op.outs)
        op.ins = flatten(op.ins)
        return op

    def vote(self):
        """Choose the dtype of each register: float where most of its uses are."""
        votes = {}
        for op in self.ops.values():
            for operand, type in op.outs + op.ins:
                for name in registers(operand):
                    if type[0] == "f" and type in ("f32", "f64"):
                        votes[name] = votes.get(name, 0) + 1
                    elif type[0] in "su":
                        votes[name] = votes.get(name, 0) - 1
        self.dtypes = {}
        for name, type in self.function.registers.items():
            size = BYTES[type]
            if type == "pred":
                dtype = np.bool_
            elif type in ("f32", "f64") or (votes.get(name, 0) > 0 and size in (4, 8)):
                dtype = np.float32 if size == 4 else np.float64
            elif size == 16:
                raise EmulatorError(
                    f"register {name} has 128 bits, which the emulator does not cover"
                )
            else:
                dtype = DTYPES[f"s{8 * size}"]
            self.dtypes[name] = np.dtype(dtype)

    # What flow.py asks -----------------------------------------------------------------------
    def uses(self, item):
        """Names of the registers that an instruction reads."""
        if item not in self.used:
            op = self.ops.get(item)
            found = [o for o, _ in op.ins] if op else item.operands
            names = [name for operand in found for name in registers(operand)]
            if item.guard:
                names += registers(item.guard) + self.defines(item)
            self.used[item] = names
        return self.used[item]

    def defines(self, item):
        """Names of the registers that an instruction writes."""
        if item not in self.defined:
            op = self.ops.get(item)
            outs = op.outs if op else ()
            self.defined[item] = [name for operand, _ in outs for name in registers(operand)]
        return self.defined[item]

    # Source text -------------------------------------------------------------------------------
    def local(self, register):
        return self.names.setdefault(register, f"v{len(self.names)}")

    def constant(self, value, prefix="c"):
        key = (
            (prefix, id(value))
            if not isinstance(value, np.generic)
            else (value.dtype.str, value.tobytes())
        )
        if key not in self.constants:
            self.constants[key] = f"{prefix}{len(self.constants)}"
            self.space[self.constants[key]] = value
        return self.constants[key]

    def use(self, operand, type, item):
        """The expression of an operand, as type; 'pred or s32': as a predicate if it is one."""
        if type == "pred or s32":
            predicate = isinstance(operand, Reg) and self.dtypes.get(operand.name) == np.bool_
            type = "pred" if predicate else "s32"
        match operand:
            case Not(reg):
                return f"~{self.use(reg, type, item)}"
            case Reg(name):
                if name not in self.dtypes:
                    raise EmulatorError(f"line {item.line}: {name} is not a register ({item.text})")
                return f"{self.local(name)}{recast(self.dtypes[name], np.dtype(DTYPES[type]))}"
            case Imm():
                return self.constant(literal(operand, np.dtype(DTYPES[type])))
            case Name(name, offset):
                if name.startswith("%") or name == "WARP_SZ":
                    have = np.dtype(np.int64 if wide(name) else np.int32)
                    return f"state.special(group, {name!r}){recast(have, np.dtype(DTYPES[type]))}"
                if name not in self.symbols:
                    raise EmulatorError(
                        f"line {item.line}: {name} is not a variable of this PTX ({item.text})"
                    )
                value = self.constant(
                    literal(Imm(self.symbols[name] + offset), np.dtype(DTYPES[type]))
                )
                return f"state.in_window(group, {value})" if name in self.shared else value
            case Address(Name(name, offset), _) if name in self.shared and by_name(item):
                return self.constant(
                    literal(Imm(self.symbols[name] + offset), np.dtype(DTYPES[type]))
                )
            case Address(base, _):
                return self.use(base, type, item)
        raise EmulatorError(f"line {item.line}: cannot read the operand {operand} of {item.text}")

    def statement(self, item):
        """Lines of source for one instruction."""
        op = self.ops[item]
        sources = [self.use(o, t, item) for o, t in op.ins]
        guard = self.use(item.guard, "pred", item) if item.guard else None
        fn = self.constant(op.fn, f"{item.name}_")
        where, before = [], []
        if op.effect or item in self.hooks:
            where = [
                "state",
                "group",
                f"group.active({guard})" if guard else "group.mask",
                self.constant(item, "instruction"),
            ]
        if item in self.hooks:
            before = [f"{self.constant(self.hooks[item], 'hook')}({', '.join(where)})"]
        call = f"{fn}({', '.join((where if op.effect else []) + sources)})"
        if not op.outs:
            return [*before, call]
        fresh = [f"t{k}" for k in range(len(op.outs))]
        lines = [*before, f"{', '.join(fresh)} = {call}"]
        for temporary, (operand, type) in zip(fresh, op.outs, strict=True):
            if operand == SINK:
                continue
            name = operand.name
            have, want = np.dtype(DTYPES[type]), self.dtypes[name]
            value = f"{temporary}{recast(have, want)}"
            if guard:
                value = f"where({guard}, {value}, {self.local(name)})"
            lines.append(f"{self.local(name)} = {value}")
        return lines

    def compile(self, block):
        """Set block.run: (state, group, *reads) -> (branch value, writes)."""
        lines = []
        for item in block.items:
            lines += self.statement(item)
        branch = "None"
        last = block.last
        if last is not None and last.guard is not None and not is_wait(last):
            branch = self.use(last.guard, "pred", last)
        elif last is not None and last.name == "brx":
            branch = self.use(last.operands[0], "u32", last)
        elif last is not None and is_wait(last):
            uses = self.ops[last].ins + ([(last.guard, "pred")] if last.guard else [])
            branch = "(" + "".join(self.use(o, t, last) + ", " for o, t in uses) + ")"
            block.writes = [r for r in block.writes if r not in self.defines(last)]
        writes = "".join(self.local(r) + ", " for r in block.writes)
        arguments = "".join(", " + self.local(r) for r in block.reads)
        name = f"block_{block.index}"
        text = "\n    ".join(
            [f"def {name}(state, group{arguments}):", *lines, f"return {branch}, ({writes})"]
        )

        def first_run(*values):
            """Python reads the text when the block runs for the first time: many never do."""
            exec(compile(text, f"<{self.function.name} {name}>", "exec"), self.space)
            block.run = self.space[name]
            return block.run(*values)

        block.run, block.source = first_run, text


def flatten(operands):
    """Vectors and pairs taken apart."""
    result = []
    for operand, type in operands:
        if isinstance(operand, Vector):
            result += flatten([(o, type) for o in operand.items])
        elif isinstance(operand, Pair):
            result += flatten([(operand.first, type), (operand.second, "pred")])
        else:
            result.append((operand, type))
    return result


def choose(guard, new, old):
    """new where guard holds, else old."""
    if np.ndim(guard) == 0:
        return new if guard else old
    return np.where(guard, new, old)


def by_name(item):
    """May it get a variable's offset in place of its address? See clusters.own_offsets."""
    return item.name in ("ld", "st") and "shared_cluster" not in item.parts


def wide(name):
    return name in ("%clock64", "%globaltimer", "%gridid")


def recast(have, want):
    """Source text that turns a value of dtype have into want: the same bits, cut or extended."""
    if have == want:
        return ""
    if have.itemsize == want.itemsize:
        return f".view(np.{want.name})"
    if have.kind == "f":
        return f".view(np.int{8 * have.itemsize}).astype(np.{integer(want)}){view(want)}"
    return f".astype(np.{integer(want)}){view(want)}"


def integer(dtype):
    return dtype.name if dtype.kind in "iub" else f"int{8 * dtype.itemsize}"


def view(dtype):
    return "" if dtype.kind in "iub" else f".view(np.{dtype.name})"


def literal(operand, dtype):
    """NumPy scalar of an Imm."""
    if dtype == np.bool_:
        return np.bool_(operand.bits != 0)
    if operand.width and dtype.kind == "f":
        value = np.array(operand.bits, f"u{operand.width}").view(f"f{operand.width}")
        return value.astype(dtype)[()]
    bits = operand.bits & (256**dtype.itemsize - 1)
    return np.frombuffer(bits.to_bytes(dtype.itemsize, "little"), dtype)[0]
