"""The collector of the profiler's counters: its plans, what it reads of ncu, what it refuses."""

import math

import pandas as pd
import pytest

from warpbook import results
from warpbook.measure import profiler as counters
from warpbook.launch import source

HEAD = '"ID","Process ID","Kernel Name","Device","Metric Name","Metric Unit","Metric Value"\n'


def _printed(*rows):
    noise = "==PROF== Connected to process 7 (python3)\nopted in to 65536 bytes\n"
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    return noise + HEAD + "\n".join(lines) + "\n==PROF== Disconnected\n"


def _row(number, kernel, metric, value):
    return (number, 7, kernel, 0, metric, "", value)


@pytest.mark.parametrize("line", counters.plan())
def test_every_planned_launch_fits_its_kernel(line):
    launch = counters.read(line)
    parsed = launch.parsed
    assert set(launch.shapes) == {p.name for p in parsed.parameters if p.pointer}
    assert set(launch.values) == {p.name for p in parsed.parameters if not p.pointer}
    assert math.prod(launch.grid) >= 1 and 1 <= math.prod(launch.block) <= 1024
    defines = {**parsed.defines, **dict(word.split("=", 1) for word in launch.defines.split())}
    for name, of in parsed.multiples.items():  # what the launch refuses, the profiler cannot count
        assert launch.values[name] % int(defines.get(of, of)) == 0


def test_planned_launches_are_distinct():
    rows = [(r.kernel, r.defines, r.size) for r in map(counters.read, counters.plan())]
    assert len(rows) == len(set(rows))


def test_grid_block_and_shapes_come_from_the_header():
    launch = counters.read("coalescing/01_strided STRIDE=4 n=1003")
    assert (launch.grid, launch.block) == ((4,), (256,))
    assert launch.shapes == {"in": (4012,), "out": (1003,)}
    assert [getattr(a, "shape", a) for a in launch.args()] == [(4012,), (1003,), 1003]


def test_a_line_may_set_grid_and_block():
    launch = counters.read("coalescing/01_strided n=64 grid=2,1 block=32")
    assert (launch.grid, launch.block) == ((2, 1), (32,))
    assert launch.size == "n=64 grid=2,1 block=32"


@pytest.mark.parametrize("line, said", [
    ("coalescing/01_strided STRIDE=4", "gives no value for n"),
    ("coalescing/99_none n=1", "there is no kernel"),
])
def test_a_line_that_does_not_fit_is_refused(line, said):
    with pytest.raises((ValueError, LookupError), match=said):
        counters.read(line)


def test_a_header_without_a_formula_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "topic"
    folder.mkdir()
    (folder / "01_any.cu").write_text(
        "// Launch:   block (any), grid (ceil(n/block))\n"
        'extern "C" __global__\nvoid topic_any(\n    float* out,  // [n]\n    int n) { }\n'
    )
    monkeypatch.setattr(source, "KERNELS", tmp_path)
    with pytest.raises(ValueError, match="grid of .*block.* is not defined.*Add grid="):
        counters.read("topic/01_any n=5 block=32")
    assert counters.read("topic/01_any n=5 block=32 grid=1").shapes == {"out": (5,)}


def test_dynamic_shared_memory_comes_from_the_header(tmp_path, monkeypatch):
    folder = tmp_path / "topic"
    folder.mkdir()
    (folder / "01_any.cu").write_text(
        "// Launch:   block (32), grid (ceil(n/32)),\n//           shared_bytes 4*(n + 1)\n"
        'extern "C" __global__\nvoid topic_any(\n    float* out,  // [n]\n    int n) { }\n'
    )
    monkeypatch.setattr(source, "KERNELS", tmp_path)
    assert counters.read("topic/01_any n=5").shared_bytes == 24
    assert counters.read("golden/global_load n=77").shared_bytes == 0


def test_patterns_are_a_topic():
    assert set(counters.plan("golden")) < set(counters.plan())
    assert counters.find("golden/global_load").is_relative_to(counters.TESTS)


def test_an_unknown_topic_is_refused():
    with pytest.raises(LookupError, match="There is one for: .*coalescing"):
        counters.plan("no_such_topic")


