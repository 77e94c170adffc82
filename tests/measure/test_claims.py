"""claim: what it says with a GPU and without one, and what it refuses."""

import numpy as np
import pytest

from warpbook import results
from warpbook.measure import claims
from warpbook.measure.claims import claim


def test_claim_holds():
    assert repr(claim("{x:.1f} times", True, x=5.0)) == "Claim (holds): 5.0 times"


def test_time_claim_needs_a_gpu():
    made = claim("{x:.1%} of it, {y} times", np.nan > 3, x=np.nan, y=2)
    assert (made.status, made.text) == ("needs a GPU", "(not measured) of it, 2 times")


def test_false_counter_claim_fails_without_a_gpu():
    with pytest.raises(AssertionError, match="does not hold: 9 sectors"):
        claim("{n} sectors", False, n=9)


def test_a_false_claim_on_a_readers_gpu_says_so_and_a_recording_keeps_it(monkeypatch, tmp_path):
    monkeypatch.setattr(claims, "GPU", True)
    monkeypatch.setenv(results.RECORDING, str(tmp_path))
    assert claim("{x:.1f} times", False, x=1.0).status == "not on this GPU"
    assert claim("{x:.1f} times", True, x=np.nan).status == "not on this GPU"
    assert claim("{x:.2f} ms", True, x=2).status == "holds"
    kept = [(row["sentence"], row["status"]) for row in results.read(tmp_path / "claims.csv")]
    assert kept == [
        ("{x:.1f} times", "not on this GPU"),
        ("{x:.1f} times", "not on this GPU"),
        ("{x:.2f} ms", "holds"),
    ]


def test_claim_needs_a_number():
    with pytest.raises(TypeError, match="the number it rests on"):
        claim("fast", True)


def test_claim_html_is_escaped():
    assert "&lt;b&gt;" in claim("<b> {x}", True, x=1)._repr_html_()
