"""compile: PTX -> Program; Program.launch: run it over a grid."""

import re
import struct
import sys
import time

import numpy as np

from . import flow, ptx
from .codegen import Generator
from .counters import Report, Tally
from .errors import EmulatorError, Finding
from .memory import Memory
from .sanitizer import Checker
from .scheduler import STEPS, State

CHUNK = 8192  # lanes that run together: their registers fit a core's L2 cache
TOGETHER = 1 << 18  # lanes, where blocks may wait for one another


def compile(text, entry, source_name="", source_text=""):
    """The Program of kernel ``entry`` in a PTX text. source_name, source_text: of the .cu, for messages."""
    return Program(ptx.parse(text), entry, source_name, source_text)


class Program:
    """A kernel ready to launch. See the package's docstring for the public fields."""

    def __init__(self, module, entry, source_name, source_text):
        self.name, self.source_name = entry, source_name
        self.function = function = ptx.inline(module, entry)
        self.memory = Memory()
        self.symbols, self.variables = {}, {}
        self.place_globals(module)
        self.place_shared(module)
        self.place_local()
        names = parameter_names(source_text, entry)
        self.labels = [
            names[k] if k < len(names) else p.name for k, p in enumerate(function.parameters)
        ]
        self.symbols |= {p.name: None for p in function.parameters}
        self.blocks = flow.blocks(function)
        self.generate()

    @property
    def max_threads(self):
        """Most threads a block may have: of __launch_bounds__, or 1024."""
        return self.function.max_threads

    @property
    def parameters(self):
        return [(n, p.type, p.bytes) for n, p in zip(self.labels, self.function.parameters)]

    def symbol(self, name):
        """Bytes of a __device__ or __constant__ variable: a writable uint8 array."""
        if name not in self.variables:
            raise EmulatorError(
                f"{self.name} has no variable {name!r}; it has: {', '.join(self.variables) or 'none'}"
            )
        return self.variables[name]

    # Loading -------------------------------------------------------------------------------------
    def place_globals(self, module):
        used = set()
        for item in self.function.body:
            if not isinstance(item, str):
                used |= set(re.findall(r"[\w$]+", item.text))
        todo = [
            v
            for v in module.variables.values()
            if v.space in ("global", "const") and v.name in used
        ]
        chosen = {}
        while todo:
            variable = todo.pop()
            if variable.name not in chosen:
                chosen[variable.name] = variable
                todo += [module.variables[n] for _, n in variable.links if n in module.variables]
        for variable in chosen.values():
            data = np.zeros(max(variable.bytes, 1), np.uint8)
            data[: len(variable.data)] = np.frombuffer(variable.data, np.uint8)
            self.variables[variable.name] = data
            self.symbols[variable.name] = self.memory.add(variable.name, data)
        for variable in chosen.values():
            for offset, name in variable.links:
                self.variables[variable.name][offset : offset + 8] = np.frombuffer(
                    struct.pack("<Q", self.symbols.get(name, 0)), np.uint8
                )

    def place_shared(self, module):
        """Static variables first, in the order of the text; the dynamic array, of no size, after them."""
        variables = [v for v in module.variables.values() if v.space == "shared"]
        variables += [v for v in self.function.variables if v.space == "shared"]
        self.shared_variables, top = [], 0
        for variable in sorted(variables, key=lambda v: v.bytes == 0):
            align = max(variable.align, 16 if variable.bytes == 0 else 1)
            top = -(-top // align) * align
            self.symbols[variable.name] = top
            self.shared_variables.append((variable.name, top, variable.bytes))
            top += variable.bytes
        self.shared_bytes = top

    def place_local(self):
        top = 0
        for variable in self.function.variables:
            if variable.space == "local":
                top = -(-top // variable.align) * variable.align
                self.symbols[variable.name] = top
                top += variable.bytes
        self.local_bytes = top

    def generate(self):
        generator = Generator(self.function, self.symbols)
        flow.liveness(self.blocks, generator.uses, generator.defines)
        self.instructions = [i for i in self.function.body if not isinstance(i, str)]
        for block in self.blocks:
            generator.compile(block)
        zeros = flow.alignments(
            self.function, self.instructions, self.shared_variables, generator.defines
        )
        flow.merge_loads(self.blocks, zeros, self.symbols, generator.defines)
        self.written = self.stored(generator)
        small = [
            i.bytes // i.count
            for i in self.instructions
            if getattr(i, "space", "") in ("shared", "generic")
        ]
        self.shared_grain = min([4, *small])
        self.blank = {name: dtype.type(0) for name, dtype in generator.dtypes.items()}
        self.generator = generator
        self.drop_unread(generator)
        for block in self.blocks:
            block.spins = self.may_wait(block)
        self.waits = any(block.spins for block in self.blocks)
        self.notes = [
            f"lanes that part at line {self.line(a)} may meet later than they could, after line "
            f"{self.line(b)}"
            for a, b in flow.misplaced(self.blocks)
        ]

    def drop_unread(self, generator):
        """Atomics whose old value nobody reads need not keep it."""
        read = {name for i in self.instructions for name in generator.uses(i)}
        for i in self.instructions:
            if i.name == "atom" and not read & set(generator.defines(i)):
                i.wanted = False

    def may_wait(self, block):
        """Is it in a loop, with a load or an atomic whose value another block may change?"""
        return any(
            i.name == "atom" and i.wanted or i.name == "ld" and i.strong for i in block.items
        ) and flow.loops(self.blocks, block.index)

    def stored(self, generator):
        """Names of the parameters and variables that stores may reach; '?' if that cannot be told."""
        _, of = flow.origins(
            self.function,
            self.function.parameters,
            self.instructions,
            generator.uses,
            generator.defines,
        )
        names = set()
        for i in self.instructions:
            if i.name in ("st", "atom", "red") and getattr(i, "space", "") in ("global", "generic"):
                names |= of(next(o for o in i.operands if isinstance(o, ptx.Address)))
        return names

    def line(self, index):
        block = self.blocks[index]
        items = block.items + ([block.last] if block.last else [])
        return items[-1].line if items else 0

    def launch(self, grid, block, args, shared_bytes=0, trace=False, sanitize=True):
        """Run the kernel; a Report. See the package's docstring for the arguments."""
        return Launch(self, grid, block, args, shared_bytes, trace, sanitize).run()


def parameter_names(text, entry):
    """Names of the parameters in the .cu, as far as they can be told."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    match = re.search(rf"\b{re.escape(entry)}\s*\(([^)]*)\)\s*\{{", text)
    if not match:
        return []
    return [
        re.findall(r"\w+", part)[-1]
        for part in match.group(1).split(",")
        if re.findall(r"\w+", part)
    ]


class Launch:
    """One launch: arguments in place, chunks of blocks in turn, findings gathered."""

    def __init__(self, program, grid, block, args, shared_bytes, trace, sanitize):
        self.program = program
        self.grid, self.block = triple(grid, "grid"), triple(block, "block")
        self.threads, self.count = int(np.prod(self.block)), int(np.prod(self.grid, dtype=np.int64))
        if self.threads > program.max_threads:
            raise EmulatorError(
                f"block {block} has {self.threads} threads; a block of {program.name} may have "
                f"at most {program.max_threads}"
            )
        self.dynamic_bytes = int(shared_bytes)
        self.shared_bytes = program.shared_bytes + self.dynamic_bytes
        if self.dynamic_bytes:
            self.shared_bytes = -(-program.shared_bytes // 16) * 16 + self.dynamic_bytes
        self.memory = Memory()
        self.memory.slots.update(program.memory.slots)
        self.memory.known.update(program.memory.known)
        self.kept, self.total, self.steps, self.step_limit = {}, {}, 0, STEPS
        self.printed = []
        self.parameters = self.place(args)
        self.workspace = self.grid_workspace()
        self.tally = Tally(program) if trace else None
        self.checker = Checker(self) if sanitize else None

    def place(self, args):
        """{parameter: its bytes}."""
        wanted = self.program.function.parameters
        if len(args) != len(wanted):
            raise EmulatorError(
                f"{self.program.name} takes {len(wanted)} arguments, given {len(args)}: "
                f"({', '.join(self.program.labels)})"
            )
        return {
            p.name: self.bytes_of(a, p, label)
            for a, p, label in zip(args, wanted, self.program.labels)
        }

    def grid_workspace(self):
        """Where cooperative groups keep the barrier of the grid: %envreg1 and 2 hold its address."""
        if not any("%envreg" in i.text for i in self.program.instructions):
            return ()
        address = self.memory.add("workspace of the grid", np.zeros(64, np.uint8))
        return np.int32(address >> 32), np.uint32(address & 0xFFFFFFFF).view(np.int32)

    def bytes_of(self, value, parameter, label):
        """The parameter's bytes, cut or padded with zeros, as a launch on a GPU does."""
        if isinstance(value, np.ndarray):
            raw = struct.pack("<Q", self.memory.add(label, value))
        elif isinstance(value, np.generic):
            raw = value.tobytes()
        elif isinstance(value, (bytes, bytearray)):
            raw = bytes(value)
        else:
            raise EmulatorError(
                f"argument {label}: expected a NumPy array or scalar, given {type(value).__name__}"
            )
        return raw[: parameter.bytes].ljust(parameter.bytes, b"\0")

    def run(self):
        per_chunk = max(1, (TOGETHER if self.program.waits else CHUNK) // self.threads)
        progress = Progress(self.program.name, self.count)
        with np.errstate(all="ignore"):
            for start in range(0, self.count, per_chunk):
                state = State(self, np.arange(start, min(self.count, start + per_chunk)))
                try:
                    state.run()
                finally:
                    self.flush()
                self.steps += state.steps
                progress.show(start + len(state.numbers))
        progress.close()
        if self.kept:
            raise self.first_finding()
        report = self.tally.report() if self.tally else Report()
        return report

    # Output ------------------------------------------------------------------------------------
    def print(self, text):
        self.printed.append(text)

    def flush(self):
        if self.printed:
            sys.stdout.write("".join(self.printed))
            self.printed.clear()

    # Findings ----------------------------------------------------------------------------------
    def finding(self, kind, i, block, thread, address, array, detail=None):
        """A Finding with its sentence."""
        name, index, *_ = array.describe(int(address)) if array is not None else (None, None)
        if detail is None:
            detail = access(self, i, kind, address, array)
        where = f"{self.program.name}, line {i.line} of {self.program.source_name or 'the .cu'}"
        message = f"{where}, block {block}, thread {thread}: {detail} [{kind}]"
        return Finding(
            kind,
            message,
            i.line,
            block,
            thread,
            None if address is None else int(address),
            name,
            index,
        )

    def keep(self, finding, count=1):
        """A finding that does not stop the launch: the first of its kind in full, the rest counted."""
        self.kept.setdefault(finding.kind, finding)
        self.total[finding.kind] = self.total.get(finding.kind, 0) + count

    def found(self):
        return dict(self.total)

    def first_finding(self):
        finding = next(iter(self.kept.values()))
        finding.counts = self.found()
        return finding


def access(launch, i, kind, address, array):
    """The sentence for a bad access."""
    verb = {"ld": "reads", "st": "writes", "atom": "updates", "red": "updates"}.get(
        i.name, "accesses"
    )
    size = f"{i.bytes} byte{'s' if i.bytes > 1 else ''}"
    space = kind.split()[0]
    if "misaligned" in kind:
        at = f"{space} address {int(address):#x}"
        if array is not None:
            name, index, _, dtype = array.describe(int(address))
            at += f" (in {name}[{index}], {dtype})"
        return f"{verb} {size} at {at}, which is not a multiple of {i.bytes} bytes"
    if space == "shared":
        return f"{verb} {size} at offset {int(address)} of shared memory, of which the block has {launch.shared_bytes}"
    if space == "local":
        return (
            f"{verb} {size} at offset {int(address)} of its local memory, which has "
            f"{launch.program.local_bytes}: an index into a local array is out of range"
        )
    if array is None:
        return f"{verb} {size} at address {int(address):#x}, where no array is (a null or wild pointer)"
    name, index, elements, dtype = array.describe(int(address))
    return f"{verb} {size} at {name}[{index}], but {name} has {elements} elements of {dtype}"


def triple(shape, name):
    shape = tuple(int(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))
    if not 1 <= len(shape) <= 3 or min(shape) < 1:
        raise EmulatorError(f"{name} must be one to three positive integers, given {shape}")
    return shape + (1,) * (3 - len(shape))


class Progress:
    """A line on stderr for launches that take more than a few seconds."""

    def __init__(self, name, total):
        self.name, self.total, self.start, self.shown = name, total, time.monotonic(), False

    def show(self, done):
        elapsed = time.monotonic() - self.start
        if elapsed > 3 and done < self.total:
            self.shown = True
            left = elapsed * (self.total - done) / done
            sys.stderr.write(
                f"\r{self.name}: {done} of {self.total} blocks, about {left:.0f} s left "
            )
            sys.stderr.flush()

    def close(self):
        if self.shown:
            sys.stderr.write("\n")
