"""The device's measured rates (device) and timing that can be trusted (bench)."""

import datetime
import html
import subprocess
import time
from dataclasses import dataclass
from functools import cache
from statistics import median

import numpy as np
import pandas as pd

from warpbook import results
from warpbook.backend import GPU, cp
from warpbook.kernel import load, observed

NAN = float("nan")
ROUNDS = (10, 40)  # at least, at most
FEW, LONG_MS = 3, 5000.0  # and so few where a round takes longer than that
BUDGET_MS = 1000.0  # for all contestants of one bench together, scrubbing not counted


@dataclass(frozen=True)
class Device:
    """What the numbers of a page were measured on. Rates are measured, not looked up."""

    name: str
    compute_capability: tuple
    sms: int
    clock_mhz: float  # the highest SM clock
    memory_bytes: int
    l2_bytes: int
    shared_per_block: int  # bytes
    shared_per_block_optin: int  # bytes, after the opt-in
    shared_per_sm: int  # bytes
    registers_per_sm: int  # of 32 bits
    threads_per_sm: int
    copy_gb_per_s: float  # bytes read plus bytes written, device to device
    fma_tflop_per_s: float  # float32, two flops a fused multiply-add
    fma_clock_mhz: float  # the SM clock read inside the FMA kernel
    driver: str
    cuda: str
    cupy: str
    date: str

    def __repr__(self):
        if not GPU:
            return (
                "No GPU here: kernels run in the emulator, which counts and checks but measures no "
                f"time. Device queries answer as {self.name} would."
            )
        return (
            f"{self.name}: {self.sms} SMs, {self.clock_mhz:.0f} MHz boost "
            f"({self.fma_clock_mhz:.0f} MHz under load), {self.memory_bytes / 2**30:.0f} GiB; measured "
            f"copy {self.copy_gb_per_s:,.0f} GB/s, float32 FMA {self.fma_tflop_per_s:.1f} TFLOP/s. "
            f"Driver {self.driver}, CUDA {self.cuda}, CuPy {self.cupy}, {self.date}."
        )

    def _repr_html_(self):
        return f'<p class="warp-device"><strong>Measured on</strong> {html.escape(repr(self))}</p>'


@cache
def device():
    """Describe this machine's GPU and measure its copy bandwidth and FMA rate, once a session.

    copy_gb_per_s counts bytes read and written by a device-to-device copy far larger than the L2;
    fma_tflop_per_s comes from kernels/peaks/02_fma.cu. Without a GPU the sizes are an H100's and
    the measured rates are NaN.
    """
    at = cp.cuda.Device().attributes
    copy = _copy_rate() if GPU else NAN
    fma, clock = _fma_rate(at["MultiProcessorCount"]) if GPU else (NAN, NAN)
    return Device(
        name=_name(),
        compute_capability=_capability(),
        sms=at["MultiProcessorCount"],
        clock_mhz=at["ClockRate"] / 1e3,
        memory_bytes=cp.cuda.Device().mem_info[1] if GPU else 80 * 10**9,
        l2_bytes=at["L2CacheSize"],
        shared_per_block=at["MaxSharedMemoryPerBlock"],
        shared_per_block_optin=at["MaxSharedMemoryPerBlockOptin"],
        shared_per_sm=at["MaxSharedMemoryPerMultiprocessor"],
        registers_per_sm=at["MaxRegistersPerMultiprocessor"],
        threads_per_sm=at["MaxThreadsPerMultiProcessor"],
        copy_gb_per_s=copy,
        fma_tflop_per_s=fma,
        fma_clock_mhz=clock,
        driver=_driver(),
        cuda=_cuda(),
        cupy=cp.__version__ if GPU else "none",
        date=datetime.date.today().isoformat(),
    )


def bench(bytes=None, flops=None, size=None, **contestants):
    """Time each contestant, a function of no arguments that launches kernels, side by side.

    bytes, flops: the least the task must move and compute, for the rates and for ``of_bound``,
    the share of the time that ``device()``'s measured rates allow; a number, or a dict by
    contestant. size: what book/results calls this run; without it the results keep nothing.

    Rounds: in each, every contestant runs once, in turn, so that a drifting clock hits all alike;
    10 to 40 of them in about a second, and 3 where a round takes more than five seconds.
    Before each run a buffer larger than the L2 is written, so that the run begins cold; the GPU is
    busy with that while the host prepares the launch, so that the host's time is not measured. The
    cost of the two CUDA events themselves, measured on an empty kernel, is subtracted.
    Returns a DataFrame, to four digits: ms (median), gb_per_s, gflop_per_s, of_bound, p20_ms,
    p80_ms.
    Without a GPU each runs once in the emulator: ptx_instructions and sectors, and times of NaN.
    """
    if not contestants:
        raise TypeError("bench needs contestants: bench(naive=lambda: naive(grid, block, ...)).")
    work = {n: (_of(bytes, n, "bytes"), _of(flops, n, "flops")) for n in contestants}
    rows = _timed(contestants) if GPU else _counted(contestants)
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("contestant")
    seconds = table["ms"] / 1e3
    if bytes is not None:
        table["gb_per_s"] = [work[n][0] / 1e9 for n in table.index] / seconds
    if flops is not None:
        table["gflop_per_s"] = [work[n][1] / 1e9 for n in table.index] / seconds
    if bytes is not None or flops is not None:
        table["of_bound"] = [bound_ms(*work[n]) for n in table.index] / table["ms"]
    spread = ["p20_ms", "p80_ms"]
    table = table[[c for c in table if c not in spread] + spread]  # what a phone cuts off, last
    table = table.apply(lambda column: column.map(_four_digits))
    if size is not None:
        results.add(device(), table, size, {n: bound_ms(*w) for n, w in work.items()})
    return table


