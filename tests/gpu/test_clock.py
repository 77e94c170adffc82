"""The clock: how often a contestant runs, in which order, and at which SM clock."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from warpbook.gpu import clock
from warpbook.launch import kernel
from warpbook.launch.backend import GPU, cp


@pytest.fixture
def taken(monkeypatch):
    """Let each run take what it returns; collects what the clock saw."""
    times = []

    def clocked(run, scrub, scrubs, probe):
        times.append(run())
        return times[-1], 1980.0

    monkeypatch.setattr(clock, "_scrubber", lambda: None)
    monkeypatch.setattr(clock, "_Probe", lambda: None)
    monkeypatch.setattr(clock, "_event_overhead_ms", lambda: 0.0)
    monkeypatch.setattr(clock, "_scrubs_that_hide", lambda run, scrub: 1)
    monkeypatch.setattr(clock, "_clocked", clocked)
    return times


@pytest.mark.parametrize(
    "contestants, ms, rounds",
    [
        (1, 0.0, 40),
        (1, 50, 20),
        (1, 400, 10),
        (4, 999, 10),
        (6, 999, 3),
        (1, 1001, 0),
        (2, 9999, 0),
    ],
)
def test_slow_contestants_run_less_often(taken, contestants, ms, rounds):
    rows = clock.timed({f"{i}": lambda: ms for i in range(contestants)})
    assert all(row["ms"] == ms for row in rows.values())
    assert len(taken) == contestants * (1 + rounds)  # the first run compiles


def test_only_the_slow_one_runs_once(taken):
    rows = clock.timed({"slow": lambda: 2000, "fast": lambda: 100})
    assert (rows["slow"]["ms"], rows["fast"]["p80_ms"]) == (2000, 100)
    assert taken.count(2000) == 1 and taken.count(100) == 11


def test_the_spread_is_that_of_the_rounds(taken):
    times = iter(range(100, 120))
    row = clock.timed({"a": lambda: next(times)})["a"]
    measured = taken[1:]  # the first run compiles
    shares = [sum(ms < row[name] for ms in measured) / len(measured) for name in clock.TIMES]
    assert shares == pytest.approx([0.5, 0.2, 0.8], abs=0.05)


# Orders and clocks, on a GPU that this test makes up ----------------------------------------------
EVENTS_MS = 0.004  # what two events add


class MadeUpGPU:
    """CuPy, as far as the clock asks for it: its time goes on with the work that it is given."""

    uint8, int64, uint32 = np.uint8, np.int64, np.uint32
    zeros, ones, asnumpy = staticmethod(np.zeros), staticmethod(np.ones), staticmethod(np.asarray)

    def __init__(self):
        self.now_ms, self.mhz, self.ran = 0.0, 1980.0, []
        attributes = {"L2CacheSize": 1 << 10, "MultiProcessorCount": 1}
        device = SimpleNamespace(attributes=attributes, synchronize=lambda: None)
        self.cuda = SimpleNamespace(
            Device=lambda: device,
            Event=lambda: Event(self),
            get_elapsed_time=lambda start, stop: stop.at_ms - start.at_ms + EVENTS_MS,
        )

    def RawKernel(self, text, name):
        def scrub(grid, block, args):
            self.now_ms += 0.5

        def empty(grid, block, args):
            self.now_ms += 0.001

        def probe(grid, block, args):
            counts, nanoseconds = args
            counts[:] = self.mhz * nanoseconds / 1e3, nanoseconds
            self.now_ms += nanoseconds / 1e6

        return {"scrub": scrub, "empty": empty, "probe": probe}[name]

    def work(self, name, megacycles, mhz=None):
        """A contestant: so much work, at the GPU's clock or at one that it brings about."""

        def run():
            self.ran.append(name)
            self.mhz = mhz or self.mhz
            self.now_ms += 1e3 * megacycles / self.mhz

        return run


class Event:
    def __init__(self, gpu):
        self.gpu = gpu

    def record(self):
        self.at_ms = self.gpu.now_ms

    def synchronize(self):
        pass


@pytest.fixture
def gpu(monkeypatch):
    made_up = MadeUpGPU()
    monkeypatch.setattr(clock, "cp", made_up)
    clock._event_overhead_ms.cache_clear()
    yield made_up
    clock._event_overhead_ms.cache_clear()


def rounds_of(gpu, names):
    """The orders of the rounds, which come after two runs of each contestant."""
    ran = gpu.ran[2 * len(names) :]
    return [tuple(ran[i : i + len(names)]) for i in range(0, len(ran), len(names))]


