"""Correctness before speed (poisoned, check), and sentences that must hold (claim)."""

import html
import os
import re

import numpy as np

from warpbook.backend import GPU, cp
from warpbook.results import RECORDING


def poisoned(shape, dtype=np.float32):
    """Return an output array full of NaN, or of the smallest integer of an integer dtype.

    An element that the kernel never writes stays poison, so it cannot pass for a right one.
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        raise TypeError("a bool has no value to spare for poison; use an integer dtype.")
    poison = np.iinfo(dtype).min if dtype.kind == "i" else (
        np.iinfo(dtype).max if dtype.kind == "u" else np.nan
    )
    return cp.full(shape, poison, dtype)


def check(got, want, rtol=1e-5, atol=1e-6):
    """Raise AssertionError unless ``got`` equals ``want`` element by element.

    got, want: arrays of one shape, on GPU or CPU; compared in float64:
    |got - want| <= atol + rtol * |want|. NaN equals nothing but a NaN in the same place.
    The message counts the wrong elements and shows the first one.
    """
    got, want = _on_host(got), _on_host(want)
    if got.shape != want.shape:
        raise AssertionError(f"the shapes differ: got {got.shape}, want {want.shape}.")
    wrong = _differs(got, want, rtol, atol)
    if not wrong.any():
        return
    first = tuple(int(i) for i in np.unravel_index(int(wrong.argmax()), wrong.shape))
    where = f"[{', '.join(map(str, first))}]"
    hint = "; NaN: never written, or computed from what was not" if np.isnan(got[first]) else ""
    raise AssertionError(
        f"{np.count_nonzero(wrong):,} of {wrong.size:,} elements are wrong. "
        f"First at {where}: got {got[first]!s}, want {want[first]!s}{hint} "
        f"(rtol={rtol:g}, atol={atol:g})."
    )


def claim(sentence, holds, **measured):
    """State a sentence about performance beside the measurement it rests on.

    sentence: a format string; its fields are the keyword arguments, the measured numbers.
    holds: whether the measurement bears the sentence out.
    While recording, a claim that does not hold raises AssertionError. On a reader's GPU it reads
    'not on this GPU'; with no GPU, a claim that rests on a time (a NaN) reads 'needs a GPU'.
    """
    if not measured:
        raise TypeError("a claim needs the number it rests on: claim('...{x:.1f}...', x > 2, x=x).")
    unmeasured = [k for k, v in measured.items() if np.isnan(float(v))]
    if unmeasured and not GPU:
        text = re.sub(r"[+-]?nan(?: ?%)?", "(not measured)", sentence.format(**measured))
        return Claim("needs a GPU", text)
    text = sentence.format(**measured)
    if bool(holds) and not unmeasured:
        return Claim("holds", text)
    if RECORDING in os.environ or not GPU:
        raise AssertionError(f"a claim does not hold: {text}")
    return Claim("not on this GPU", text)


class Claim:
    """A checked sentence; ``status`` is 'holds', 'not on this GPU' or 'needs a GPU'."""

    def __init__(self, status, text):
        self.status, self.text = status, text

    def __repr__(self):
        return f"Claim ({self.status}): {self.text}"

    def _repr_html_(self):
        mark = {"holds": "✓", "not on this GPU": "✗", "needs a GPU": "–"}[self.status]
        return (
            f'<p class="warp-claim" style="border-left:4px solid currentColor;padding:0.3em 0.8em">'
            f"<strong>{mark} Claim, {self.status}:</strong> {html.escape(self.text)}</p>"
        )


def _on_host(array):
    return np.asarray(cp.asnumpy(array) if GPU else array)


def _differs(got, want, rtol, atol):
    if got.dtype.kind in "iub" and want.dtype.kind in "iub":
        return got != want
    got, want = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(got - want) <= atol + rtol * np.abs(want)
    return ~(near | (got == want) | (np.isnan(got) & np.isnan(want)))
