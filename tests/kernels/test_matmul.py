"""Every step of the matmul course is right at every size, whatever c held before, and carries NaN.

The exhaustive part, all sizes from 1 to 70, runs on a GPU; here a few sizes straddle each tile.
"""

import numpy as np
import pytest

from warpbook.launch import source
from warpbook.launch.backend import GPU, cp
from warpbook.launch.kernel import load
from warpbook.launch.lines import launch_line
from warpbook.measure.checks import check, poisoned

SMALL = dict(BM=32, BN=32, WM=32, WN=32, TM=8, TN=4)  # tiles with few threads
SIZES = (
    (1, 1, 1),
    (3, 5, 7),
    (17, 16, 15),
    (31, 33, 32),
    (64, 64, 64),
    (65, 63, 33),
    (127, 129, 9),
    (131, 12, 53),
    (129, 257, 17),
)
STEPS = [
    ("01_naive", {}),
    ("02_coalesced", {}),
    ("02_past_l1", {}),
    ("03_tiled", {}),
    ("03_tiled", dict(TILE=7)),
    ("03_spread", {}),
    ("03_spread", dict(TILE=7, SPREAD=3)),
    ("04_rectangular", {}),
    ("04_rectangular", dict(BM=8, BN=16, BK=5)),
    ("04_padded", {}),
    ("04_padded", dict(BM=8, BN=16, BK=5, PAD=1)),
    ("04_unrolled", dict(BM=4, BN=64, UNROLL=8)),
    ("05_dynamic", {}),
    ("05_rows", {}),
    ("05_rows", dict(BM=8, BN=16, BK=5)),
    ("06_private", {}),
    ("06_private", dict(TILE=3)),
    ("07_thread_1d", {}),
    ("08_thread_2d", {}),
    ("09_transposed", {}),
    ("10_float4", {}),
    ("10_float4", dict(VEC=1)),
    ("11_extra_columns", {}),
    ("11_extra_columns", dict(VEC=1)),
    ("11_interleaved", {}),
    ("11_interleaved", dict(VEC=1)),
    ("12_conflict_free", {}),
    ("12_conflict_free", dict(VEC=1)),
    ("13_warp_tiles", {}),
    ("13_warp_tiles", dict(VEC=1)),
    ("14_double_buffer", {}),
    ("14_double_buffer", dict(VEC=1)),
    ("15_cp_async", {}),
    ("15_cp_async", dict(VEC=1, STAGES=2)),
    ("16_sgemm", {}),
    ("16_sgemm", dict(VEC=1, HANDOVER=0, **SMALL)),
    ("16_sgemm", dict(BK=16, STAGES=3, **SMALL)),
    ("16_sgemm", dict(VEC=2, HANDOVER=0, **SMALL)),
    ("16_sgemm", dict(HANDOVER=0, **SMALL)),
    ("16_sgemm", dict(HANDOVER=0)),
    ("16_sgemm", dict(VEC=1)),
    ("17_through_registers", {}),
    ("17_through_registers", dict(VEC=1, AHEAD=0)),
    ("18_hoisted", {}),
    ("18_hoisted", dict(VEC=1, STAGES=2, UNROLL=8)),
    ("19_fragments", {}),
    ("19_fragments", dict(VEC=2, STAGES=4)),
    ("20_large_tiles", {}),
    ("20_large_tiles", dict(VEC=1)),
    ("21_persistent", {}),
    ("21_persistent", dict(BK=16, GROUP=1, **SMALL)),
    ("22_shared_tiles", {}),
    ("22_shared_tiles", dict(HANDOVER=0)),
    ("22_shared_tiles", dict(VEC=1, HANDOVER=0, **SMALL)),
    ("22_shared_tiles", dict(VEC=2, BK=16, STAGES=2, HANDOVER=0, **SMALL)),
]
ANY_GRID = {"16_sgemm", "21_persistent", "22_shared_tiles"}  # right with any number of blocks


