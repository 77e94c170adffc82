"""Load one .cu file as one kernel, and launch it with every argument checked first."""

import re
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from warpbook.launch import nvrtc, source
from warpbook.launch.backend import GPU, cp
from warpbook.profiles import BLOCK_LIMIT, GRID_LIMIT, SHARED_WITHOUT_OPT_IN

# C type -> (NumPy dtype, how many of them one value holds)
SCALARS = {
    "bool": "?", "char": "i1", "signed char": "i1", "unsigned char": "u1",
    "short": "i2", "unsigned short": "u2", "int": "i4", "unsigned": "u4", "unsigned int": "u4",
    "long long": "i8", "unsigned long long": "u8", "size_t": "u8",
    "float": "f4", "double": "f8", "half": "f2", "__half": "f2",
}  # fmt: skip
VECTORS = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
           "longlong": "i8", "ulonglong": "u8", "float": "f4", "double": "f8"}  # fmt: skip
PROGRAMS = 32  # that are kept

_observers = []  # lists that collect the emulator's report of each launch
_programs = {}  # the emulator's, by (file name, text, options); a large one has 10 MB


def load(variant, **defines):
    """Compile ``kernels/<variant>.cu`` and return it as a Kernel.

    variant: 'topic/NN_idea'. defines: values for the names that the file lets you set, as -D.
    Raises LookupError for an unknown variant or define (listing those there are) and
    nvrtc.CompileError with the compiler's log, whose line numbers are the .cu file's.
    """
    return Kernel(source.parse(source.find(variant)), variant, defines)


def load_path(path, **defines):
    """Like ``load``, for a .cu file anywhere, such as a student's copy of an exercise."""
    return Kernel(source.parse(path), Path(path).stem, defines)


