"""What a GPU wrote is recorded, merged and compared; planted, each way to differ is found."""

import json
import os

import emulator_helpers
import gpu_results
import numpy as np
import pytest

TEXT = """
__device__ int total[2];
extern "C" __global__ void k(const float* a, float* out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = a[i] + 1;
    if (i == 0) total[1] = n;
}"""
NAME = "test_of_a_test.py::test_it[a b]"
HEAD = {"gpu": "A GPU"}


class StandIn:
    """In place of a GPU: it writes what the emulator wrote, one element larger by ``more``."""

    more = 0

    def __init__(self, compiled):
        self.compiled = compiled

    def launch(self, grid, block, args, before, held, shared_bytes):
        for owner in emulator_helpers.owners(args):
            before[id(owner)][...] = owner
        before[id(args[1])][19] += self.more
        for name in held:
            held[name][...] = self.compiled.variables[name]


@pytest.fixture
def launch(monkeypatch):
    """Launch as NAME would, once or more often."""

    def launch(text=TEXT, n=20, times=1, **settings):
        gpu_results.launched.clear()
        with monkeypatch.context() as patch:
            patch.setenv("PYTEST_CURRENT_TEST", f"emulator/tests/{NAME} (call)")
            for k in range(times):
                a, out = np.arange(32, dtype="f4"), np.full(32, np.nan, "f4")
                args = [a, out, np.int32(n + k)]
                emulator_helpers.program(text).launch((1,), (32,), args, **settings)

    return launch


@pytest.fixture
def results(monkeypatch, tmp_path):
    """A file of results, still missing, in place of the book's; nothing waits; without a GPU."""
    path = tmp_path / "results.json"
    monkeypatch.setattr(emulator_helpers, "HW", False)
    monkeypatch.setattr(gpu_results, "RESULTS", path)
    monkeypatch.setattr(gpu_results, "WAITING", [])
    gpu_results.recorded.cache_clear()
    yield path
    gpu_results.recorded.cache_clear()


@pytest.fixture
def record(monkeypatch, tmp_path, launch, results):
    """Record launches with the stand-in, merge them, and go back to comparing."""

    def record(**settings):
        with monkeypatch.context() as patch:
            patch.setattr(emulator_helpers, "HW", True)
            patch.setattr(emulator_helpers, "OnGpu", StandIn)
            patch.setattr(gpu_results, "RECORD", tmp_path / "parts")
            try:
                launch(**settings)
            finally:
                results.write_text(gpu_results.merge(tmp_path / "parts", HEAD), encoding="utf-8")

    return record


def test_what_is_recorded_passes(record, launch, results):
    record(times=3)
    assert json.loads(results.read_text(encoding="utf-8"))["recorded"] == HEAD
    entries = gpu_results.recorded()[NAME]
    assert [list(entry["wrote"]) for entry in entries] == [["a", "out", "__device__ total"]] * 3
    launch(times=3)


@pytest.mark.parametrize("name", ["a", "out", "__device__ total"])
def test_another_result_fails(record, launch, name):
    record()
    gpu_results.recorded()[NAME][0]["wrote"][name] = gpu_results.digest(b"planted")
    with pytest.raises(AssertionError, match=f"launch 0: the GPU wrote something else into {name}"):
        launch()


def test_one_wrong_element_fails(record, launch, monkeypatch):
    """Of either: what the GPU wrote is kept also where the emulator wrote something else."""
    monkeypatch.setattr(StandIn, "more", 2.0**-19)
    with pytest.raises(AssertionError, match="1 of 32 differ; element 19: the emulator wrote"):
        record()
    with pytest.raises(AssertionError, match="launch 0: the GPU wrote something else into out"):
        launch()


def test_floats_within_the_tolerance(record, launch):
    record(rtol=1e-3)
    wrote = gpu_results.recorded()[NAME][0]["wrote"]
    assert len(wrote["out"]) > len(wrote["__device__ total"]) == 16
    launch(rtol=1e-3)
    for change, agrees in ((1.0005, True), (1.01, False)):
        out = np.arange(1, 33, dtype="f4") * np.float32(change)
        out[20:] = np.nan
        wrote["out"] = gpu_results.kept(out, 1e-3)
        if agrees:
            launch(rtol=1e-3)
        else:
            with pytest.raises(AssertionError, match="something else into out"):
                launch(rtol=1e-3)


AGAIN = "Record anew on a GPU, as CONTRIBUTING.md says"


@pytest.mark.parametrize(
    "settings",
    [{"text": TEXT + " // edited"}, {"n": 21}, {"rtol": 1e-3}, {"shared_bytes": 64}],
    ids=str,
)
def test_an_edited_launch_is_to_be_recorded_anew(record, launch, settings):
    record()
    launch()
    with pytest.raises(pytest.fail.Exception, match=f"another text or inputs. {AGAIN}"):
        launch(**settings)


def test_a_launch_that_nobody_recorded_fails(record, launch):
    record()
    with pytest.raises(pytest.fail.Exception, match=f"launch 1: .* no such launch. {AGAIN}"):
        launch(times=2)


def test_no_results_at_all_fail(launch, results, monkeypatch):
    with pytest.raises(FileNotFoundError):
        launch()
    results.write_text(gpu_results.merge(results.parent, HEAD), encoding="utf-8")  # of no launches
    with pytest.raises(pytest.fail.Exception, match=AGAIN):
        launch()
    monkeypatch.setattr(gpu_results, "WAITING", ["test_of_a"])
    launch()


def test_any_nan_is_as_good():
    nans = np.array([np.nan, -np.nan], "f2")
    assert gpu_results.kept(nans[:1], 0) == gpu_results.kept(nans[1:], 0)
    assert gpu_results.kept(np.zeros(1), 0) != gpu_results.kept(-np.zeros(1), 0)


def test_parts_are_merged_in_order(tmp_path):
    entries = {(test, number): {"given": f"{test}{number}"} for test in "ba" for number in (0, 1)}
    for part, keys in enumerate(([("b", 1), ("a", 0)], [("a", 1), ("b", 0), ("a", 0)])):
        lines = [json.dumps([*key, entries[key]]) for key in keys]
        (tmp_path / f"{part}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    merged = json.loads(gpu_results.merge(tmp_path, HEAD))["launches"]
    assert list(merged) == ["a", "b"]
    assert merged == {test: [entries[test, 0], entries[test, 1]] for test in "ab"}
    (tmp_path / "2.jsonl").write_text(json.dumps(["a", 0, {"given": "other"}]), encoding="utf-8")
    with pytest.raises(SystemExit, match="a, launch 0 is recorded twice"):
        gpu_results.merge(tmp_path, HEAD)
    (tmp_path / "2.jsonl").write_text(json.dumps(["c", 1, {}]), encoding="utf-8")
    with pytest.raises(SystemExit, match="c, launch 0 is missing"):
        gpu_results.merge(tmp_path, HEAD)


# The book's own results --------------------------------------------------------------------------
def test_the_results_are_there():
    """Without them, each launch of these tests fails; but for the tests that wait."""
    assert gpu_results.recorded() or gpu_results.WAITING == ["test_"]


@pytest.mark.skipif("SEEDS" in os.environ, reason="these seeds wait")
def test_nothing_that_is_recorded_waits():
    left = [test for test in gpu_results.recorded() if gpu_results.waits(test)]
    assert not left, "take it off WAITING in tests/gpu_results.py"
