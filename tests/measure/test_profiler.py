"""The profiler's counters: how launches reach ncu, what is read of it, what is refused."""

import math
import os
import subprocess
from types import SimpleNamespace

import pandas as pd
import pytest
from helpers import TESTS

from warpbook import results
from warpbook.launch.lines import launch_line, listed, topics
from warpbook.measure import profiler

HEAD = '"ID","Process ID","Kernel Name","Device","Metric Name","Metric Unit","Metric Value"\n'


LINES = ["coalescing/04_float4 n=64", "coalescing/01_strided STRIDE=2 n=64"]


def _printed(*rows):
    noise = "==PROF== Connected to process 7 (python3)\nopted in to 65536 bytes\n"
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    return noise + HEAD + "\n".join(lines) + "\n==PROF== Disconnected\n"


def _row(number, kernel, metric, value):
    return (number, 7, kernel, 0, metric, "", value)


def test_an_unknown_topic_is_refused(monkeypatch):
    monkeypatch.setattr(profiler, "GPU", True)
    with pytest.raises(LookupError, match="There is one for: .*coalescing"):
        profiler.collect_topics(["no_such_topic"])


@pytest.mark.skipif(profiler.GPU, reason="says what is said where there is no GPU")
def test_counters_need_a_gpu():
    with pytest.raises(RuntimeError, match="needs a GPU, and ncu"):
        profiler.collect_topics(["coalescing"])


def test_parse_groups_by_launch_and_reads_numbers_with_commas():
    text = _printed(
        _row(0, "coalescing_strided(const float *, float *, int)", "sectors", "16,384"),
        _row(0, "coalescing_strided(const float *, float *, int)", "bytes", "1,048,576.50"),
        _row(1, "coalescing_float4", "sectors", "n/a"),
    )
    first, second = profiler.parse(text)
    assert first == ("coalescing_strided", {"sectors": 16384, "bytes": 1048576.5})
    assert second[0] == "coalescing_float4" and math.isnan(second[1]["sectors"])


def test_parse_says_what_ncu_said_instead_of_a_table():
    with pytest.raises(RuntimeError, match="printed no table.*No kernels were profiled"):
        profiler.parse("==WARNING== No kernels were profiled.\n")


def test_collect_pairs_launches_with_rows_in_order(monkeypatch):
    metric = profiler.METRICS["global_ld_sectors"]
    rows = [_row(0, "coalescing_float4", metric, 8), _row(1, "coalescing_strided", metric, 16)]
    _fake_ncu(monkeypatch, _printed(*rows))
    launches = [launch_line(line) for line in LINES]
    table = profiler.collect(launches)
    assert table["kernel"].tolist() == ["coalescing/04_float4", "coalescing/01_strided"]
    assert table["defines"].tolist() == ["", "STRIDE=2"]
    assert table[metric].tolist() == [8, 16]

    _fake_ncu(monkeypatch, _printed(rows[0]))
    with pytest.raises(RuntimeError, match="should have seen"):
        profiler.collect(launches)


def test_what_ncu_watches_launches_the_same_lines_from_the_same_folder(monkeypatch):
    launches = listed(TESTS / "golden" / "counters.txt")[:2]
    entries = [launch.parsed.entry for launch in launches]
    rows = [_row(i, e, profiler.METRICS["sass_instructions"], 1) for i, e in enumerate(entries)]
    commands = _fake_ncu(monkeypatch, _printed(*rows))
    profiler.collect(launches, kernels=TESTS)
    *_, python, option, program, folder, first, second = commands[0]
    assert (option, folder) == ("-c", str(TESTS))
    assert [launch_line(line, TESTS) for line in (first, second)] == launches
    monkeypatch.undo()  # and it runs
    emulated = os.environ | {"WARPBOOK_EMULATE": "1"}
    subprocess.run([python, option, program, folder, first, second], check=True, env=emulated)


def test_collect_says_what_to_do_without_permission(monkeypatch):
    _fake_ncu(monkeypatch, "==ERROR== ERR_NVGPUCTRPERM - no permission\n", code=1)
    with pytest.raises(RuntimeError, match="Run as root"):
        profiler.collect([launch_line(LINES[0])])


def test_profile_names_lines_and_metrics(monkeypatch, capsys):
    rows = [
        _row(i, kernel, metric, 10 * i + 5)
        for metric in profiler.STALLS.values()
        for i, kernel in enumerate(("coalescing_float4", "coalescing_strided"))
    ]
    _fake_ncu(monkeypatch, _printed(*rows))
    table = profiler.profile(LINES, profiler.STALLS)
    assert table.index.tolist() == ["coalescing/04_float4", "coalescing/01_strided STRIDE=2"]
    assert table.columns.tolist() == list(profiler.STALLS)
    assert (table.T == [5, 15]).all(axis=None)

    _fake_ncu(monkeypatch, "==ERROR== ERR_NVGPUCTRPERM - no permission\n", code=1)
    assert profiler.profile(LINES).isna().all(axis=None)
    assert "Run as root" in capsys.readouterr().out


@pytest.fixture
def gpus(tmp_path, monkeypatch):
    """Two GPUs, of which one asks ncu after the other; a function of a GPU's name and topics."""

    def collect(name, *topics):
        monkeypatch.setattr(profiler, "GPU", True)
        monkeypatch.setattr(profiler, "device", lambda: SimpleNamespace(name=name))
        monkeypatch.setattr(profiler, "collect", lambda launches, **_: _counts(launches))
        profiler.collect_topics(topics)

    monkeypatch.setattr(results, "FOLDER", tmp_path)
    return collect


def _counts(launches):
    named = [{"kernel": x.kernel, "defines": x.defines, "size": x.size} for x in launches]
    return pd.DataFrame(named).assign(**dict.fromkeys(profiler.METRICS.values(), 1.0))


def test_committed_counters_are_of_every_gpu_under_the_books_names(gpus):
    with pytest.raises(LookupError, match="python -m warpbook profile coalescing"):
        profiler.committed_counters("coalescing")
    gpus("A GPU", "coalescing", "peaks")
    gpus("B GPU", "coalescing")
    table = profiler.committed_counters("coalescing")
    lines = [(x.kernel, x.defines, x.size) for x in listed(topics()["coalescing"])]
    assert table.index.tolist() == [(gpu, *x) for gpu in ("A GPU", "B GPU") for x in lines]
    assert list(table.columns) == list(profiler.METRICS)


def test_a_counters_txt_may_lie_anywhere(gpus, tmp_path):
    gpus("A GPU", str(TESTS / "golden" / "counters.txt"))
    kept = profiler.read(tmp_path / "a_gpu" / "counters" / "golden.csv")
    assert len(kept) == len(listed(TESTS / "golden" / "counters.txt"))


def _fake_ncu(monkeypatch, stdout, code=0):
    """Let ncu print this; returns the list of the commands that it will have been given."""
    commands = []

    def run(command, **_):
        commands.append(command)
        return subprocess.CompletedProcess(command, code, stdout=stdout, stderr="")

    monkeypatch.setattr(profiler, "_ncu", lambda: "ncu")
    monkeypatch.setattr(profiler.subprocess, "run", run)
    return commands
