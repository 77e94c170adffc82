"""What Triton compiles for sm_90, which the emulator's authors have not written: see triton/."""

import json
from pathlib import Path

import numpy as np
from emulator_helpers import program_of_ptx

FOLDER = Path(__file__).parent / "triton"


def launch(name, grid, args, scratch, **settings):
    """Run a kernel on its arguments; Triton adds two pointers, to memory for maps and for a
    profile.
    """
    text = (FOLDER / f"{name}.ptx").read_text(encoding="utf-8")
    about = json.loads(text.partition("\n")[0].removeprefix("// "))
    shape = grid, (32 * about["warps"],)
    args = [*args, scratch, np.uint64(0)]
    program = program_of_ptx(text, name, "kernels.py")
    program.launch(*shape, args, shared_bytes=about["shared"], **settings)


def test_softmax(rng):
    x, out = rng.standard_normal((5, 992)).astype("f4"), np.full((5, 992), np.nan, "f4")
    launch("softmax", (5,), [x, out, np.int32(992)], np.uint64(0), rtol=1e-7)
    want = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, want / want.sum(axis=1, keepdims=True), rtol=1e-5)


def matrices(rng, m, n, k):
    a, b = (rng.integers(-7, 8, shape) / 4 for shape in ((m, k), (k, n)))
    return a.astype("f2"), b.astype("f2"), a @ b


def test_matmul(rng):
    """Copies in stages with cp.async, and wgmma."""
    m, n, k = 112, 80, 96
    a, b, want = matrices(rng, m, n, k)
    c = np.full((m, n), np.nan, "f4")
    launch("matmul", (2, 2), [a, b, c, *map(np.int32, (m, n, k))], np.uint64(0))
    assert (c == want).all()


def test_matmul_with_tensor_maps(rng):
    """The kernel makes the maps; it copies with them in both directions."""
    m, n, k = 112, 80, 96
    a, b, want = matrices(rng, m, n, k)
    c, scratch = np.full((m, n), np.nan, "f2"), np.zeros(4 * 384, "u1")
    args = [a, b, c, *map(np.int32, (m, n, k))]
    launch("matmul_maps", (2, 2), args, scratch, not_on_gpu="it leaves its maps in scratch")
    assert (c == want.astype("f2")).all()