def launch_of(step, defines, m, n, k):
    """The Launch of a step for c of m x n, with the grid and block that its 'Launch:' says."""
    given = {**defines, "m": m, "n": n, "k": k, "alpha": 1, "beta": 0}
    given |= {"grid": 3} if step in ANY_GRID else {}
    words = " ".join(f"{name}={value}" for name, value in given.items())
    return launch_line(f"matmul/{step} {words}")


def fitting(step, defines, size):
    """The size, rounded up to the multiples that the step's 'Assumes:' wants."""
    parsed = source.parse(source.find(f"matmul/{step}"))
    values = parsed.defines | defines
    least = {name: int(values.get(of, of)) for name, of in parsed.multiples.items()}
    names = zip("mnk", size, strict=True)
    return tuple(-(-length // least.get(x, 1)) * least.get(x, 1) for x, length in names)


def run(kernel, step, defines, a, b, c, alpha, beta):
    """Launch once; c is changed."""
    (m, k), n = a.shape, b.shape[1]
    at = launch_of(step, defines, m, n, k)
    kernel(at.grid, at.block, a, b, c, m, n, k, alpha, beta, shared_bytes=at.shared_bytes)


def label(value):
    return value if isinstance(value, str) else "-".join(f"{k}{v}" for k, v in value.items()) or "-"


@pytest.mark.parametrize("step, defines", STEPS, ids=label)
def test_a_step_is_right(step, defines):
    rng, kernel = np.random.default_rng(1), load(f"matmul/{step}", **defines)
    sizes = SIZES + tuple((i, i, i) for i in range(1, 71)) if GPU else SIZES
    for i, size in enumerate(dict.fromkeys(fitting(step, defines, size) for size in sizes)):
        m, n, k = size
        a, b, c = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n), (m, n)))
        alpha, beta = ((1.0, 0.0), (-1.5, 0.5))[i % 2]
        want = alpha * a.astype(np.float64) @ b + (beta * c if beta else 0)
        got = cp.asarray(c) if beta else poisoned((m, n))
        run(kernel, step, defines, cp.asarray(a), cp.asarray(b), got, alpha, beta)
        check(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("beta", [0.0, 0.5])
@pytest.mark.parametrize("step, defines", STEPS, ids=label)
def test_nan_and_infinity_are_carried(step, defines, beta):
    """From a and b into c, and from c where beta is not 0; where it is, c holds NaN all over."""
    rng = np.random.default_rng(2)
    a, b, c = (rng.standard_normal((36, 36)).astype(np.float32) for _ in range(3))
    a[3, 5], a[35, 19], b[2, 7], b[19, 35] = np.inf, np.nan, np.nan, -np.inf
    c[0, 0], c[17, 30], c[35, 1] = np.nan, np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        want = a.astype(np.float64) @ b + (beta * c if beta else 0.0)
    got = cp.asarray(c) if beta else poisoned((36, 36))
    kernel = load(f"matmul/{step}", **defines)
    run(kernel, step, defines, cp.asarray(a), cp.asarray(b), got, 1.0, beta)
    got = cp.asnumpy(got)
    for kind in (np.isnan, np.isposinf, np.isneginf):
        assert np.array_equal(kind(got), kind(want))


@pytest.mark.parametrize(
    "name, tile", [("03_ints", 1), ("03_ints", 7), ("03_ints", 32), ("06_private_ints", 3)]
)
def test_a_product_of_whole_numbers_is_exact(name, tile):
    rng, kernel = np.random.default_rng(3), load(f"matmul/{name}", TILE=tile)
    for i, (m, n, k) in enumerate(SIZES[:6]):
        a, b, c = (rng.integers(-99, 99, s, dtype=np.int32) for s in ((m, k), (k, n), (m, n)))
        got = cp.asarray(c.copy())
        kernel.run(cp.asarray(a), cp.asarray(b), got, m, n, k, -3, i % 2)
        assert np.array_equal(cp.asnumpy(got), -3 * (a @ b) + i % 2 * c)
