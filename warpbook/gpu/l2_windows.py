"""What stays in the L2 cache: a set-aside, windows whose lines persist in it, and their release.

CUDA lets a program reserve a part of L2 (from compute capability 8.0 on) and name, stream by
stream, the addresses whose lines go there. CuPy has no call for the windows, so this module asks
the driver through ctypes; the structures are those of NVIDIA's cuda.h. A window changes no result,
only time. On a GPU that has no persisting lines nothing is set aside, and a window is none.

    l2_windows.set_aside(32 << 20)     # bytes of L2, for lines that persist
    l2_windows.persist(stream, array)  # array's lines persist from now on
    ...                                # launches on the stream
    l2_windows.release(stream)         # no window any more; the lines stay
    l2_windows.reset()                 # now they are like all others
"""

import ctypes
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from warpbook.launch.backend import GPU, cp

# Of cuda.h: CUstreamAttrID, CUaccessProperty, CUlimit, CUdevice_attribute
ACCESS_POLICY_WINDOW = 1
NORMAL, STREAMING, PERSISTING = range(3)
PERSISTING_L2_CACHE_SIZE = 6
MAX_PERSISTING, MAX_WINDOW = 108, 109


class Window(ctypes.Structure):
    """CUaccessPolicyWindow: of num_bytes from base_ptr on, a share hit_ratio of the lines is
    treated as ``hit``, the rest as ``miss``.
    """

    _fields_ = [
        ("base_ptr", ctypes.c_void_p),
        ("num_bytes", ctypes.c_size_t),
        ("hit_ratio", ctypes.c_float),
        ("hit", ctypes.c_int),
        ("miss", ctypes.c_int),
    ]


class Attribute(ctypes.Union):
    """CUstreamAttrValue: one of several structures, 64 bytes."""

    _fields_ = [("window", Window), ("pad", ctypes.c_char * 64)]


@dataclass(frozen=True)
class Limits:
    """What this GPU allows, in bytes; zeros where it has no persisting lines."""

    l2: int  # the whole cache
    set_aside: int  # the most that may be set aside
    window: int  # the longest window


def limits() -> Limits:
    """Return this GPU's Limits. Raises RuntimeError where there is no GPU."""
    _need_gpu()
    device = cp.cuda.Device()
    most, window = (
        cp.cuda.runtime.deviceGetAttribute(a, device.id) for a in (MAX_PERSISTING, MAX_WINDOW)
    )
    return Limits(device.attributes["L2CacheSize"], most, window)


def set_aside(bytes: int) -> int:
    """Reserve so many bytes of L2 for persisting lines; 0 gives all back to everyone.

    Returns the bytes that the driver granted, which it rounds.
    Raises ValueError for more than ``limits().set_aside``, RuntimeError where there is no GPU.
    """
    most = limits().set_aside
    if not 0 <= bytes <= most:
        raise ValueError(
            f"set_aside: {bytes} bytes asked for; this GPU allows from 0 to {most}. "
            "Ask for less: limits() says how much there is."
        )
    if not most:
        return 0
    cp.cuda.runtime.deviceSetLimit(PERSISTING_L2_CACHE_SIZE, int(bytes))
    return cp.cuda.runtime.deviceGetLimit(PERSISTING_L2_CACHE_SIZE)


def persist(stream: Any, array: Any, hit_ratio: float = 1.0) -> None:
    """Let a share of an array's lines persist in L2 when kernels of this stream touch them.

    stream: a cp.cuda.Stream of its own, not the default one. hit_ratio: from 0 to 1; which lines
    make up that share the hardware chooses, and the others are the first to be evicted.
    It needs a set-aside: without one it changes nothing. A stream has one window at a time.
    Raises ValueError for what the driver would refuse, RuntimeError where there is no GPU.
    """
    if not 0 <= hit_ratio <= 1:
        raise ValueError(f"persist: hit_ratio is {hit_ratio}; it is a share, from 0 to 1.")
    longest = limits().window
    if array.nbytes > longest:
        raise ValueError(
            f"persist: the array has {array.nbytes} bytes, and a window at most "
            f"{longest}. Pass a part of it: array[:n]."
        )
    if not array.flags.c_contiguous:
        raise ValueError(
            "persist: a window is one range of addresses, and this array has gaps. "
            "Pass a contiguous one: cp.ascontiguousarray(array)."
        )
    window = Window(array.data.ptr, array.nbytes, hit_ratio, PERSISTING, STREAMING)
    _set(stream, window)


def release(stream: Any) -> None:
    """Take the window away from a stream. Lines that persist go on doing so: see ``reset``."""
    _need_gpu()
    _set(stream, Window(None, 0, 0.0, NORMAL, NORMAL))


def reset() -> None:
    """Make every persisting line in L2 an ordinary one, once the GPU has finished its work."""
    _need_gpu()
    cp.cuda.Device().synchronize()
    if limits().set_aside:
        _ask("cuCtxResetPersistingL2Cache")


def window(stream: Any) -> Window:
    """Return the Window that the driver holds for a stream; its num_bytes is 0 for none."""
    _need_gpu()
    value = Attribute()
    _ask("cuStreamGetAttribute", _handle(stream), ACCESS_POLICY_WINDOW, ctypes.byref(value))
    return value.window


def _set(stream, window):
    value, handle = Attribute(window=window), _handle(stream)
    if limits().window:
        _ask("cuStreamSetAttribute", handle, ACCESS_POLICY_WINDOW, ctypes.byref(value))


def _handle(stream):
    if not stream.ptr:
        raise ValueError("the default stream takes no window. Make one: stream = cp.cuda.Stream().")
    return ctypes.c_void_p(stream.ptr)


def _ask(name, *args):
    """Call one function of the driver. Raises RuntimeError with the driver's own words."""
    code = getattr(_driver(), name)(*args)
    if code:
        said = ctypes.c_char_p()
        _driver().cuGetErrorString(code, ctypes.byref(said))
        raise RuntimeError(
            f"{name} failed: {(said.value or b'no reason given').decode()} "
            f"(error {code}). On a GPU that is shared (MIG) L2 cannot be managed."
        )


@cache
def _driver():
    return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")


def _need_gpu():
    if not GPU:
        raise RuntimeError(
            "this manages a GPU's L2 cache, and there is no GPU here. "
            "Begin the cell with %%gpu, or call it on a machine that has one."
        )
