"""Correctness before speed: arrays full of poison, and a comparison that NaN never passes."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from warpbook.launch.backend import GPU, cp
from warpbook.launch.kernel import NotRun

PIECE = 2**24  # elements that are compared at once: in float64 they take up the GPU's memory


def poisoned(shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> Any:
    """Return an output array full of NaN, or of the smallest integer of an integer dtype.

    An element that the kernel never writes stays poison, so it cannot pass for a right one.
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        raise TypeError("a bool has no value to spare for poison; use an integer dtype.")
    poison = (
        np.iinfo(dtype).min
        if dtype.kind == "i"
        else (np.iinfo(dtype).max if dtype.kind == "u" else np.nan)
    )
    return cp.full(shape, poison, dtype)


def check(got: Any, want: Any, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Raise AssertionError unless ``got`` equals ``want`` element by element.

    got, want: arrays of one shape, on GPU or CPU; compared in float64:
    |got - want| <= atol + rtol * |want|. NaN and the two infinities equal nothing but the same in
    the same place.
    The message counts the wrong elements and shows the first one. A NotRun, the result of a kernel
    that this GPU cannot run, passes: the reason was printed when the kernel was loaded.
    """
    if isinstance(got, NotRun):
        return
    if not (GPU and isinstance(got, cp.ndarray) and isinstance(want, cp.ndarray)):
        got, want = _on_host(got), _on_host(want)
    if got.shape != want.shape:
        raise AssertionError(f"the shapes differ: got {got.shape}, want {want.shape}.")
    count, at = _wrong(got.reshape(-1), want.reshape(-1), rtol, atol)
    if not count:
        return
    first = tuple(int(i) for i in np.unravel_index(at, got.shape))
    where = f"[{', '.join(map(str, first))}]"
    hint = "; NaN: never written, or computed from what was not" if np.isnan(got[first]) else ""
    raise AssertionError(
        f"{count:,} of {got.size:,} elements are wrong. "
        f"First at {where}: got {got[first]!s}, want {want[first]!s}{hint} "
        f"(rtol={rtol:g}, atol={atol:g})."
    )


def _on_host(array):
    return np.asarray(cp.asnumpy(array) if GPU else array)


def _wrong(got, want, rtol, atol):
    """Count the wrong elements of two flat arrays; returns (how many, the first one's index)."""
    count, first = 0, 0
    for begin in range(0, got.size, PIECE):
        wrong = _differs(got[begin : begin + PIECE], want[begin : begin + PIECE], rtol, atol)
        found = int(wrong.sum())
        if found and not count:
            first = begin + int(wrong.argmax())
        count += found
    return count, first


def _differs(got, want, rtol, atol):
    if got.dtype.kind in "iub" and want.dtype.kind in "iub":
        return got != want
    with np.errstate(invalid="ignore"):
        got, want = got.astype(np.float64), want.astype(np.float64)
        near = (np.abs(got - want) <= atol + rtol * np.abs(want)) & np.isfinite(want)
    return ~(near | (got == want) | (np.isnan(got) & np.isnan(want)))
