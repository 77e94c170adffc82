"""bench without a GPU: nothing is called a time that was not measured."""

import pandas as pd
import pytest

from warpbook.launch import kernel
from warpbook.launch.backend import GPU, cp
from warpbook.measure.bench import bench

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


def test_bench_needs_contestants():
    with pytest.raises(TypeError, match="needs contestants"):
        bench(bytes=1)


def test_sweeps_concatenate(copy):
    sweep = pd.concat({n: bench(copy=run(copy, n)) for n in (1024, 2048)}, names=["n"])
    assert sweep.index.names == ["n", "contestant"]
