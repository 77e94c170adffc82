"""The clock: how often a contestant runs."""

import pytest

from warpbook.gpu import clock


@pytest.mark.parametrize("ms, rounds", [(0.0, 40), (50, 20), (400, 10), (4999, 10), (5001, 3)])
def test_slow_contestants_run_less_often(monkeypatch, ms, rounds):
    times = []
    monkeypatch.setattr(clock, "_scrubber", lambda: None)
    monkeypatch.setattr(clock, "_event_overhead_ms", lambda: 0.0)
    monkeypatch.setattr(clock, "_scrubs_that_hide", lambda run, scrub: 1)
    monkeypatch.setattr(clock, "_sample", lambda run, scrub, scrubs: times.append(ms) or ms)
    assert clock.timed({"slow": lambda: None})["slow"]["ms"] == ms
    assert len(times) == rounds
