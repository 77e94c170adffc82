"""The slice of CuPy's API that the chapters use, on NumPy, for machines with no GPU.

Arrays are NumPy arrays, kernels run in the emulator, and a time is NaN: nothing here measures
milliseconds. What is offered stands in OFFERED and below; anything else is refused, so that what
runs here runs with CuPy too. A test compares the signatures with CuPy's own.
"""

from types import SimpleNamespace

import numpy as np
from numpy import ndarray  # noqa: F401  (chapters say cp.ndarray)

from warpbook.launch import nvrtc
from warpbook.profiles import H100

# Of NumPy, under the names that CuPy has too.
OFFERED = (
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "inf", "nan", "newaxis", "pi",
    "abs", "all", "allclose", "any", "arange", "argsort", "array",
    "array_equal", "asarray", "ascontiguousarray", "bincount", "ceil", "concatenate", "copyto",
    "cos", "count_nonzero", "cumsum", "exp", "floor", "full", "full_like", "isfinite", "isnan",
    "linspace", "log", "matmul", "max", "maximum", "mean", "median", "min", "minimum", "ones",
    "ones_like", "polyval", "repeat", "roll", "sin", "sort", "sqrt", "stack", "sum", "tanh",
    "tile", "transpose", "unique", "where", "zeros", "zeros_like",
)  # fmt: skip
random = SimpleNamespace(default_rng=np.random.default_rng, permutation=np.random.permutation)
lib = SimpleNamespace(
    stride_tricks=SimpleNamespace(
        as_strided=np.lib.stride_tricks.as_strided,
        sliding_window_view=np.lib.stride_tricks.sliding_window_view,
    )
)


def __getattr__(name):
    if name in OFFERED:
        return getattr(np, name)
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"without a GPU cp is a slice of CuPy's API on NumPy, and '{name}' is not in it. "
        "Begin the cell with %%gpu if it needs CuPy itself, or use NumPy for what stays on the "
        f"host. There are: {', '.join(OFFERED)}."
    )


def __dir__():
    return sorted([*OFFERED, *(name for name in globals() if not name.startswith("_"))])


def asnumpy(a):
    """Return the array itself: host and device memory are one here."""
    return np.asarray(a)


def empty(shape, dtype=float):
    """An array whose elements count as never written, so that the emulator reports their use."""
    from warpbook import emulator

    array = np.empty(shape, dtype)
    emulator.mark_uninitialised(array)
    return array


def empty_like(prototype, dtype=None):
    """Like ``empty``, with the shape and dtype of another array."""
    return empty(prototype.shape, dtype or prototype.dtype)


class RawKernel:
    """cupy.RawKernel as it is, traps included: arguments go to the kernel as raw bytes."""

    def __init__(self, code, name, options=(), **_):
        self.code, self.name, self.options = code, name, tuple(options)
        self._program = None

    def compile(self):
        """Compile now rather than at the first launch."""
        from warpbook import emulator

        if self._program is None:
            text = nvrtc.ptx(self.code, "kernel.cu", ("-lineinfo", *self.options))
            self._program = emulator.compile(
                text, self.name, source_name="kernel.cu", source_text=self.code
            )
        return self._program

    def __call__(self, grid, block, args, *, shared_mem=0):
        self.compile().launch(
            grid, block, tuple(_raw(a) for a in args), shared_bytes=shared_mem, sanitize=False
        )


def _raw(value):
    """CuPy passes a Python int as 8 bytes and a Python float as a double."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value
    return {bool: np.bool_, int: np.int64, float: np.float64}[type(value)](value)


class Event:
    """A CUDA event that records nothing."""

    def __init__(self, *_, **__):
        pass

    def record(self, stream=None):
        """Do nothing: the emulator has no timeline."""

    def synchronize(self):
        """Do nothing: every launch here has finished when it returns."""


class Stream(Event):
    """A stream on which everything is already done."""

    null = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Device:
    """The device that the emulator models: an H100."""

    id = 0
    attributes = H100.attributes
    compute_capability = "{}{}".format(*H100.capability)

    def __init__(self, *_):
        pass

    def synchronize(self):
        """Do nothing: every launch here has finished when it returns."""


cuda = SimpleNamespace(
    Device=Device,
    Event=Event,
    Stream=Stream,
    get_current_stream=Stream,
    get_elapsed_time=lambda start, end: float("nan"),
    runtime=SimpleNamespace(deviceSynchronize=lambda: None),
)