def test_parse_groups_by_launch_and_reads_numbers_with_commas():
    text = _printed(
        _row(0, "coalescing_strided(const float *, float *, int)", "sectors", "16,384"),
        _row(0, "coalescing_strided(const float *, float *, int)", "bytes", "1,048,576.50"),
        _row(1, "coalescing_float4", "sectors", "n/a"),
    )
    first, second = counters.parse(text)
    assert first == ("coalescing_strided", {"sectors": 16384, "bytes": 1048576.5})
    assert second[0] == "coalescing_float4" and math.isnan(second[1]["sectors"])


def test_parse_says_what_ncu_said_instead_of_a_table():
    with pytest.raises(RuntimeError, match="printed no table.*No kernels were profiled"):
        counters.parse("==WARNING== No kernels were profiled.\n")


def test_collect_pairs_launches_with_rows_in_order(monkeypatch):
    lines = ["coalescing/04_float4 n=64", "coalescing/01_strided STRIDE=2 n=64"]
    metric = counters.METRICS["global_ld_sectors"]
    rows = [_row(0, "coalescing_float4", metric, 8), _row(1, "coalescing_strided", metric, 16)]
    _fake_ncu(monkeypatch, _printed(*rows))
    table = counters.collect(lines)
    assert table["kernel"].tolist() == ["coalescing/04_float4", "coalescing/01_strided"]
    assert table["defines"].tolist() == ["", "STRIDE=2"]
    assert table[metric].tolist() == [8, 16]

    _fake_ncu(monkeypatch, _printed(rows[0]))
    with pytest.raises(RuntimeError, match="should have seen"):
        counters.collect(lines)


def test_collect_says_what_to_do_without_permission(monkeypatch):
    _fake_ncu(monkeypatch, "==ERROR== ERR_NVGPUCTRPERM - no permission\n", code=1)
    with pytest.raises(RuntimeError, match="Run as root"):
        counters.collect(["coalescing/04_float4 n=64"])


def test_profile_names_lines_and_metrics(monkeypatch, capsys):
    lines = ["coalescing/04_float4 n=64", "coalescing/01_strided STRIDE=2 n=64"]
    rows = [_row(i, kernel, metric, 10 * i + 5) for metric in counters.STALLS.values()
            for i, kernel in enumerate(("coalescing_float4", "coalescing_strided"))]  # fmt: skip
    _fake_ncu(monkeypatch, _printed(*rows))
    table = counters.profile(lines, counters.STALLS)
    assert table.index.tolist() == ["coalescing/04_float4", "coalescing/01_strided STRIDE=2"]
    assert table.columns.tolist() == list(counters.STALLS)
    assert (table.T == [5, 15]).all(axis=None)

    _fake_ncu(monkeypatch, "==ERROR== ERR_NVGPUCTRPERM - no permission\n", code=1)
    assert counters.profile(lines).isna().all(axis=None)
    assert "Run as root" in capsys.readouterr().out


def test_recorded_reads_every_gpu_under_the_books_names(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    with pytest.raises(LookupError, match="python -m warpbook.counters"):
        counters.recorded("coalescing")
    metrics = {metric: [1.0, 2.0] for metric in counters.METRICS.values()}
    pd.DataFrame({
        "gpu": "a GPU", "kernel": ["coalescing/04_float4", "other/01_x"],
        "defines": ["", "N=2"], "size": "n=64", **metrics,
    }).to_csv(tmp_path / "counters_a_gpu.csv", index=False)  # fmt: skip
    table = counters.recorded("coalescing")
    assert table.index.tolist() == [("a GPU", "coalescing/04_float4", "", "n=64")]
    assert list(table.columns) == list(counters.METRICS)


def _fake_ncu(monkeypatch, stdout, code=0):
    done = counters.subprocess.CompletedProcess([], code, stdout=stdout, stderr="")
    monkeypatch.setattr(counters, "_ncu", lambda: "ncu")
    monkeypatch.setattr(counters.subprocess, "run", lambda *_, **__: done)
