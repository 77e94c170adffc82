"""What the numbers of a page were measured on: the device and its measured rates."""

import datetime
import html
import subprocess
from dataclasses import dataclass
from functools import cache

import numpy as np

from warpbook.gpu.clock import timed
from warpbook.launch.backend import GPU, cp
from warpbook.launch.kernel import load
from warpbook.profiles import H100

NAN = float("nan")


@dataclass(frozen=True)
class Device:
    """What the numbers of a page were measured on. Rates are measured, not looked up."""

    name: str
    compute_capability: tuple[int, int]
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

    def __repr__(self) -> str:
        if not GPU:
            return (
                "No GPU here: kernels run in the emulator, which counts and checks but measures no "
                f"time. Device queries answer as {self.name} would."
            )
        return (
            f"{self.name}: {self.sms} SMs, {self.clock_mhz:.0f} MHz boost "
            f"({self.fma_clock_mhz:.0f} MHz under load), {self.memory_bytes / 2**30:.0f} GiB; "
            "measured "
            f"copy {self.copy_gb_per_s:,.0f} GB/s, float32 FMA {self.fma_tflop_per_s:.1f} TFLOP/s. "
            f"Driver {self.driver}, CUDA {self.cuda}, CuPy {self.cupy}, {self.date}."
        )

    def _repr_html_(self) -> str:
        return f'<p class="warp-device"><strong>Measured on</strong> {html.escape(repr(self))}</p>'


@cache
def device() -> Device:
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
        memory_bytes=cp.cuda.Device().mem_info[1] if GPU else H100.memory_bytes,
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


def _copy_rate():
    count = min(2**31, cp.cuda.Device().mem_info[0] // 4) // 8 * 8
    ms = _copy_ms(count)
    cp.get_default_memory_pool().free_all_blocks()  # the arrays of the copy are gone by now
    return 2 * count / ms / 1e6


def _copy_ms(count):
    source, target = cp.empty(count, cp.int8), cp.empty(count, cp.int8)
    source[:] = cp.arange(count // 8, dtype=cp.int64).view(cp.int8)  # not all alike
    return timed({"copy": lambda: cp.copyto(target, source)})["copy"]["ms"]


def _fma_rate(sms):
    """Return (TFLOP/s, SM clock in MHz during the run) of kernels/peaks/02_fma.cu."""
    chains, unroll, iterations, block, blocks = 8, 64, 2000, 1024, 2 * sms
    kernel = load("peaks/02_fma", CHAINS=chains, UNROLL=unroll)
    out, ticks = cp.empty(blocks * block, cp.float32), cp.empty((blocks, 2), cp.int64)

    ms = timed({"fma": lambda: kernel(blocks, block, out, ticks, iterations)})["fma"]["ms"]
    cycles, nanoseconds = cp.asnumpy(ticks).T
    flops = 2 * chains * unroll * iterations * blocks * block
    return flops / ms / 1e9, float(np.median(cycles / nanoseconds)) * 1e3


def _name():
    if not GPU:
        return H100.name
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
            capture_output=True,
            encoding="utf-8",
            timeout=30,
            check=True,
        )
        return found.stdout.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown" if GPU else "none"


def _cuda():
    """Return the version of the CUDA runtime that CuPy uses, such as 12.9."""
    if not GPU:
        return "none"
    version = cp.cuda.runtime.runtimeGetVersion()
    return f"{version // 1000}.{version % 1000 // 10}"