class Kernel:
    """One compiled kernel. Call it as ``kernel(grid, block, *args, shared_bytes=0)``."""

    def __init__(self, parsed, variant, defines):
        for name in defines.keys() - parsed.defines.keys():
            raise LookupError(
                f"{variant} has no define '{name}'. "
                f"It has: {', '.join(sorted(parsed.defines)) or 'none'}."
            )
        self.source, self.variant, self.name = parsed, variant, parsed.entry
        self.defines = dict(defines)
        self.options = tuple(f"-D{name}={_text(value)}" for name, value in defines.items())
        self._run = _on_gpu(self) if GPU else _in_emulator(self)

    def __repr__(self):
        return f"<kernel {self.variant} {' '.join(self.options)}".rstrip() + ">"

    def __call__(self, grid, block, *args, shared_bytes=0):
        """Launch on grid blocks of block threads; the call returns before the GPU has finished.

        grid, block: an int or a tuple of up to three. args: one array for each pointer, of the
        declared dtype, contiguous; one Python or NumPy number for each scalar, converted to the
        declared C type. shared_bytes: dynamic shared memory; above 48 KB the opt-in is made here.
        Raises ValueError or TypeError that says what to change; nothing is launched then.
        """
        grid, block = self._extent("grid", grid), self._extent("block", block)
        self._check_block(block)
        self._check_shared(shared_bytes)
        values = self.convert(args)
        if self.source.multiples:
            self._check_multiples(values)
        self._run(grid, block, values, shared_bytes)

    @cached_property
    def attributes(self):
        """What the compiler made of it: num_regs, local_size_bytes, shared_size_bytes, ..."""
        return self._run.attributes()

    def convert(self, args):
        """Check the arguments against the declared parameters; return what the launch passes."""
        declared = self.source.parameters
        if len(args) != len(declared):
            names = ", ".join(p.name for p in declared)
            raise TypeError(
                f"{self.name} takes {len(declared)} arguments ({names}), but got {len(args)}."
            )
        return tuple(
            self._array(p, a) if p.pointer else self._scalar(p, a)
            for p, a in zip(declared, args, strict=True)
        )

    def _extent(self, what, extent):
        given = tuple(extent) if isinstance(extent, (tuple, list)) else (extent,)
        if not 1 <= len(given) <= 3 or not all(isinstance(e, (int, np.integer)) for e in given):
            raise TypeError(
                f"{self.name}: {what} is {extent!r}; give one to three ints, such as (16, 16). "
                "Round up with -(-n // size)."
            )
        limits = GRID_LIMIT if what == "grid" else BLOCK_LIMIT
        for axis, size, limit in zip("xyz", given, limits):
            if not 1 <= size <= limit:
                raise ValueError(
                    f"{self.name}: {what}.{axis} is {size}; it must be from 1 to {limit}. " + (
                        "An empty array needs no launch at all." if size == 0
                        else f"Let each {'block' if what == 'grid' else 'thread'} do more, or use "
                        "another axis."
                    )
                )
        return tuple(int(e) for e in given)

    def _check_block(self, block):
        threads, most = int(np.prod(block)), self.attributes["max_threads_per_block"]
        if threads > most:
            why = "the device allows 1024" if most == 1024 else (
                f"this kernel allows {most} (its registers or its __launch_bounds__)"
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
        if static + shared_bytes > SHARED_WITHOUT_OPT_IN:
            self._run.opt_in(shared_bytes)

    def _check_multiples(self, values):
        given = {p.name: value for p, value in zip(self.source.parameters, values, strict=True)}
        for name, of in self.source.multiples.items():
            divisor = int(self._define_values().get(of, of))
            if given[name] % divisor:
                load = f"Load it with {of}=1" if of in self.source.defines else "Choose another"
                raise ValueError(
                    f"{self.name}: {name} is {given[name]}, which has to be a multiple of "
                    f"{divisor}, as its header says under 'Assumes:'. {load}."
                )

    def _array(self, parameter, array):
        dtype, width = _dtype(parameter.ctype, self._define_values())
        where = f"{self.name}: argument '{parameter.name}'"
        if not isinstance(array, cp.ndarray):
            raise TypeError(f"{where} is a pointer, but got {_kind(array)}. {_remedy(array)}")
        if dtype is not None and array.dtype != dtype:
            raise TypeError(
                f"{where} is declared {parameter.ctype}*, but the array holds {array.dtype}. "
                f"Convert it once: array.astype('{dtype}')."
            )
        if not array.flags.c_contiguous:
            raise ValueError(
                f"{where} is a strided view (shape {array.shape}, strides {array.strides}), and a "
                "kernel sees a bare pointer. Copy it first: cp.ascontiguousarray(array)."
            )
        if width > 1 and _address(array) % (width * array.itemsize):
            raise ValueError(
                f"{where} is declared {parameter.ctype}*, which needs an address that is a "
                f"multiple of {width * array.itemsize} bytes; this view begins elsewhere. "
                "Begin it at such a multiple, or copy it: array.copy()."
            )
        return array

    def _scalar(self, parameter, value):
        where = f"{self.name}: argument '{parameter.name}'"
        dtype, width = _dtype(parameter.ctype, self._define_values())
        if dtype is None or width > 1:
            return value  # a struct or a vector by value: passed as it is
        if isinstance(value, cp.ndarray) and value.ndim:
            raise TypeError(
                f"{where} is declared {parameter.ctype}, but got an array of shape {value.shape}. "
                f"The parameters are: {', '.join(p.name for p in self.source.parameters)}."
            )
        if not isinstance(value, (bool, int, float, np.number, np.bool_)):
            raise TypeError(f"{where} is declared {parameter.ctype}, but got {_kind(value)}.")
        if dtype.kind in "iu":
            if int(value) != value:
                raise TypeError(
                    f"{where} is declared {parameter.ctype}, but got {value!r}. "
                    "Round it yourself: int(...) or -(-n // size)."
                )
            low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
            if not low <= value <= high:
                raise ValueError(
                    f"{where} is declared {parameter.ctype} ({low} to {high}), but got {value}. "
                    "Use a smaller value, or declare the parameter long long."
                )
        return dtype.type(value)

    def _define_values(self):
        return {**self.source.defines, **{k: _text(v) for k, v in self.defines.items()}}


@contextmanager
def observed():
    """Collect, as a list, the emulator's report of each launch made inside the with block."""
    reports = []
    _observers.append(reports)
    try:
        yield reports
    finally:
        _observers.remove(reports)


def emulate(kernel):
    """Compile a Kernel for the emulator; returns the emulator's program.

    Equal kernels share a program, unless it has __device__ variables, which live as long as it.
    """
    from warpbook import emulator

    name, text = kernel.source.path.name, kernel.source.text
    if (name, text, kernel.options) in _programs:
        return _programs[name, text, kernel.options]
    ptx = nvrtc.ptx(text, name, ("-lineinfo", *kernel.options))
    program = emulator.compile(ptx, kernel.name, source_name=name, source_text=text)
    if not program.variables:
        _programs[name, text, kernel.options] = program
        if len(_programs) > PROGRAMS:
            del _programs[next(iter(_programs))]  # the oldest
    return program


class _on_gpu:
    """The launch on a GPU, through cupy.RawKernel."""

    def __init__(self, kernel):
        self.kernel, text = kernel, kernel.source.text
        options = (nvrtc.STANDARD, "-lineinfo", *kernel.options)
        if re.search(r"\b(wgmma|setmaxnreg)\b", text):  # instructions of one architecture only
            options = ("-arch=sm_90a", *options)
        self.raw = cp.RawKernel(text, kernel.name, options=options)
        try:
            self.raw.compile()
        except cp.cuda.compiler.CompileException as error:
            log = re.sub(r"[^\s\"]+\.cu(?=[(\"])", kernel.source.path.name, str(error))
            raise nvrtc.CompileError(log) from None

    def attributes(self):
        return self.raw.attributes

    def opt_in(self, shared_bytes):
        if self.raw.max_dynamic_shared_size_bytes < shared_bytes:
            self.raw.max_dynamic_shared_size_bytes = shared_bytes
            _say_opt_in(self.kernel.name, shared_bytes)

    def __call__(self, grid, block, args, shared_bytes):
        self.raw(grid, block, args, shared_mem=shared_bytes)


class _in_emulator:
    """The launch in the emulator, where there is no GPU."""

    def __init__(self, kernel):
        self.kernel, self.opted = kernel, 0
        self.program = emulate(kernel)

    def attributes(self):
        return {
            "max_threads_per_block": self.program.max_threads,
            "shared_size_bytes": self.program.shared_bytes,
        }

    def opt_in(self, shared_bytes):
        if self.opted < shared_bytes:
            self.opted = shared_bytes
            _say_opt_in(self.kernel.name, shared_bytes)

    def __call__(self, grid, block, args, shared_bytes):
        report = self.program.launch(
            grid, block, args, shared_bytes=shared_bytes, trace=bool(_observers)
        )
        for reports in _observers:
            reports.append(report)


@cache  # once, however many kernels of this name do it
def _say_opt_in(name, shared_bytes):
    print(f"{name}: opted in to {shared_bytes} bytes of dynamic shared memory")


@cache
def _shared_limit():
    return cp.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]


def _text(value):
    return str(int(value)) if isinstance(value, (bool, np.bool_)) else str(value)


def _dtype(ctype, defines):
    """Return (NumPy dtype or None when unknown, values in one) of a C type's name."""
    ctype = defines.get(ctype, ctype)
    if ctype in SCALARS:
        return np.dtype(SCALARS[ctype]), 1
    vector = re.fullmatch(r"([a-z]+)([1-4])", ctype)
    if vector and vector[1] in VECTORS:
        count = int(vector[2])
        return np.dtype(VECTORS[vector[1]]), 1 if count == 3 else count
    return None, 1


def _kind(value):
    if isinstance(value, np.ndarray):
        return f"a NumPy array of {value.dtype}"
    return f"{type(value).__name__} {value!r}"[:80]


def _remedy(array):
    if isinstance(array, np.ndarray):
        return "NumPy arrays live in the host's memory. Copy it to the GPU: cp.asarray(array)."
    return "Pass an array, such as cp.zeros(n, cp.float32)."


def _address(array):
    return array.data.ptr if GPU else array.ctypes.data
