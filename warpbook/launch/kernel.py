"""Load one .cu file as one kernel, and launch it with every argument checked first."""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from warpbook.launch import arguments, header, observers, on_gpu, source
from warpbook.launch.backend import GPU, cp
from warpbook.launch.observers import NotRun, observed  # noqa: F401  (observed: for others)
from warpbook.profiles import BLOCK_LIMIT, GRID_LIMIT, SHARED_WITHOUT_OPT_IN
from warpemu import nvrtc

Extent = int | tuple[int, ...]  # of a grid or a block
SHARED = "shared_bytes"
PROGRAMS = 32  # that are kept
REMEMBERED = 256  # launches of one kernel that need no second check
WIDEST = 32  # bytes of the widest vector, double4: no address is asked to be a multiple of more

# The emulator's, by (file name, text, options); a large one has 10 MB
_programs: dict[tuple, Any] = {}


def load(variant: str, **defines: object) -> "Kernel":
    """Compile ``kernels/<variant>.cu`` and return it as a Kernel.

    variant: 'topic/NN_idea'. defines: values for the names that the file lets you set, as -D.
    Raises LookupError for an unknown variant or define (listing those there are) and
    CompileError with the compiler's log, whose line numbers are the .cu file's.
    """
    return Kernel(source.parse(source.find(variant)), variant, defines)


def load_path(path: str | Path, **defines: object) -> "Kernel":
    """Like ``load``, for a .cu file anywhere, such as a student's copy of an exercise.

    path: of the file. defines: values for its defines. Raises what ``load`` raises, and
    FileNotFoundError if there is no such file.
    """
    return Kernel(source.parse(path), Path(path).stem, defines)


