"""The clock: how often a contestant runs."""

import math
from types import SimpleNamespace

import pytest

from warpbook.gpu import clock
from warpbook.launch import kernel
from warpbook.launch.backend import cp


@pytest.fixture
def taken(monkeypatch):
    """Let each run take what it returns; collects what the clock saw."""
    times = []

    def sample(run, scrub, scrubs):
        times.append(run())
        return times[-1]

    monkeypatch.setattr(clock, "_scrubber", lambda: None)
    monkeypatch.setattr(clock, "_event_overhead_ms", lambda: 0.0)
    monkeypatch.setattr(clock, "_scrubs_that_hide", lambda run, scrub: 1)
    monkeypatch.setattr(clock, "_sample", sample)
    return times


@pytest.mark.parametrize("contestants, ms, rounds", [
    (1, 0.0, 40), (1, 50, 20), (1, 400, 10), (4, 999, 10), (6, 999, 3), (1, 1001, 0), (2, 9999, 0),
])  # fmt: skip
def test_slow_contestants_run_less_often(taken, contestants, ms, rounds):
    rows = clock.timed({f"{i}": lambda: ms for i in range(contestants)})
    assert all(row["ms"] == ms for row in rows.values())
    assert len(taken) == contestants * (1 + rounds)  # the first run compiles


def test_only_the_slow_one_runs_once(taken):
    rows = clock.timed({"slow": lambda: 2000, "fast": lambda: 100})
    assert (rows["slow"]["ms"], rows["fast"]["p80_ms"]) == (2000, 100)
    assert taken.count(2000) == 1 and taken.count(100) == 11


def test_the_newest_architecture_among_a_contestants_launches_is_told(taken):
    """On a GPU a launch leaves word of what its kernel needs, where somebody observes."""

    def launch(needs):
        on_gpu = object.__new__(kernel._on_gpu)
        on_gpu.raw = lambda grid, block, args, shared_mem: None
        head = SimpleNamespace(architecture=needs)
        on_gpu.kernel = SimpleNamespace(source=SimpleNamespace(header=head))
        on_gpu(1, 32, (), 0)
        return 2

    def several():
        return launch("") and launch("sm_90") and launch("sm_80")

    rows = clock.timed({"plain": lambda: launch(""), "none": lambda: 2, "several": several})
    assert [row["needs"] for row in rows.values()] == ["", "", "sm_90"]


# An old GPU, as far as a launch can tell ----------------------------------------------------------
NEEDS = """\
// demo/01_new: needs what this GPU has not.
//
// Launch:   block (32), grid (1)
// Assumes:  n a multiple of 4; %s
extern "C" __global__ void demo_new(float* out, int n) {
    asm volatile("cp.async.wait_all;");
    if (threadIdx.x < n) out[threadIdx.x] = 1.0f;
}
"""


def loaded(tmp_path, needs, monkeypatch, here):
    path = tmp_path / "new.cu"
    path.write_text(NEEDS % needs)
    monkeypatch.setattr(kernel, "GPU", True)
    monkeypatch.setattr(kernel, "_on_gpu", kernel._in_emulator)
    monkeypatch.setattr(cp.cuda.Device, "compute_capability", here)
    return kernel.load_path(path)


@pytest.mark.parametrize("needs, here, why", [
    ("sm_80", "75", "demo_new is left out: it needs a GPU of sm_80 or newer, this one is sm_75."),
    ("sm_90a", "120", "demo_new is left out: it needs a GPU of sm_90a, this one is sm_120."),
    ("sm_90a", "75", "demo_new is left out: it needs a GPU of sm_90a, this one is sm_75."),
])  # fmt: skip
def test_a_kernel_that_this_gpu_cannot_run_is_left_out(
    tmp_path, monkeypatch, capsys, taken, needs, here, why
):
    from warpbook.measure.checks import check

    kernel._say.cache_clear()
    new = loaded(tmp_path, needs, monkeypatch, here)
    assert capsys.readouterr().out == f"{why}\n"
    out = cp.zeros(4, cp.float32)
    back = new.run(out, 4)
    assert repr(back) == why and not out.any()  # nothing ran, and nothing says that it did
    check(back, cp.ones(4, cp.float32))
    assert new.run(back, 4) is back  # what was not made cannot be worked on
    rows = clock.timed({"new": lambda: new.run(out, 4) and 1, "old": lambda: 2})
    assert math.isnan(rows["new"]["ms"]) and rows["old"]["ms"] == 2
    with pytest.raises(ValueError, match="multiple"):  # a wrong launch is refused as ever
        new.run(out, 3)


@pytest.mark.parametrize("needs, here", [("sm_80", "80"), ("sm_80", "120"), ("sm_90a", "90")])
def test_a_kernel_that_this_gpu_can_run_is_not(tmp_path, monkeypatch, needs, here):
    out = cp.zeros(4, cp.float32)
    assert loaded(tmp_path, needs, monkeypatch, here).run(out, 4) is out and out.all()
