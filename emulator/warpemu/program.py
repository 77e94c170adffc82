"""compile: PTX -> Program, which places variables, compiles blocks, and launches."""

import gc
import re
import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from . import flow, merge_accesses, ptx, streams
from .codegen import Generator
from .counters import Report
from .errors import EmulatorError
from .launch import Launch
from .loop_exits import Loops
from .memory import PARAMETER, Memory, round_up
from .sanitizer import wgmma_registers

STATIC_SHARED = 48 * 1024  # bytes
POINTER = 8  # bytes


def compile(text: str, entry: str, source_name: str = "", source_text: str = "") -> "Program":
    """The Program of kernel ``entry`` in a PTX text.

    source_name, source_text: of the .cu, for messages.
    """
    collects = gc.isenabled()
    gc.disable()  # of the many objects made here hardly one goes
    try:
        return Program(ptx.parse(text, source_name), entry, source_name, source_text)
    finally:
        if collects:
            gc.enable()


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
        self.place_parameters()
        self.blocks = flow.blocks(function)
        self.generate()

    @property
    def max_threads(self):
        """Most threads a block may have: of __launch_bounds__, or 1024."""
        return self.function.max_threads

    @property
    def parameters(self) -> list[tuple[str, str, int]]:
        """(name, PTX type, bytes) of each parameter."""
        return [
            (n, p.type, p.bytes) for n, p in zip(self.labels, self.function.parameters, strict=True)
        ]

    @property
    def outputs(self) -> list[str]:
        """Names of the parameters, all that have room for a pointer, through which the kernel may
        write.
        """
        own = [
            (n, p)
            for n, p in zip(self.labels, self.function.parameters, strict=True)
            if p.bytes >= POINTER
        ]
        return [n for n, p in own if "?" in self.written or p.name in self.written]

    def rename(self, name: str, parameters: Sequence[str]) -> None:
        """What messages call the kernel and its parameters, one name for each."""
        if len(parameters) != len(self.labels):
            raise EmulatorError(
                f"{self.name} has {len(self.labels)} parameters, and {len(parameters)} names are "
                "given: give one for each"
            )
        self.name, self.labels = name, list(parameters)

    def symbol(self, name: str) -> np.ndarray:
        """Bytes of a __device__ or __constant__ variable: a writable uint8 array."""
        if name not in self.variables:
            raise EmulatorError(
                f"{self.name} has no variable {name!r}; "
                f"it has: {', '.join(self.variables) or 'none'}"
            )
        return self.variables[name]

    # Loading -------------------------------------------------------------------------------------
    def place_globals(self, module):
        """Give the __device__ and __constant__ variables that the kernel uses, or that point to one
        another, memory and an address.
        """
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

    def place_parameters(self):
        """Parameters that are read at an index known at run time need an address, in a space of
        their own (see memory.of_parameter); a launch fills their bytes in.
        """
        self.parameter_bytes, self.first_parameter = {}, len(self.memory.slots) + 1
        named = {
            operand.name
            for item in self.function.body
            if not isinstance(item, str)
            for operand in item.operands
            if isinstance(operand, ptx.Name)
        }
        for parameter, label in zip(self.function.parameters, self.labels, strict=True):
            self.symbols[parameter.name] = 0
            if parameter.name in named:
                data = np.zeros(parameter.bytes, np.uint8)
                self.symbols[parameter.name] = len(self.parameter_bytes) << PARAMETER
                self.parameter_bytes[parameter.name] = data
                self.memory.add(label, data)

    def place_shared(self, module):
        """Static variables first, in the order of the text; the dynamic array, of no size, after
        them.
        """
        variables = [v for v in module.variables.values() if v.space == "shared"]
        variables += [v for v in self.function.variables if v.space == "shared"]
        self.shared_variables, top = [], 0
        for variable in sorted(variables, key=lambda v: v.bytes == 0):
            align = max(variable.align, 16 if variable.bytes == 0 else 1)
            top = round_up(top, align)
            self.symbols[variable.name] = top
            self.shared_variables.append((variable.name, top, variable.bytes))
            top += variable.bytes
        if top > STATIC_SHARED:
            raise EmulatorError(
                f"{self.name} has {top} bytes of static shared memory, and the compiler allows "
                f"{STATIC_SHARED}: declare it `extern __shared__` and give the launch shared_bytes"
            )
        self.shared_bytes = top

    def place_local(self):
        """Give the kernel's local arrays an offset each."""
        top = 0
        for variable in self.function.variables:
            if variable.space == "local":
                top = round_up(top, variable.align)
                self.symbols[variable.name] = top
                top += variable.bytes
        self.local_bytes = top

    def generate(self):
        """Compile the blocks, and find out once what launches ask of the program."""
        generator = Generator(self.function, self.symbols, {v[0] for v in self.shared_variables})
        flow.liveness(self.blocks, generator.uses, generator.defines)
        self.instructions = [item for item in self.function.body if not isinstance(item, str)]
        generator.hooks = wgmma_registers.watch(self.blocks, generator)
        for block in self.blocks:
            generator.compile(block)
        zeros = flow.alignments(self.instructions, self.shared_variables, generator.defines)
        merge_accesses.merge(self.blocks, zeros, self.symbols, generator.defines)
        self.written = self.stored(generator)
        self.shared_grain = self.smallest_shared()
        self.asynchronous = any(lets_go_on(item) for item in self.instructions)
        self.in_clusters = any("cluster" in item.text for item in self.instructions)
        self.shuffles = any(item.name == "shfl" for item in self.instructions)
        self.reserves = any("%reserved_smem" in item.text for item in self.instructions)
        self.blank = {name: dtype.type(0) for name, dtype in generator.dtypes.items()}
        self.generator = generator
        self.drop_unread(generator)
        self.loops = Loops(self.blocks, generator)
        flow.find_ends(self.blocks)
        for block in self.blocks:
            block.spins = self.may_wait(block)
        self.waits = any(block.spins for block in self.blocks)
        self.ranks = flow.ranks(self.blocks)

    def smallest_shared(self):
        """Bytes of the smallest element that shared memory is accessed by, at most 4."""
        touching = (i.access for i in self.instructions if i.access is not None)
        sizes = (a.element for a in touching if a.space in ("shared", "generic"))
        return min(4, *sizes, 4)

    def drop_unread(self, generator):
        """Mark the atomics whose old value nobody reads: they need not return it."""
        read = {name for item in self.instructions for name in generator.uses(item)}
        for item in self.instructions:
            if item.name == "atom" and not read & set(generator.defines(item)):
                item.access = replace(item.access, wanted=False)

    def may_wait(self, block):
        """May lanes wait in this block for another block of the grid? That is so if it lies in a
        loop and reads, by an atomic or a volatile load, what another block may change.
        """
        asks = any(
            item.name == "atom" and item.access.wanted or item.name == "ld" and item.access.strong
            for item in block.items
        )
        return asks and flow.loops(self.blocks, block.index)

    def stored(self, generator):
        """Names of the parameters and variables that stores may reach; '?' if that cannot be
        told.
        """
        _, of = flow.origins(
            self.function,
            self.function.parameters,
            self.instructions,
            generator.uses,
            generator.defines,
        )
        names = set()
        for item in self.instructions:
            if item.name == "cp" and "bulk_group" in item.parts:  # a bulk copy to global memory
                names |= {"?"} if "tensor" in item.parts else of(item.operands[0])
            if item.name == "tensormap":
                names |= of(item.operands[0])
            writes = item.name in ("st", "atom", "red")
            if writes and item.access.space in ("global", "generic"):
                names |= of(next(o for o in item.operands if isinstance(o, ptx.Address)))
        return names

    def line_of(self, number):
        """Line of instruction ``number``."""
        return self.instructions[number].line if number < len(self.instructions) else 0

    def launch(
        self,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        args: Sequence[Any],
        shared_bytes: int = 0,
        trace: bool = False,
        sanitize: bool = True,
        seconds: float | None = None,
        cluster: tuple[int, ...] | None = None,
        keep_going: bool = False,
        perturb: str | None = None,
        key: int = 0,
    ) -> Report:
        """Run the kernel; a Report. See the package's docstring for the arguments.

        It runs in the current stream: see streams.py. A stream that is captured keeps it for its
        graph, and the Report is all zeros.
        """

        def run():
            launch = Launch(
                self,
                grid,
                block,
                args,
                shared_bytes,
                trace,
                sanitize,
                seconds,
                cluster,
                perturb,
                key,
            )
            return launch.run_on() if keep_going else launch.run()

        return streams.issue(self.name, self.uses(args), run) or Report()

    def uses(self, args):
        """The memory that a launch with these arguments may use."""
        anything, parameters = "?" in self.written, self.function.parameters
        return streams.arrays(
            [
                (label, value, anything or parameter.name in self.written)
                for label, value, parameter in zip(self.labels, args, parameters, strict=False)
            ]
        )


def lets_go_on(item):
    """May an instruction make single threads of other warps go on, or copy by itself? Then each
    thread needs a clock of its own (sanitizer/vector_clocks.py).
    """
    words = item.parts
    return (
        item.name in ("mbarrier", "mapa", "wgmma")
        or (item.name == "cp" and ("bulk" in words or "mbarrier" in words))
        or (item.name == "barrier" and "cluster" in words)
    )


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
