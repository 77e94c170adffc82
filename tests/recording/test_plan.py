"""The plan for a T4: a recording's races at its rates, by the clock's rules."""

import pytest

from warpbook import results
from warpbook.gpu import clock
from warpbook.launch.source import ROOT
from warpbook.profiles import T4
from warpbook.recording import chapters
from warpbook.recording.plan import FMA_GFLOP_PER_S, clock_ms, plan

NAN = float("nan")
TEN = {"copy_gb_per_s": 2560, "fma_tflop_per_s": 4.05, "seconds": 60.0}  # ten times the bandwidth


def race(bench, ms, flops=NAN, needs=NAN, held=1e9):
    return {"bench": bench, "ms": ms, "flops": flops, "needs": needs, "held_bytes": held}


@pytest.mark.parametrize("times", [[50], [0.001], [400, NAN], [999] * 6, [2000, 100], [9999] * 2])
def test_the_plan_counts_the_runs_that_the_clock_makes(times, monkeypatch):
    taken = []

    def run_of(ms):
        def run():
            taken.append(ms)
            return ms

        return run

    monkeypatch.setattr(clock, "_scrubber", lambda: None)
    monkeypatch.setattr(clock, "_event_overhead_ms", lambda: 0.0)
    monkeypatch.setattr(clock, "_scrubs_that_hide", lambda run, scrub: run())
    monkeypatch.setattr(clock, "_sample", lambda run, scrub, scrubs: run())
    there = [ms for ms in times if ms == ms]
    clock.timed({str(i): run_of(ms) for i, ms in enumerate(there)})
    assert clock_ms(times) == pytest.approx(sum(taken))


def test_a_chapter_takes_its_races_times_the_ratio_of_the_rates_and_all_else_as_before():
    found = plan([race(1, 20), race(1, 30), race(2, 100)], TEN)
    before = (2 + 20) * 0.05 + (2 + 10) * 0.1
    after = (2 + 10) * 0.5 + (2 + 10) * 1.0
    assert (found.recorded, found.held_bytes) == (60, 1e9)
    assert found.predicted == pytest.approx(60 - before + after)


def test_the_ratio_is_the_larger_one():
    by_fma = {**TEN, "fma_tflop_per_s": 20 * FMA_GFLOP_PER_S / 1e3}
    races, before = [race(1, 10)], clock_ms([10]) / 1e3
    assert plan(races, TEN).predicted == pytest.approx(60 - before + (2 + 10) * 0.1)
    assert plan(races, by_fma).predicted == pytest.approx(60 - before + (2 + 10) * 0.2)


def test_what_needs_a_newer_gpu_does_not_run():
    rows = [race(1, 10, needs="sm_75"), race(1, 10, needs="sm_80"), race(1, 10, needs="sm_90a")]
    before, after = clock_ms([10, 10, 10]) / 1e3, clock_ms([100]) / 1e3
    assert plan(rows, TEN).predicted == pytest.approx(60 - before + after)


def test_a_chapter_that_asks_leaves_out_what_is_too_slow_or_too_large():
    for large in (race(1, 100, flops=41e12), race(1, 100, held=13e9)):
        assert plan([large], TEN).predicted > 60
        assert plan([large], TEN, spares=True).predicted == 60 - clock_ms([100]) / 1e3
    kept = [race(1, 100, flops=40e12, held=11e9)]
    assert plan(kept, TEN, spares=True) == plan(kept, TEN)


# The recorded chapters --------------------------------------------------------------------------


@pytest.mark.parametrize("path", chapters.chapters(), ids=lambda path: path.stem)
def test_every_chapter_takes_less_than_five_minutes_on_a_t4_and_fits(path):
    """As planned from each GPU on which its recording was timed; at least one must be."""
    slug, spares, found = chapters.slug(path), "feasible(" in path.read_text(), []
    for stamps in (ROOT / "book" / "results").glob("*/stamps.json"):
        stamp = results.read_stamps(stamps.parent.name).get(slug, {})
        if "seconds" in stamp:
            races = [r for r in results.read(stamps.with_name("races.csv")) if r["chapter"] == slug]
            found.append(plan(races, stamp, spares))
    assert found, "no recording of it has its seconds in the stamp"
    for one in found:
        assert one.predicted < 300 and one.held_bytes < 0.9 * T4.memory_bytes