def bound_ms(bytes, flops):
    """The time in ms that this GPU's measured rates allow for so many bytes and flops."""
    d = device()
    return max((bytes or 0) / (d.copy_gb_per_s * 1e6), (flops or 0) / (d.fma_tflop_per_s * 1e9))


def _four_digits(value):
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _of(amount, name, what):
    if not isinstance(amount, dict):
        return amount
    if name not in amount:
        raise KeyError(f"bench: {what} has no entry for '{name}'; it has {', '.join(amount)}.")
    return amount[name]


def _counted(contestants):
    rows = {}
    for name, run in contestants.items():
        with observed() as reports:
            run()
        rows[name] = {
            "ms": NAN, "p20_ms": NAN, "p80_ms": NAN,
            "ptx_instructions": sum(r.instructions for r in reports),
            "sectors": sum(r.global_ld_sectors + r.global_st_sectors for r in reports),
        }  # fmt: skip
    return rows


def _timed(contestants):
    scrub, overhead = _scrubber(), _event_overhead_ms()
    for run in contestants.values():  # compiles, loads, fills the memory pool
        run()
    scrubs = {name: _scrubs_that_hide(run, scrub) for name, run in contestants.items()}
    samples = {name: [] for name in contestants}

    def round_ms():
        for name, run in contestants.items():
            samples[name].append(_sample(run, scrub, scrubs[name]) - overhead)
        return sum(taken[-1] for taken in samples.values())

    once = round_ms()
    rounds = FEW if once > LONG_MS else int(np.clip(BUDGET_MS / max(once, 0.01), *ROUNDS))
    for _ in range(rounds - 1):
        round_ms()
    return {
        name: dict(zip(("ms", "p20_ms", "p80_ms"), np.percentile(s, (50, 20, 80)), strict=True))
        for name, s in samples.items()
    }


def _sample(run, scrub, scrubs):
    """Time one run in ms between two CUDA events, after writing the scrub buffer."""
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    for _ in range(scrubs):
        scrub()
    start.record()
    run()
    stop.record()
    stop.synchronize()
    return cp.cuda.get_elapsed_time(start, stop)


def _scrubber():
    """Return a function that writes a buffer four times the L2, which evicts all else from it."""
    buffer = cp.empty(4 * cp.cuda.Device().attributes["L2CacheSize"], cp.int8)
    return lambda: buffer.fill(0)


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

    def launch(count):
        for _ in range(count):
            empty((1,), (32,), ())

    launch(1)
    one, eight = (median(_sample(lambda: launch(c), scrub, 2) for _ in range(20)) for c in (1, 8))
    return one - (eight - one) / 7


def _copy_rate():
    count = min(2**31, cp.cuda.Device().mem_info[0] // 4) // 8 * 8
    source, target = cp.empty(count, cp.int8), cp.empty(count, cp.int8)
    source[:] = cp.arange(count // 8, dtype=cp.int64).view(cp.int8)  # not all alike
    ms = _timed({"copy": lambda: cp.copyto(target, source)})["copy"]["ms"]
    del source, target
    cp.get_default_memory_pool().free_all_blocks()
    return 2 * count / ms / 1e6


def _fma_rate(sms):
    """Return (TFLOP/s, SM clock in MHz during the run) of kernels/peaks/02_fma.cu."""
    chains, unroll, iterations, block, blocks = 8, 64, 2000, 1024, 2 * sms
    kernel = load("peaks/02_fma", CHAINS=chains, UNROLL=unroll)
    out, ticks = cp.empty(blocks * block, cp.float32), cp.empty((blocks, 2), cp.int64)

    ms = _timed({"fma": lambda: kernel(blocks, block, out, ticks, iterations)})["fma"]["ms"]
    cycles, nanoseconds = cp.asnumpy(ticks).T
    flops = 2 * chains * unroll * iterations * blocks * block
    return flops / ms / 1e9, float(np.median(cycles / nanoseconds)) * 1e3


def _name():
    if not GPU:
        return "an H100"
    return cp.cuda.runtime.getDeviceProperties(cp.cuda.Device().id)["name"].decode()


def _capability():
    """Return the compute capability as (major, minor); CuPy gives '90' for 9.0."""
    digits = cp.cuda.Device().compute_capability
    return int(digits[:-1]), int(digits[-1])


def _driver():
    """Return the driver's version, such as 580.95.05; '' where there is none."""
    try:
        found = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
            capture_output=True, text=True, timeout=30, check=True,
        )  # fmt: skip
        return found.stdout.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown" if GPU else "none"


def _cuda():
    """Return the version of the CUDA runtime that CuPy uses, such as 12.9."""
    if not GPU:
        return "none"
    version = cp.cuda.runtime.runtimeGetVersion()
    return f"{version // 1000}.{version % 1000 // 10}"
