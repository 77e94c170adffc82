"""device and bench without a GPU: nothing is called a time that was not measured."""

import numpy as np
import pandas as pd
import pytest

from warpbook.launch import kernel
from warpbook.gpu import device as timing
from warpbook.launch.backend import GPU, cp, pick

pytestmark = pytest.mark.skipif(GPU, reason="says what bench and device do where there is no GPU")


@pytest.fixture(scope="module")
def copy():
    return kernel.load("peaks/01_copy", QUADS=1)


def run(copy, n=4096):
    a, b = cp.ones(n, cp.float32), cp.zeros(n, cp.float32)
    return lambda: copy(-(-n // 1024), 256, a, b, n)


def test_bench_counts_and_times_nothing(copy):
    table = timing.bench(bytes=8 * 4096, copy=run(copy), twice=lambda: (run(copy)(), run(copy)()))
    assert list(table.index) == ["copy", "twice"]
    assert table[["ms", "p20_ms", "p80_ms", "gb_per_s", "of_bound"]].isna().all(axis=None)
    assert table.sectors["copy"] == 2 * 4 * 4096 / 32
    assert table.sectors["twice"] == 2 * table.sectors["copy"]
    assert (table.ptx_instructions > 0).all()


def test_bench_has_only_the_columns_it_was_given_work_for(copy):
    assert "gflop_per_s" not in timing.bench(bytes=1, copy=run(copy))
    assert "of_bound" not in timing.bench(copy=run(copy))


def test_bench_takes_work_by_contestant(copy):
    with pytest.raises(KeyError, match="no entry for 'copy'; it has other"):
        timing.bench(bytes={"other": 1}, copy=run(copy))


def test_bench_needs_contestants():
    with pytest.raises(TypeError, match="needs contestants"):
        timing.bench(bytes=1)


def test_sweeps_concatenate(copy):
    sweep = pd.concat({n: timing.bench(copy=run(copy, n)) for n in (1024, 2048)}, names=["n"])
    assert sweep.index.names == ["n", "contestant"]


@pytest.mark.parametrize("ms, rounds", [(0.0, 40), (50, 20), (400, 10), (4999, 10), (5001, 3)])
def test_slow_contestants_run_less_often(monkeypatch, ms, rounds):
    times = []
    monkeypatch.setattr(timing, "_scrubber", lambda: None)
    monkeypatch.setattr(timing, "_event_overhead_ms", lambda: 0.0)
    monkeypatch.setattr(timing, "_scrubs_that_hide", lambda run, scrub: 1)
    monkeypatch.setattr(timing, "_sample", lambda run, scrub, scrubs: times.append(ms) or ms)
    assert timing._timed({"slow": lambda: None})["slow"]["ms"] == ms
    assert len(times) == rounds


def test_device_measures_nothing_and_says_so():
    d = timing.device()
    assert np.isnan([d.copy_gb_per_s, d.fma_tflop_per_s, d.fma_clock_mhz]).all()
    assert "No GPU here" in repr(d) and "no time" in d._repr_html_()
    assert d.sms == 132 and d.compute_capability == (9, 0)


def test_pick():
    assert pick(gpu=1 << 28, emulated=12) == 12
