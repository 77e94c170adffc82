"""The slice of CuPy's API that the chapters use, on NumPy, for machines with no GPU.

Arrays are NumPy arrays, kernels run in the emulator, and a time is NaN: nothing here measures
milliseconds. What is offered stands in OFFERED and below; anything else is refused, so that what
runs here runs with CuPy too. A test compares the signatures with CuPy's own.
"""

import ctypes
from types import SimpleNamespace

import numpy as np
from numpy import ndarray  # noqa: F401  (chapters say cp.ndarray)

from warpbook.profiles import H100
from warpemu import nvrtc, streams

# Of NumPy, under the names that CuPy has too.
OFFERED = (
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "inf",
    "nan",
    "newaxis",
    "pi",
    "abs",
    "all",
    "allclose",
    "any",
    "arange",
    "argsort",
    "array",
    "array_equal",
    "asarray",
    "ascontiguousarray",
    "bincount",
    "ceil",
    "concatenate",
    "copyto",
    "cos",
    "count_nonzero",
    "cumsum",
    "exp",
    "floor",
    "full",
    "full_like",
    "isfinite",
    "isnan",
    "linspace",
    "log",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "min",
    "minimum",
    "ones",
    "ones_like",
    "polyval",
    "repeat",
    "roll",
    "sin",
    "sort",
    "sqrt",
    "stack",
    "sum",
    "tanh",
    "tile",
    "transpose",
    "unique",
    "where",
    "zeros",
    "zeros_like",
)
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
    """Return the array itself: host and device memory are one here. The host waits for it."""
    a = np.asarray(a)
    streams.issue("cp.asnumpy", streams.arrays([("its array", a, False)]), lambda: None)
    streams.wait_on_host(streams.current())
    return a


def empty(shape, dtype=float):
    """An array whose elements count as never written, so that the emulator reports their use."""
    import warpemu

    array = np.empty(shape, dtype)
    warpemu.mark_uninitialised(array)
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
        import warpemu

        if self._program is None:
            text = nvrtc.ptx(self.code, "kernel.cu", ("-lineinfo", *self.options))
            self._program = warpemu.compile(
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
    """A CUDA event: it notes no time, but what has been done before it."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._mark = streams.Mark()

    def record(self, stream=None):
        """Stand for all that a stream, the current one without, has been given so far."""
        streams.record(self._mark, _queue(stream))

    def synchronize(self):
        """Let the host know that what the event stands for has ended."""
        streams.wait_on_host(self._mark)

    @property
    def done(self):
        """True: every launch here has finished when it returns."""
        self.synchronize()
        return True


class Stream:
    """A CUDA stream: what it is given is done at once, and its order is watched."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.priority = priority or 0
        self._queue = streams.LEGACY if null else streams.create(not non_blocking)
        self.ptr = 0 if null else id(self._queue)
        _queues[self.ptr] = self._queue

    def __enter__(self):
        self._within = streams.on(self._queue)
        self._within.__enter__()
        return self

    def __exit__(self, *_):
        self._within.__exit__(None, None, None)

    def use(self):
        """Make it the current stream."""
        streams.use(self._queue)
        return self

    def record(self, event=None):
        """Record an event, a new one without, and return it."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Let what comes next in this stream wait for an event."""
        streams.wait(self._queue, event._mark)

    def synchronize(self):
        """Let the host know that all of this stream has ended."""
        streams.wait_on_host(self._queue)

    @property
    def done(self):
        """True: every launch here has finished when it returns."""
        self.synchronize()
        return True

    def launch_host_func(self, callback, arg):
        """Call ``callback(arg)`` when the stream gets there."""
        streams.issue("a host function", [], lambda: callback(arg), self._queue)

    def begin_capture(self, mode=None):
        """Keep what the stream is given from now on for a graph."""
        streams.begin_capture(self._queue)

    def end_capture(self):
        """Return the graph of what it was given since."""
        return Graph(streams.end_capture(self._queue))

    def is_capturing(self):
        """Is what the stream is given kept for a graph?"""
        return self._queue.graph is not None


class Graph:
    """A CUDA graph that Stream.end_capture made."""

    def __init__(self, steps):
        self._steps = steps

    def launch(self, stream=None):
        """Do all of it in a stream, the current one without."""
        self._steps.launch(_queue(stream))


_queues = {}  # of the streams, by their ptr
Stream.null = Stream(null=True)


def _queue(stream):
    return streams.current() if stream is None else stream._queue


def _current_stream(device_id=-1):
    """The stream that launches go to."""
    stream = Stream.__new__(Stream)
    stream._queue, stream.priority = streams.current(), 0
    stream.ptr = next(ptr for ptr, queue in _queues.items() if queue is stream._queue)
    return stream


def _alloc_pinned_memory(size):
    """Host memory of so many bytes, for np.frombuffer; its address is ``ptr``."""
    kind = type("PinnedMemoryPointer", (ctypes.c_char * size,), {"ptr": property(ctypes.addressof)})
    return kind()


def _memcpy_async(dst, src, size, kind, stream):
    """Copy bytes from one address to another, in the stream that has this ptr."""
    streams.copy(dst, src, size, _queues[stream])


class Device:
    """The device that the emulator models: an H100."""

    id = 0
    attributes = H100.attributes
    compute_capability = "{}{}".format(*H100.capability)

    def __init__(self, *_):
        pass

    def synchronize(self):
        """Let the host know that all streams have ended."""
        streams.wait_on_host()


cuda = SimpleNamespace(
    Device=Device,
    Event=Event,
    Graph=Graph,
    Stream=Stream,
    get_current_stream=_current_stream,
    get_elapsed_time=lambda start, end: float("nan"),
    alloc_pinned_memory=_alloc_pinned_memory,
    runtime=SimpleNamespace(
        deviceSynchronize=lambda: streams.wait_on_host(), memcpyAsync=_memcpy_async, memcpyDefault=4
    ),
)
