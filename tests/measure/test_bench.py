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


def test_every_bench_leaves_its_races_while_a_page_is_recorded(copy, tmp_path, monkeypatch):
    monkeypatch.setenv(results.RECORDING, str(tmp_path))
    bench(bytes={"a": 8, "b": 16}, a=run(copy), b=run(copy))
    bench(flops=32, size="named", c=run(copy))
    rows = results.read(tmp_path / "races.csv")
    assert [(r["bench"], r["contestant"]) for r in rows] == [(1, "a"), (1, "b"), (2, "c")]
    assert [r["bytes"] for r in rows[:2]] == [8, 16] and rows[2]["flops"] == 32
    assert pd.isna([rows[0]["flops"], rows[2]["bytes"], rows[0]["ms"]]).all()


def test_times_of_a_gpu_go_into_the_races_with_what_they_need(copy, tmp_path, monkeypatch):
    times = {"ms": 2.0, "p20_ms": 1.0, "p80_ms": 3.0}
    pool = SimpleNamespace(used_bytes=lambda: 96)
    monkeypatch.setenv(results.RECORDING, str(tmp_path))
    monkeypatch.setattr(module, "GPU", True)
    monkeypatch.setattr(module, "timed", lambda runs: {n: times | {"needs": "sm_80"} for n in runs})
    monkeypatch.setattr(cp, "get_default_memory_pool", lambda: pool, raising=False)
    assert list(bench(a=run(copy))) == ["ms", "p20_ms", "p80_ms"]
    (row,) = results.read(tmp_path / "races.csv")
    assert (row["ms"], row["needs"], row["held_bytes"]) == (2, "sm_80", 96)


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