def test_each_round_has_every_contestant_once_in_an_order_drawn_anew(gpu):
    names = "abcd"
    clock.timed({name: gpu.work(name, 10) for name in names})
    orders = rounds_of(gpu, names)
    assert len(orders) >= 10 and all(sorted(order) == list(names) for order in orders)
    assert len(set(orders)) >= len(orders) / 2
    assert {order[0] for order in orders} == set(names), "each is the first at times"
    followed = {pair for order in orders for pair in zip(order, order[1:], strict=False)}
    assert len(followed) == 12, "nobody always follows the same one"


def test_a_call_draws_the_same_orders_again(gpu):
    def orders():
        gpu.ran.clear()
        clock.timed({name: gpu.work(name, 10) for name in "abc"})
        return rounds_of(gpu, "abc")

    assert orders() == orders()


def test_a_contestant_that_brings_the_clock_down_shows_it(gpu):
    runs = {"cool": gpu.work("cool", 10, mhz=1980), "hot": gpu.work("hot", 10, mhz=1485)}
    rows = clock.timed(runs)
    assert rows["cool"]["sm_clock_mhz"] == 1980 and rows["hot"]["sm_clock_mhz"] == 1485
    assert rows["hot"]["ms"] / rows["cool"]["ms"] == pytest.approx(1980 / 1485)


def test_neither_the_events_nor_the_probe_is_in_the_time(gpu):
    row = clock.timed({"run": gpu.work("run", 0.0198)})["run"]  # 10 microseconds, half a probe
    assert row["ms"] == pytest.approx(0.01) and row["p20_ms"] == row["p80_ms"]


def test_the_clock_of_what_runs_once_is_read_as_well(gpu):
    row = clock.timed({"slow": gpu.work("slow", 2000, mhz=1000)})["slow"]
    assert (row["ms"], row["sm_clock_mhz"]) == (pytest.approx(2000), 1000)


def test_equal_contestants_stay_equal_while_the_clock_falls(gpu):
    def run():
        gpu.mhz *= 0.998
        gpu.now_ms += 1e4 / gpu.mhz

    rows = clock.timed({name: run for name in "abc"})
    times = [row["ms"] for row in rows.values()]
    assert rows["a"]["p80_ms"] / rows["a"]["p20_ms"] > 1.05
    assert max(times) / min(times) < 1.02


def test_the_probe_counts_cycles_and_nanoseconds_until_its_time_is_over():
    counts = cp.zeros(2, cp.int64)
    cp.RawKernel(clock.PROBE, "probe")((1,), (1,), (counts, np.int32(500)))
    cycles, nanoseconds = cp.asnumpy(counts)
    assert cycles > 0 and nanoseconds >= 500


@pytest.mark.skipif(not GPU, reason="reads the clock of a real GPU: needs one")
def test_a_gpus_clock_is_at_most_its_highest():
    room = cp.empty(1 << 26, cp.float32)
    row = clock.timed({"fill": lambda: room.fill(1)})["fill"]
    highest = cp.cuda.Device().attributes["ClockRate"] / 1e3
    assert highest / 10 < row["sm_clock_mhz"] < 1.01 * highest


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
    path.write_text(NEEDS % needs, encoding="utf-8")
    monkeypatch.setattr(kernel, "GPU", True)
    monkeypatch.setattr(kernel, "_on_gpu", kernel._in_emulator)
    old = type("Old", (cp.cuda.Device,), {"compute_capability": here})
    monkeypatch.setattr(cp.cuda, "Device", old)
    return kernel.load_path(path)


@pytest.mark.parametrize(
    "needs, here, why",
    [
        (
            "sm_80",
            "75",
            "demo_new is left out: it needs a GPU of sm_80 or newer, this one is sm_75.",
        ),
        ("sm_90a", "120", "demo_new is left out: it needs a GPU of sm_90a, this one is sm_120."),
        ("sm_90a", "75", "demo_new is left out: it needs a GPU of sm_90a, this one is sm_75."),
    ],
)
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
    assert math.isnan(rows["new"]["sm_clock_mhz"]) and rows["old"]["sm_clock_mhz"] == 1980
    with pytest.raises(ValueError, match="multiple"):  # a wrong launch is refused as ever
        new.run(out, 3)


@pytest.mark.skipif(GPU, reason="an older GPU is played in the emulator, on NumPy's arrays")
@pytest.mark.parametrize("needs, here", [("sm_80", "80"), ("sm_80", "120"), ("sm_90a", "90")])
def test_a_kernel_that_this_gpu_can_run_is_not(tmp_path, monkeypatch, needs, here):
    out = cp.zeros(4, cp.float32)
    assert loaded(tmp_path, needs, monkeypatch, here).run(out, 4) is out and out.all()
