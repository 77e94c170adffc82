"""Load one Triton kernel, compile it without a GPU, and launch it: on one, or in the emulator.

Triton is an optional extra of the project; without it a kernel is left out, and says so.
"""

import ast
import linecache
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np

from warpbook.launch import header, observers, source
from warpbook.launch.backend import GPU, cp
from warpbook.launch.kernel import Extent, runs_here
from warpbook.launch.observers import Launched, NotRun

VERSION = "3.6.0"  # that the book's pages were recorded with
TYPES = {  # of Triton: those that an array may have here
    "fp32": ("float32",),
    "fp16": ("float16", "uint16"),
    "bf16": ("uint16",),
    "i32": ("int32",),
}
PROMISED = 16  # what Triton may be promised that a number is a multiple of
WITHOUT_OPT_IN = 48 * 1024


def triton_kernel(
    variant: str,
    multiples: Sequence[str] = (),
    arch: int | None = None,
    warps: int = 4,
    stages: int = 3,
    **constants: Any,
) -> "TritonKernel":
    """Compile the Triton kernel in ``kernels/<variant>.py`` and return it as a TritonKernel.

    variant: 'topic/triton_idea'. multiples: the integer arguments that the compiler may take for
    multiples of 16; a launch refuses one that is not. (Triton's own launcher makes this promise by
    itself, for each launch, where it holds. That arrays begin at a multiple of 16 bytes is promised
    always.)
    arch: what to compile for, such as 80 or 90; by default this GPU, or else 90. warps: of a
    program, which is what CUDA calls a block. stages: of a loop's pipeline. constants: values for
    the names in capitals; TYPE is the type of the elements where the file leaves it open.
    It needs the extra: pip install 'warpbook[triton]', on Linux. Without Triton a sentence says so,
    a launch gives a NotRun, and every count is NaN.
    Raises LookupError for an unknown variant or constant.
    """
    return TritonKernel(variant, tuple(multiples), arch, warps, stages, constants)


def missing() -> str:
    """Say what is missing to compile with Triton, '' where nothing is."""
    try:
        metadata.version("triton")
    except metadata.PackageNotFoundError:
        return (
            "Triton is not installed here, so its kernels are left out: "
            f"pip install triton=={VERSION} (on Linux)."
        )
    return ""


