"""How long a chapter would take on a T4, where it was never recorded: a plan, no measurement.

A race's times are those of the recording, times the ratio of the two GPUs' rates: that of memory or
that of float32 arithmetic, whichever is the larger. How often each contestant runs follows from
these times, by the clock's own rules. All else that a page does takes as long as it took.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from warpbook.gpu.clock import ONCE_MS, rounds
from warpbook.launch.kernel import runs_here
from warpbook.measure.bench import MEMORY_SHARE, ROUND_SECONDS
from warpbook.profiles import DATA_SHEET, T4

# What a T4 reaches of its data sheet's rates: a copy some 80 % of the bandwidth; arithmetic that
# goes on for long is taken at half, because the clock falls where it would need more than 70 W.
SHEET_GB_PER_S, SHEET_GFLOP_PER_S = DATA_SHEET["T4"]
COPY_GB_PER_S, FMA_GFLOP_PER_S = 0.8 * SHEET_GB_PER_S, 0.5 * SHEET_GFLOP_PER_S


@dataclass(frozen=True)
class Plan:
    """One chapter: the seconds that it took, those that it would take, the most memory it held."""

    recorded: float
    predicted: float
    held_bytes: float


def plan(races: Iterable[dict], stamp: dict, spares: bool = False) -> Plan:
    """Predict how long a chapter takes on a T4.

    races, stamp: the chapter's rows of races.csv and its stamp, of a GPU that it was recorded on.
    spares: whether the chapter asks ``feasible``, which leaves out a race that takes too long.
    """
    slower = max(
        stamp["copy_gb_per_s"] / COPY_GB_PER_S, stamp["fma_tflop_per_s"] * 1e3 / FMA_GFLOP_PER_S
    )
    benches: dict[int, list[dict]] = {}
    for row in races:
        benches.setdefault(row["bench"], []).append(row)
    racing_there = racing_here = held = 0.0
    for rows in benches.values():
        racing_here += clock_ms([row["ms"] for row in rows])
        if spares and _left_out(rows):
            continue
        racing_there += clock_ms([row["ms"] * slower for row in rows if _runs(row["needs"])])
        held = max(held, rows[0]["held_bytes"])
    besides = stamp["seconds"] - racing_here / 1e3
    return Plan(stamp["seconds"], besides + racing_there / 1e3, held)


def clock_ms(times: Iterable[float]) -> float:
    """Return how long the clock takes over contestants of these times in ms; NaN does not run.

    Each runs once; those that take no longer than a second run once more, so that the host's time
    is known, and then in rounds.
    """
    times = [ms for ms in times if not math.isnan(ms)]
    short = sum(ms for ms in times if ms <= ONCE_MS)
    return sum(times) + (1 + rounds(short)) * short


def _left_out(rows):
    """Whether ``feasible`` leaves a race out: for its operations a round, or for its memory."""
    flops = sum(row["flops"] for row in rows if not math.isnan(row["flops"]))
    too_slow = flops > ROUND_SECONDS * SHEET_GFLOP_PER_S * 1e9
    return too_slow or rows[0]["held_bytes"] > MEMORY_SHARE * T4.memory_bytes


def _runs(needs):
    """Whether a T4 runs what needs an architecture; NaN, as read from a table, is none."""
    major, minor = T4.capability
    return not isinstance(needs, str) or runs_here(needs, 10 * major + minor)
