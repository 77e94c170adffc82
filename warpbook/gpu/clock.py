"""The clock: time launches between two CUDA events, each run on a cold L2, in rounds.

A probe behind each run reads the SM clock. It starts after the second event, so that it is in
nobody's time.
"""

import math
import random
import time
from collections.abc import Callable
from functools import cache
from statistics import median
from typing import Any

import numpy as np

from warpbook.launch.backend import cp
from warpbook.launch.kernel import NotRun, observed

ROUNDS = (10, 40)  # at least, at most
FEW, LONG_MS = 3, 5000.0  # and so few where a round takes longer than that
BUDGET_MS = 1000.0  # for all contestants together, scrubbing not counted
ONCE_MS = 1000.0  # what takes longer runs once
SEED = 0  # of the orders in which the contestants run
TIMES = ("ms", "p20_ms", "p80_ms")
# Reads all of a buffer and, since it is full of zeros, writes nothing.
SCRUB = """
extern "C" __global__ void scrub(const uint4* buffer, long long quads, unsigned* never) {
    unsigned seen = 0;
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += step) {
        uint4 quad = buffer[i];
        seen |= quad.x | quad.y | quad.z | quad.w;
    }
    if (seen) *never = seen;
}"""
# One thread counts the cycles of its SM. It begins and ends when %globaltimer moves, since some
# GPUs advance it only once a microsecond.
PROBE_NS = 20_000
PROBE = """
extern "C" __global__ void probe(long long* counts, int nanoseconds) {
    long long before, begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before) :: "memory");
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin) :: "memory");
    while (begin == before);
    long long cycles = clock64();
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) :: "memory");
    while (now - begin < nanoseconds);
    counts[0] = clock64() - cycles;
    counts[1] = now - begin;
}"""


def timed(contestants: dict[str, Callable[[], object]]) -> dict[str, dict[str, Any]]:
    """Time each of {name: a function of no arguments that launches kernels}, in rounds.

    In a round every contestant runs once, in an order drawn anew; each call draws the same orders.
    Returns {name: {"ms": median, "p20_ms": ..., "p80_ms": ..., "sm_clock_mhz": ...}}; the clock is
    the median of what the probe read behind the runs. All are NaN for a contestant whose kernel
    this GPU cannot run.
    """
    scrub, probe, overhead = _scrubber(), _Probe(), _event_overhead_ms()
    samples: dict[str, list[tuple[float, float]]] = {}  # of each run: ms, MHz

    def run(name, scrubs):
        ms, mhz = _clocked(contestants[name], scrub, scrubs, probe)
        return ms - overhead, mhz

    for name in contestants:  # compiles, loads, fills the memory pool
        with observed() as launches:
            first = run(name, 1)
        left_out = any(isinstance(launch, NotRun) for launch in launches)
        once = first[0] > ONCE_MS
        samples[name] = [(math.nan, math.nan)] if left_out else [first] if once else []
    scrubs = {
        name: _scrubs_that_hide(contestants[name], scrub)
        for name, taken in samples.items()
        if not taken
    }
    orders = random.Random(SEED)

    def round_ms():
        for name in orders.sample(list(scrubs), len(scrubs)):
            samples[name].append(run(name, scrubs[name]))
        return sum(samples[name][-1][0] for name in scrubs)

    for _ in range(rounds(round_ms()) - 1):
        round_ms()
    return {name: _summary(*zip(*taken, strict=True)) for name, taken in samples.items()}


def _summary(times, clocks):
    """The row of one contestant, of its runs' times in ms and clocks in MHz."""
    row = dict(zip(TIMES, np.percentile(times, (50, 20, 80)), strict=True))
    return row | {"sm_clock_mhz": float(np.median(clocks))}


def rounds(once_ms: float) -> int:
    """How many rounds there are, given how long the first one took."""
    return FEW if once_ms > LONG_MS else int(np.clip(BUDGET_MS / max(once_ms, 0.01), *ROUNDS))


def _clocked(run, scrub, scrubs, probe):
    """Time one run as ``_sample`` does; return its time in ms and the SM clock behind it in MHz."""
    ms = _sample(run, scrub, scrubs, probe.launch)
    return ms, probe.mhz()


def _sample(run, scrub, scrubs, behind=lambda: None):
    """Time one run in ms between two CUDA events, after reading the scrub buffer.

    behind: what is launched after the second event, and so is in no time.
    """
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    for _ in range(scrubs):
        scrub()
    start.record()
    run()
    stop.record()
    behind()
    stop.synchronize()
    return cp.cuda.get_elapsed_time(start, stop)


class _Probe:
    """Reads the SM clock: a kernel of one thread, which takes some 20 microseconds."""

    def __init__(self):
        self._kernel = cp.RawKernel(PROBE, "probe")
        self._counts = cp.ones(2, cp.int64)

    def launch(self):
        self._kernel((1,), (1,), (self._counts, np.int32(PROBE_NS)))

    def mhz(self):
        """What the last launch read; waits for it."""
        cycles, nanoseconds = cp.asnumpy(self._counts).tolist()
        return 1e3 * cycles / nanoseconds


def _scrubber():
    """Return a function that reads a buffer four times the L2, which evicts all else from it.

    Lines that were only read need no writing back; those that a fill left behind would cost the
    next run a part of the memory's bandwidth.
    """
    count = 4 * cp.cuda.Device().attributes["L2CacheSize"] // 16 * 16
    buffer, never = cp.zeros(count, cp.uint8), cp.zeros(1, cp.uint32)
    blocks = 8 * cp.cuda.Device().attributes["MultiProcessorCount"]
    kernel = cp.RawKernel(SCRUB, "scrub")
    return lambda: kernel((blocks,), (256,), (buffer, np.int64(count // 16), never))


def _scrubs_that_hide(run, scrub):
    """How many scrubs keep the GPU busy three times as long as the host needs to launch."""
    begin = time.perf_counter()
    run()
    host_ms = (time.perf_counter() - begin) * 1e3
    cp.cuda.Device().synchronize()
    scrub_ms = _sample(scrub, scrub, 2)
    return int(np.clip(np.ceil(3 * host_ms / scrub_ms), 1, 50))


@cache
def _event_overhead_ms():
    """What two events add to the time of the kernel between them.

    One empty kernel takes overhead + t, eight take overhead + 8 t.
    """
    empty = cp.RawKernel('extern "C" __global__ void empty() {}', "empty")
    scrub = _scrubber()

    def median_ms(launches):
        def run():
            for _ in range(launches):
                empty((1,), (32,), ())

        run()
        return median(_sample(run, scrub, 2) for _ in range(20))

    one, eight = median_ms(1), median_ms(8)
    return one - (eight - one) / 7
