"""What a header's formula says, where a program can read it."""

import numpy as np
import pytest

from warpbook.launch import formulas
from warpbook.launch.lines import launch_line


def read(formula, numbers=None, **arrays):
    text = f"// topic/01_any: any.\n//\n// {formula}\n//\n// Launch:   block (32)\n"
    return formulas.reference(text, arrays, numbers or {})


def test_elements_sums_numbers_and_defines():
    rng = np.random.default_rng(0)
    a, b, c = rng.random((3, 4)), rng.random((4, 5)), rng.random((3, 5))
    said = (
        "c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])\n//     + beta * c[row, col]"
    )
    want = read(said, {"alpha": 2, "beta": 3}, a=a, b=b, c=c)["c"]
    np.testing.assert_allclose(want, 2 * a @ b + 3 * c)
    x = np.arange(8.0)
    assert read("out[i] = in[STRIDE * i] - 1", {"STRIDE": 2}, **{"in": x, "out": x[:4]})[
        "out"
    ].tolist() == [-1, 1, 3, 5]
    out = read("out[r] = sum over i of sum over j of a[r, i] * b[i, j]", a=a, b=b, out=c[:, 0])
    np.testing.assert_allclose(out["out"], (a @ b).sum(1))
    swapped = read("out[c, r] = in[r, c]", **{"in": a, "out": np.zeros((4, 3))})["out"]
    np.testing.assert_allclose(swapped, a.T)


@pytest.mark.parametrize(
    "formula, why",
    [
        ("out[i] = the sum of all", "in words"),
        ("out[i] = in[i] + ... + in[i]", "in words"),
        ("out[i] = __import__('os').system('x')", "in words"),
        ("out[i] = in.shape[i]", "no array of floats"),
        ("out[i] = in[i + 1]", "beyond an array's ends"),
        ("out[i] = in[i - 1]", "beyond an array's ends"),
        ("out[i] = sum over j of in[i]", "end cannot be told"),
        ("out[i] = whole[i]", "no array of floats"),
        ("other[i] = in[i]", "no formula for each element of other"),
        ("out[i, j] = in[i]", "no formula for each element of out"),
        ("out = in", "no formula"),
    ],
)
def test_what_is_not_read_is_never_guessed(formula, why):
    x = np.arange(8.0)
    with pytest.raises(formulas.Unread, match=why):
        read(formula, **{"in": x, "out": x, "whole": x.astype(int)})


def test_a_long_reference_is_not_computed(monkeypatch):
    monkeypatch.setattr(formulas, "MOST", 99)
    x = np.zeros((10, 10))
    with pytest.raises(formulas.Unread, match="too long"):
        read("out[r] = sum over c of in[r, c]", **{"in": x, "out": x[0]})


@pytest.mark.parametrize(
    "line", ["transpose/01_naive rows=3 cols=5", "matmul/01_naive m=3 n=2 k=4 alpha=2 beta=0.5"]
)
def test_the_books_formulas_are_read(line):
    launch = launch_line(line)
    args = launch.args()
    arrays = {p.name: a for p, a in zip(launch.parsed.parameters, args, strict=True) if p.pointer}
    ((name, want),) = formulas.reference(launch.parsed.text, arrays, launch.numbers()).items()
    if name == "out":
        np.testing.assert_allclose(want, arrays["in"].T)
    else:
        a, b, c = (arrays[n].astype(np.float64) for n in "abc")
        np.testing.assert_allclose(want, 2 * a @ b + 0.5 * c)
