"""bench without a GPU: nothing is called a time that was not measured."""

from types import SimpleNamespace

import pandas as pd
import pytest

from warpbook import results
from warpbook.launch import kernel
from warpbook.launch.backend import GPU, cp
from warpbook.measure import bench as module
from warpbook.measure.bench import bench, feasible

pytestmark = pytest.mark.skipif(GPU, reason="says what bench does where there is no GPU")


@pytest.fixture(scope="module")
def copy():
    return kernel.load("peaks/01_copy", QUADS=1)


def run(copy, n=4096):
    a, b = cp.ones(n, cp.float32), cp.zeros(n, cp.float32)
    return lambda: copy(-(-n // 1024), 256, a, b, n)


def test_bench_counts_and_times_nothing(copy):
    table = bench(bytes=8 * 4096, copy=run(copy), twice=lambda: (run(copy)(), run(copy)()))
    assert list(table.index) == ["copy", "twice"]
    assert table[["ms", "p20_ms", "p80_ms", "gb_per_s", "of_bound"]].isna().all(axis=None)
    assert table.sectors["copy"] == 2 * 4 * 4096 / 32
    assert table.sectors["twice"] == 2 * table.sectors["copy"]
    assert (table.ptx_instructions > 0).all()


def test_bench_has_only_the_columns_it_was_given_work_for(copy):
    assert "gflop_per_s" not in bench(bytes=1, copy=run(copy))
    assert "of_bound" not in bench(copy=run(copy))


def test_bench_takes_work_by_contestant(copy):
    with pytest.raises(KeyError, match="no entry for 'copy'; it has other"):
        bench(bytes={"other": 1}, copy=run(copy))


def test_the_clock_is_kept_and_widens_no_table(copy, tmp_path, monkeypatch):
    """It goes into the results and, on demand, comes with the table."""
    clocks = {"fast": 1980.0, "hot": 1425.3}
    times = {"ms": 2.0, "p20_ms": 1.0, "p80_ms": 3.0}
    monkeypatch.setenv(results.RECORDING, str(tmp_path))
    monkeypatch.setattr(module, "GPU", True)
    monkeypatch.setattr(
        module, "timed", lambda runs: {n: times | {"sm_clock_mhz": clocks[n]} for n in runs}
    )
    monkeypatch.setattr(module, "bound_ms", lambda bytes, flops: 1.0)
    table = bench(size="named", fast=run(copy), hot=run(copy))
    assert list(table) == ["ms", "p20_ms", "p80_ms"]
    assert table.attrs["sm_clock_mhz"] == {"fast": 1980, "hot": 1425}
    wide = table.assign(mhz=pd.Series(table.attrs["sm_clock_mhz"]))
    assert wide.mhz["hot"] == 1425
    rows = results.read(tmp_path / "measurements.csv")
    assert {r["kernel"]: r["sm_clock_mhz"] for r in rows} == {"fast": 1980, "hot": 1425}


def test_rates_and_the_share_of_the_bound_follow_from_the_time(copy, monkeypatch):
    row = {"ms": 4.0, "p20_ms": 3.0, "p80_ms": 5.0, "sm_clock_mhz": 1980.0}
    monkeypatch.setattr(module, "GPU", True)
    monkeypatch.setattr(module, "timed", lambda runs: dict.fromkeys(runs, row))
    monkeypatch.setattr(module, "bound_ms", lambda bytes, flops: bytes / 8e9 + flops / 1e12)
    table = bench(bytes=8e9, flops=2e12, copy=run(copy)).loc["copy"]
    assert (table.of_bound, table.gb_per_s, table.gflop_per_s) == (0.75, 2000, 500_000)


def test_without_a_gpu_no_clock_was_read(copy):
    clocks = bench(copy=run(copy)).attrs["sm_clock_mhz"]
    assert list(clocks) == ["copy"] and pd.isna(clocks["copy"])


def test_bench_needs_contestants():
    with pytest.raises(TypeError, match="needs contestants"):
        bench(bytes=1)


def test_sweeps_concatenate(copy):
    sweep = pd.concat({n: bench(copy=run(copy, n)) for n in (1024, 2048)}, names=["n"])
    assert sweep.index.names == ["n", "contestant"]


def test_sizes_that_a_gpu_cannot_hold_or_takes_too_long_for_are_left_out(monkeypatch, capsys):
    def t4(sides):
        return feasible(sides, memory=lambda n: 12 * n**2, flops=lambda n: 17 * 2 * n**3)

    assert t4([1024, 16384]) == [1024, 16384]  # the emulator's sizes are small already
    monkeypatch.setattr(module, "GPU", True)
    monkeypatch.setattr(module, "device", lambda: SimpleNamespace(fma_tflop_per_s=8.1))
    monkeypatch.setattr(cp.cuda.Device, "mem_info", (15e9, 15.8e9), raising=False)
    assert t4([1024, 8192, 16384, 65536]) == [1024, 8192]
    assert "Left out, too large or too slow for this GPU: 16384, 65536." in capsys.readouterr().out
    assert t4([8192]) == [8192] and not capsys.readouterr().out
    monkeypatch.setattr(cp.cuda.Device, "mem_info", (5e8, 1e9), raising=False)
    assert t4([8192, 4096]) == [4096]
