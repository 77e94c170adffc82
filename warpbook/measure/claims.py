"""claim: a sentence about performance that must hold, beside the measurement it rests on."""

import html
import re

import numpy as np

from warpbook import results
from warpbook.launch.backend import GPU


def claim(sentence: str, holds: object, **measured: float) -> "Claim":
    """State a sentence about performance beside the measurement it rests on.

    sentence: a format string; its fields are the keyword arguments, the measured numbers.
    holds: whether the measurement bears the sentence out.
    On a GPU a claim that does not hold reads 'not on this GPU', and a recording refuses the page.
    With no GPU, a claim that rests on a time (a NaN) reads 'needs a GPU', and one that rests on
    counts alone raises AssertionError when it does not hold: counts are the same everywhere.
    """
    if not measured:
        raise TypeError("a claim needs the number it rests on: claim('...{x:.1f}...', x > 2, x=x).")
    unmeasured = [k for k, v in measured.items() if np.isnan(float(v))]
    if unmeasured and not GPU:
        text = re.sub(r"[+-]?nan(?: ?%)?", "(not measured)", sentence.format(**measured))
        return Claim("needs a GPU", text)
    text = sentence.format(**measured)
    if bool(holds) and not unmeasured:
        status = "holds"
    elif not GPU:
        raise AssertionError(f"a claim does not hold: {text}")
    else:
        status = "not on this GPU"
    results.add_claim(sentence, status, text)
    return Claim(status, text)


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