class Kernel:
    """One compiled kernel. Call it as ``kernel(grid, block, *args, shared_bytes=0)``."""

    def __init__(self, parsed: source.Source, variant: str, defines: dict) -> None:
        for name in defines.keys() - parsed.defines.keys():
            raise LookupError(
                f"{variant} has no define '{name}'. "
                f"It has: {', '.join(sorted(parsed.defines)) or 'none'}."
            )
        self.source, self.variant, self.name = parsed, variant, parsed.entry
        self.defines = dict(defines)
        texts = ((name, arguments.define_text(value)) for name, value in defines.items())
        self.options = tuple(f"-D{name}={text}" for name, text in texts)
        declared = parsed.parameters
        self._writes = [place for place, p in enumerate(declared) if p.written]
        self._mapped = [place for place, p in enumerate(declared) if p.map]
        # of an array's address its alignment counts, or all of it where a map is made of it
        self._address_bits = -1 if self._mapped else WIDEST - 1
        self._checked: dict[tuple, on_gpu.Checked] = {}  # launches on a GPU
        self._run = self._prepare()

    @cached_property
    def types(self) -> dict[str, tuple[np.dtype | None, int]]:
        """Of each parameter: (NumPy dtype or None when unknown, values in one)."""
        defines = self.define_values()
        return {p.name: arguments.dtype_of(p.ctype, defines) for p in self.source.parameters}

    @cached_property
    def _formulas(self):
        """What the header says of grid, block and dynamic shared memory."""
        return {what: self.source.header.formula(what) for what in ("grid", "block", SHARED)}

    def _prepare(self):
        """Return what runs it: an object with __call__, attributes and opt_in."""
        if not GPU:
            return _in_emulator(self)
        needed = self.source.header.architecture
        return _on_gpu(self) if runs_here(needed) else _left_out(self, needed)

    def __repr__(self) -> str:
        return f"<kernel {self.variant} {' '.join(self.options)}".rstrip() + ">"

    def __call__(self, grid: Extent, block: Extent, *args: object, shared_bytes: int = 0) -> None:
        """Launch on grid blocks of block threads; the call returns before the GPU has finished.

        grid, block: an int or a tuple of up to three. args: one array for each pointer, of the
        declared dtype, contiguous; one Python or NumPy number for each scalar, converted to the
        declared C type; for each tensor map one of ``tensor_map``, or an array, of which the map
        is made that the header's 'Maps:' says. shared_bytes: dynamic shared memory; above 48 KB
        the opt-in is made here.
        Raises ValueError or TypeError that says what to change; nothing is launched then.
        """
        launch = grid, block, shared_bytes
        if not self._again(args, launch):
            self._launch(grid, block, args, self.convert(args), shared_bytes, launch)

    def run(self, *args: object) -> Any:
        """Launch as the header's 'Launch:' line says, and return the array that the kernel writes.

        args: as for a call. Grid, block and dynamic shared memory are worked out from the scalars,
        the defines and SMs, the number of the device's SMs. Returns the argument of the one pointer
        to what is not const; a tuple of them if there are several, None if there is none. A kernel
        that needs another GPU is left out: what comes back is a NotRun that says so, also from a
        kernel that is given it.
        Raises ValueError for a kernel whose header leaves the launch open, else as a call does.
        """
        if self._again(args, ()):
            return self._written(args)
        for argument in args:
            if isinstance(argument, NotRun):
                return argument
        values = self.convert(args)
        given = zip(self.source.parameters, values, strict=True)
        numbers = self._numbers | {p.name: v.item() for p, v in given if _is_number(v)}
        formulas = self._formulas.items()
        grid, block, (shared_bytes,) = (self._worked_out(w, f, numbers) for w, f in formulas)
        self._launch(grid, block, args, values, shared_bytes, ())
        return self._run.why if isinstance(self._run, _left_out) else self._written(args)

    def _again(self, args, launch):
        """Launch at once if one like it has been checked; return whether it was.

        So a loop of launches costs what CuPy's own do. launch: grid, block and shared bytes, or ().
        """
        if not self._checked:
            return False
        try:
            checked = self._checked.get(on_gpu.key(args, launch, self._address_bits))
        except TypeError:  # such as a list
            return False
        if checked is None:
            return False
        if self._mapped:
            self.mapped = [args[place] for place in self._mapped]
        checked(args)
        return True

    @cached_property
    def _numbers(self):
        """What a formula of the header may use, apart from the scalars."""
        defines = {name: header.number(text) for name, text in self.define_values().items()}
        return {"SMs": cp.cuda.Device().attributes["MultiProcessorCount"], **defines}

    def _worked_out(self, what, formula, numbers):
        if what == SHARED and not formula:
            return (0,)
        try:
            return header.evaluate(formula, numbers)
        except ValueError as error:
            raise ValueError(
                f"{self.name}: run() cannot work out the {what}: the header of {self.variant} says "
                f"'{formula or 'nothing'}' ({error}). Choose it yourself: "
                "kernel(grid, block, ...)."
            ) from None

    def _launch(self, grid, block, args, values, shared_bytes, launch):
        grid, block = self._extent("grid", grid), self._extent("block", block)
        self._check_block(block)
        self._check_shared(shared_bytes)
        if self.source.multiples:
            arguments.check_multiples(self, values)
        self._run(grid, block, values, shared_bytes)
        if isinstance(self._run, on_gpu.Launcher):
            self._keep(grid, block, args, values, shared_bytes, launch)

    def _keep(self, grid, block, args, values, shared_bytes, launch):
        """Remember that a launch has been checked."""
        opt_in = self.attributes["shared_size_bytes"] + shared_bytes > SHARED_WITHOUT_OPT_IN
        if len(self._checked) >= REMEMBERED:
            self._checked.clear()
        with suppress(TypeError):  # such as a list
            key = on_gpu.key(args, launch, self._address_bits)
            self._checked[key] = on_gpu.Checked(
                self._run, grid, block, values, shared_bytes, opt_in
            )

    def _written(self, args):
        written = tuple([args[place] for place in self._writes])
        return (written or None) if len(written) != 1 else written[0]

    @cached_property
    def attributes(self) -> dict[str, int]:
        """What the compiler made of it: num_regs, local_size_bytes, shared_size_bytes, ..."""
        return self._run.attributes()

    def convert(self, args: Sequence) -> tuple:
        """Check the arguments against the declared parameters; return what the launch passes."""
        return arguments.convert(self, args)

    def define_values(self) -> dict[str, str]:
        """Return every name that -D may set with its value here, as text."""
        given = {name: arguments.define_text(value) for name, value in self.defines.items()}
        return {**self.source.defines, **given}

    def _extent(self, what, extent):
        given = tuple(extent) if isinstance(extent, (tuple, list)) else (extent,)
        if not 1 <= len(given) <= 3 or not all(isinstance(e, (int, np.integer)) for e in given):
            raise TypeError(
                f"{self.name}: {what} is {extent!r}; give one to three ints, such as (16, 16). "
                "Round up with ceil_div(n, size)."
            )
        limits = GRID_LIMIT if what == "grid" else BLOCK_LIMIT
        for axis, size, limit in zip("xyz", given, limits, strict=False):
            if not 1 <= size <= limit:
                raise ValueError(
                    f"{self.name}: {what}.{axis} is {size}; it must be from 1 to {limit}. "
                    + _remedy_for_extent(what, size)
                )
        return tuple(int(e) for e in given)

    def _check_block(self, block):
        threads, most = int(np.prod(block)), self.attributes["max_threads_per_block"]
        if threads > most:
            why = (
                "the device allows 1024"
                if most == 1024
                else (f"this kernel allows {most} (its registers or its __launch_bounds__)")
            )
            raise ValueError(
                f"{self.name}: block {block} is {threads} threads; {why}. "
                "Use a smaller block and more of them."
            )

    def _check_shared(self, shared_bytes):
        static, most = self.attributes["shared_size_bytes"], _shared_limit()
        if static + shared_bytes > most:
            raise ValueError(
                f"{self.name}: shared_bytes={shared_bytes} with {static} static bytes exceeds the "
                f"{most} bytes a block may have on this device. Use smaller tiles."
            )
        above = static + shared_bytes > SHARED_WITHOUT_OPT_IN
        if above and self._run.opt_in(shared_bytes):
            _say(f"{self.name}: opted in to {shared_bytes} bytes of dynamic shared memory")