class TritonKernel:
    """One compiled Triton kernel. Call it as ``kernel(grid, *args)``, or ``kernel.run(*args)``.

    block: the threads of a program, (128,). shared_bytes: of a program. ptx: the text. cubin: the
    machine code (bytes). layouts: how the compiler spreads tiles over threads and over shared
    memory, {'#blocked': '#ttg.blocked<{sizePerThread = [4], ...}>'}, in the words of its
    intermediate code, ``ttgir``.
    """

    def __init__(self, variant, multiples, arch, warps, stages, constants):
        self.path = source.KERNELS / f"{variant}.py"
        if not self.path.is_file():
            there = sorted(source.KERNELS.glob("*/triton_*.py"))
            names = ", ".join(f"{path.parent.name}/{path.stem}" for path in there)
            raise LookupError(f"there is no Triton kernel '{variant}'. There are: {names}.")
        self.variant, self.multiples, self.defines = variant, multiples, dict(constants)
        text = self.path.read_text(encoding="utf-8")
        self.header = header.read(re.sub(r"^#", "//", text, flags=re.M))
        self.name, self.parameters, known = _signature(text)
        for name in constants.keys() - known.keys() - {"TYPE"}:
            raise LookupError(f"{variant} has no constant '{name}'. It has: {', '.join(known)}.")
        for name in set(multiples) - {p for p, kind in self.parameters.items() if kind[0] != "*"}:
            raise LookupError(f"{variant} has no integer argument '{name}' to be a multiple.")
        self.constants = known | {k: v for k, v in constants.items() if k != "TYPE"}
        kind = str(constants.get("TYPE", "fp16"))
        self.parameters = {p: t.replace("TYPE", kind) for p, t in self.parameters.items()}
        self.block, self.stages = (32 * warps,), stages
        self.arch = arch or (int(cp.cuda.Device().compute_capability) if GPU else 90)
        self.missing = missing()
        self.code = {}  # {stage of the compiler: what it gave}
        self.shared_bytes, self.scratch_bytes = 0, 0
        self._opened = None  # on a GPU: the function, and the scratch memory
        if self.missing:
            _say(self.missing)
        else:
            self._compile(_source(self))

    def _compile(self, given):
        """Let Triton compile from a source, or from a file of intermediate code on."""
        triton, target = import_module("triton"), import_module("triton.backends.compiler")
        compiled = triton.compile(
            given,
            target=target.GPUTarget("cuda", self.arch, 32),
            options={"num_warps": self.block[0] // 32, "num_stages": self.stages},
        )
        self.code = dict(compiled.asm)
        self.shared_bytes = compiled.metadata.shared
        self.scratch_bytes = compiled.metadata.global_scratch_size

    def edited(self, stage: str, edit: Callable[[str], str]) -> "TritonKernel":
        """Return the same kernel, compiled on from a changed stage of the compiler's work.

        stage: 'ttgir', where the layouts stand, or 'ptx'. edit: takes the stage's text and returns
        the changed one. Raises ValueError where the edit changes nothing.
        """
        other = object.__new__(TritonKernel)
        vars(other).update(vars(self), _opened=None)
        for name in ("program", "cubin", "machine"):
            vars(other).pop(name, None)
        if self.missing:
            return other
        text = edit(self.code[stage])
        if text == self.code[stage]:
            raise ValueError(f"{self.variant}: the edit leaves the {stage} as it is.")
        if stage == "ptx":
            other.code = {**self.code, "ptx": text}
            other.code.pop("cubin", None)
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"{self.name}.{stage}"
                path.write_text(text, encoding="utf-8")
                other._compile(str(path))
                other.code = {**other.code, stage: text}
        return other

    def __repr__(self) -> str:
        given = "".join(f" {name}={value}" for name, value in self.defines.items())
        return f"<Triton kernel {self.variant}{given} for {self.architecture}>"

    @property
    def architecture(self) -> str:
        """Return what the PTX is for, such as 'sm_80' or 'sm_90a'."""
        return f"sm_{self.arch}a" if self.arch >= 90 else f"sm_{self.arch}"

    @property
    def ptx(self) -> str:
        """Return the PTX, without the debugger's tables; no text without Triton."""
        return self.code.get("ptx", "").partition("\t.section")[0]

    @cached_property
    def cubin(self) -> bytes:
        """Return the machine code for this GPU, or else for ``arch``; nothing without Triton.

        Triton's own ptxas makes it. PTX of an older architecture, such as sm_80, is PTX for every
        newer GPU, too, except where the architecture ends in a letter.
        """
        if self.missing:
            return b""
        if "cubin" in self.code and self.machine == self.architecture:
            return self.code["cubin"]
        ptxas = import_module("triton").knobs.nvidia.ptxas.path
        with tempfile.TemporaryDirectory() as folder:
            made, text = Path(folder) / "kernel.cubin", Path(folder) / "kernel.ptx"
            text.write_text(self.code["ptx"], encoding="utf-8")
            subprocess.run(
                [ptxas, f"--gpu-name={self.machine}", str(text), "-o", str(made)],
                check=True,
                capture_output=True,
                encoding="utf-8",
            )
            return made.read_bytes()

    @cached_property
    def machine(self) -> str:
        """What the machine code is for: this GPU where it can run the PTX, else ``arch``'s."""
        if GPU and self.arch < 90 and runs_here(self.architecture):
            return f"sm_{cp.cuda.Device().compute_capability}"
        return self.architecture

    @property
    def layouts(self) -> dict[str, str]:
        """Return the layouts that the intermediate code names, by their names; {} without it."""
        return dict(re.findall(r"^(#\w+) = (#ttg\..*?)$", self.code.get("ttgir", ""), re.M))

    def count(self, opcode: str) -> float:
        """How many PTX instructions begin with an opcode, as written; NaN without Triton.

        'ld.global' counts each once, however often it is executed; a guard does not count.
        """
        if self.missing:
            return float("nan")
        guard = r"(?:@!?%p\d+ )?"
        return len(re.findall(rf"^\s*{guard}{re.escape(opcode)}", self.ptx, re.M))

    @cached_property
    def program(self) -> Any:
        """What the emulator makes of the PTX; its ``launch`` is the emulator's own."""
        import warpemu

        return warpemu.compile(
            self.ptx, self.name, self.path.name, self.path.read_text(encoding="utf-8")
        )

    def run(self, *args: object) -> Any:
        """Launch as the file's 'Launch:' line says, and return the last of the arrays.

        args: one array for each pointer, contiguous, of its type (bf16 as uint16); one number for
        each integer. The last array is the one that the kernel writes.
        """
        for argument in args:
            if isinstance(argument, NotRun):
                return argument
        done = self(self.grid(*args), *args)
        return done or [value for value in args if isinstance(value, cp.ndarray)][-1]

    def grid(self, *args: object) -> tuple[int, ...]:
        """Return the grid that the file's 'Launch:' line gives for these arguments."""
        self._count(args)
        named = zip(self.parameters, args, strict=True)
        numbers = {n: int(v) for n, v in named if not isinstance(v, cp.ndarray)}  # type: ignore
        return header.evaluate(self.header.formula("grid"), {**self.constants, **numbers})

    def __call__(self, grid: Extent, *args: object) -> NotRun | None:
        """Launch on ``grid`` programs. Returns None, or a NotRun where it cannot run here.

        Raises ValueError or TypeError that says what to change; nothing is launched then.
        """
        if self.missing:
            return self._left_out(self.missing)
        if GPU and not (runs_here(self.architecture)):
            here = cp.cuda.Device().compute_capability
            return self._left_out(
                f"{self.name} for {self.architecture} is left out: this GPU is sm_{here}."
            )
        values = self.convert(args)
        if not GPU:
            observers.tell(self._emulated(grid, values, observers.is_observed(), True))
            return None
        self._on_gpu(_extent(grid), values)
        observers.tell(Launched(""))
        return None

    def _left_out(self, why):
        _say(why)
        if GPU:
            observers.tell(NotRun(why))
        return NotRun(why)

    def trace(self, *args: object, sanitize: bool = True) -> "Counts":
        """Run one launch in the emulator, on copies of the arrays; return what it counted.

        The counts have the names of a Trace. It works with and without a GPU. sanitize=False leaves
        out the search for races and for what is read before it is written; an access out of bounds
        is refused in any case. Raises the emulator's Finding. Without Triton every count is NaN.
        """
        if self.missing:
            return Counts(None)
        values = [
            (cp.asnumpy(v) if GPU else v).copy() if isinstance(v, cp.ndarray) else v
            for v in self.convert(args)
        ]
        return Counts(self._emulated(self.grid(*args), values, True, sanitize))

    def _emulated(self, grid, values, trace, sanitize):
        extra = len(self.program.parameters) - len(values)
        programs = int(np.prod(_extent(grid), dtype=np.int64))
        scratch = np.zeros(max(1, self.scratch_bytes * programs), np.uint8)
        pointers = [scratch if self.scratch_bytes else np.uint64(0), np.uint64(0)][:extra]
        return self.program.launch(
            _extent(grid),
            self.block,
            [*values, *pointers],
            shared_bytes=self.shared_bytes,
            trace=trace,
            sanitize=sanitize,
        )

    def _on_gpu(self, grid, values):
        if self._opened is None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / f"{self.name}.cubin"  # CuPy keeps modules by their path
                path.write_bytes(self.cubin)
                function = cp.RawModule(path=str(path)).get_function(self.name)
                function.kernel  # noqa: B018  (loads the module while the file is there)
            if self.shared_bytes > WITHOUT_OPT_IN:
                function.max_dynamic_shared_size_bytes = self.shared_bytes
            self._opened = [function, cp.empty(0, cp.uint8)]
        function, scratch = self._opened
        needed = self.scratch_bytes * int(np.prod(grid, dtype=np.int64))
        if scratch.size < needed:
            self._opened[1] = scratch = cp.empty(needed, cp.uint8)
        extra = len(re.findall(r"\.param ", self.ptx.partition(")\n")[0])) - len(values)
        pointers = (scratch if needed else np.uint64(0), np.uint64(0))[:extra]
        function(grid, self.block, (*values, *pointers), shared_mem=self.shared_bytes)

    def convert(self, args: Sequence) -> list:
        """Check the arguments against the declared ones; return what the launch passes."""
        self._count(args)
        return [self._value(*item) for item in zip(self.parameters.items(), args, strict=True)]

    def _count(self, args):
        if len(args) != len(self.parameters):
            names = ", ".join(self.parameters)
            raise TypeError(f"{self.name} takes ({names}); it was given {len(args)} arguments.")

    def _value(self, parameter, value):
        name, kind = parameter
        if kind.startswith("*"):
            allowed = TYPES[kind[1:]]
            if not isinstance(value, cp.ndarray) or value.dtype.name not in allowed:
                raise TypeError(f"{self.name}: {name} is to be an array of {' or '.join(allowed)}.")
            address = value.data.ptr if GPU else value.ctypes.data
            if not value.flags.c_contiguous or value.size and address % value.itemsize:
                raise ValueError(f"{self.name}: {name} is to be contiguous.")
            return value
        if name in self.multiples and int(value) % PROMISED:
            raise ValueError(
                f"{self.name}: the compiler was promised that {name} is a multiple of {PROMISED}; "
                f"{value} is not. Leave it out of `multiples`."
            )
        return np.int32(value)


class Counts:
    """What the emulator counted of one launch, by the names of a Trace; NaN without Triton."""

    def __init__(self, report):
        self._report = report

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return float("nan") if self._report is None else getattr(self._report, name)

    def executed(self, *opcodes: str) -> float:
        """How many PTX instructions warps executed whose opcodes begin so: 'bar.sync', 'shfl'."""
        if self._report is None:
            return float("nan")
        found = self._report.opcodes.items()
        return sum(count for opcode, count in found if opcode.startswith(opcodes))


def _signature(text):
    """Read a file's one kernel: its name, {argument: Triton's type}, {constant: its default}."""
    found = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    kernel = found[-1]
    defaults = [None] * len(kernel.args.args)
    defaults[len(defaults) - len(kernel.args.defaults) :] = kernel.args.defaults
    types, constants = {}, {}
    for argument, default in zip(kernel.args.args, defaults, strict=True):
        if isinstance(argument.annotation, ast.Constant):
            types[argument.arg] = argument.annotation.value
        else:
            constants[argument.arg] = ast.literal_eval(default)
    return kernel.name, types, constants


def _source(kernel):
    """What Triton's compiler takes for a kernel."""
    compiler = import_module("triton.compiler")
    function = _function(kernel.path, kernel.name)
    signature = {**kernel.parameters, **dict.fromkeys(kernel.constants, "constexpr")}
    promised = [
        at
        for at, (name, kind) in enumerate(kernel.parameters.items())
        if kind.startswith("*") or name in kernel.multiples
    ]
    attributes = {(at,): [["tt.divisibility", PROMISED]] for at in promised}
    return compiler.ASTSource(function, signature, kernel.constants, attributes)


def _function(path, name):
    """Execute a kernel's file, which leaves no compiled file behind, and return its function."""
    linecache.checkcache(str(path))
    names = {"__name__": f"warpbook_kernel_{path.stem}", "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return names[name]


def _extent(grid):
    return tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)


@cache  # once, however many kernels say it
def _say(sentence):
    print(sentence)
