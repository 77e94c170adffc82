"""The clock: time launches between two CUDA events, each run on a cold L2, in rounds."""

import math
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


def timed(contestants: dict[str, Callable[[], object]]) -> dict[str, dict[str, Any]]:
    """Time each of {name: a function of no arguments that launches kernels}, in turn.

    Returns {name: {"ms": median, "p20_ms": ..., "p80_ms": ..., "needs": ...}}, in milliseconds, NaN
    for one whose kernel this GPU cannot run; needs: the newest architecture that one of its kernels
    assumes, or ''.
    """
    scrub, overhead = _scrubber(), _event_overhead_ms()
    samples: dict[str, list[float]] = {}
    needs: dict[str, str] = {}
    for name, run in contestants.items():  # compiles, loads, fills the memory pool
        with observed() as launches:
            first = _sample(run, scrub, 1)
        left_out = any(isinstance(launch, NotRun) for launch in launches)
        needs[name] = max((getattr(launch, "needs", "") for launch in launches), default="")
        samples[name] = [math.nan] if left_out else [first - overhead] if first > ONCE_MS else []
    scrubs = {name: _scrubs_that_hide(contestants[name], scrub)
              for name, taken in samples.items() if not taken}  # fmt: skip

    def round_ms():
        for name, hiding in scrubs.items():
            samples[name].append(_sample(contestants[name], scrub, hiding) - overhead)
        return sum(samples[name][-1] for name in scrubs)

    for _ in range(rounds(round_ms()) - 1):
        round_ms()
    return {
        name: dict(zip(TIMES, np.percentile(s, (50, 20, 80)), strict=True)) | {"needs": needs[name]}
        for name, s in samples.items()
    }


def rounds(once_ms: float) -> int:
    """How many rounds there are, given how long the first one took."""
    return FEW if once_ms > LONG_MS else int(np.clip(BUDGET_MS / max(once_ms, 0.01), *ROUNDS))


def _sample(run, scrub, scrubs):
    """Time one run in ms between two CUDA events, after reading the scrub buffer."""
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    for _ in range(scrubs):
        scrub()
    start.record()
    run()
    stop.record()
    stop.synchronize()
    return cp.cuda.get_elapsed_time(start, stop)


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