def _is_number(value):
    return isinstance(value, np.generic) and value.dtype.kind in "biuf"


def ceil_div(n: int, size: int) -> int:
    """Return how many pieces of ``size`` cover ``n``: n / size, rounded up, in whole numbers."""
    return -(-n // size)


def _remedy_for_extent(what, size):
    if size == 0:
        return "An empty array needs no launch at all."
    return f"Let each {'block' if what == 'grid' else 'thread'} do more, or use another axis."


def emulate(kernel: Kernel) -> Any:
    """Compile a Kernel for the emulator; returns the emulator's program.

    Equal kernels share a program, unless it has __device__ variables, which live as long as it.
    """
    import warpemu

    name, text = kernel.source.path.name, kernel.source.unit
    if (name, text, kernel.options) in _programs:
        return _programs[name, text, kernel.options]
    ptx = nvrtc.ptx(text, name, ("-lineinfo", *kernel.options))
    program = warpemu.compile(ptx, kernel.name, source_name=name, source_text=text)
    if not program.variables:
        _programs[name, text, kernel.options] = program
        if len(_programs) > PROGRAMS:
            del _programs[next(iter(_programs))]  # the oldest
    return program


def _on_gpu(kernel):
    text, file = kernel.source.unit, kernel.source.path.name
    needed = kernel.source.header.architecture
    return on_gpu.Launcher(text, kernel.name, file, kernel.options, needed)


class _in_emulator:
    """The launch in the emulator, where there is no GPU."""

    def __init__(self, kernel):
        self.program, self.opted = emulate(kernel), 0

    def attributes(self):
        return {
            "max_threads_per_block": self.program.max_threads,
            "shared_size_bytes": self.program.shared_bytes,
        }

    def opt_in(self, shared_bytes):
        asked, self.opted = self.opted < shared_bytes, max(self.opted, shared_bytes)
        return asked

    def __call__(self, grid, block, args, shared_bytes):
        report = self.program.launch(
            grid, block, args, shared_bytes=shared_bytes, trace=observers.is_observed()
        )
        observers.tell(report)


def runs_here(architecture, here=None):
    """Whether a GPU runs what needs the architecture: 'sm_80' or newer, 'sm_90a' alone, ''.

    here: its compute capability, such as 75; without it this GPU's.
    """
    here = int(here or cp.cuda.Device().compute_capability)
    needed = int(re.sub(r"\D", "", architecture) or 0)
    return here == needed if architecture[-1:].isalpha() else here >= needed


class _left_out(_in_emulator):
    """No launch at all, on a GPU that lacks the kernel's instructions. ``trace`` still counts."""

    def __init__(self, kernel, needed):
        super().__init__(kernel)
        here = cp.cuda.Device().compute_capability
        newer = "" if needed[-1].isalpha() else " or newer"
        self.why = NotRun(
            f"{kernel.name} is left out: it needs a GPU of {needed}{newer}, this one is sm_{here}."
        )
        _say(str(self.why))

    def __call__(self, grid, block, args, shared_bytes):
        observers.tell(self.why)


@cache  # once, however many kernels of this name do it
def _say(sentence):
    print(sentence)


@cache
def _shared_limit():
    return cp.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
