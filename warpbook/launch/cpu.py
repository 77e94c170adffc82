"""Kernels on the CPU: the same .cu file, compiled by this machine's C++ compiler.

A kernel that asks for no thread index does all of its work in one thread, and without the word
``__global__`` it is a C function. The file stays as it is, so that ``show``, ``load`` and ``trace``
take it too: the compiler's version gives the times, the emulator's the counts.
"""

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np
import pandas as pd

from warpbook.launch import arguments, kernel, source
from warpbook.launch.backend import pick
from warpemu.nvrtc import CompileError

COMPILERS = ("c++", "g++", "clang++")
FLAGS = ("-x", "c++", "-std=c++17", "-O3", "-fPIC", "-shared", "-fopenmp-simd", "-D__global__=")
ROUNDS = (4, 20)  # at least, at most
BUDGET_MS = 200.0  # for all contestants of one bench together
SHORTEST_MS = 0.5  # a shorter run is repeated until one sample lasts so long


def load(variant: str, flags: Sequence[str] = (), **defines: object) -> "Function":
    """Compile ``kernels/<variant>.cu`` for this CPU and return it as a Function.

    flags: further options for the compiler; defines: as ``warpbook.load`` takes them.
    Raises LookupError for an unknown variant or define, and CompileError with the compiler's log,
    whose line numbers are the .cu file's.
    """
    return Function(source.parse(source.find(variant)), variant, defines, tuple(flags))


class Function(kernel.Kernel):
    """A kernel as a C function: call it with the arguments alone, or bind them to time it.

    Where there is no compiler it runs in the emulator: same results, slowly, and no times.
    """

    def __init__(
        self, parsed: source.Source, variant: str, defines: dict, flags: tuple[str, ...] = ()
    ) -> None:
        self.flags = flags
        super().__init__(parsed, variant, defines)

    def _prepare(self):
        return _compiled(self) if compiler() else kernel._in_emulator(self)

    def __call__(self, *args: object) -> None:  # type: ignore[override]
        """Run on these arguments; it has finished when this returns. See ``bind``."""
        self.bind(*args)()

    def bind(self, *args: object) -> Callable[[], None]:
        """Check the arguments once and return a function of none that runs the kernel on them.

        args: one C-contiguous NumPy array of the declared dtype for each pointer, one number for
        each scalar. Raises TypeError or ValueError that says what to change.
        """
        values = arguments.convert(self, args, arguments.host_array)
        if isinstance(self._run, _compiled):
            run = self._run.bind(values)
        else:
            run = partial(self._run, (1,), (1,), values, 0)
        vars(run).update(emulated=not compiler(), arguments=values)  # keeps the arrays alive
        return run


class _compiled:
    """The launch on this CPU: the C function that the compiler made of the file."""

    def __init__(self, function):
        text, name = function.source.text, function.source.path.name
        library = _built(compiler(), text, name, function.options + function.flags)
        self.call = getattr(ctypes.CDLL(library), function.name)
        self.call.restype = None

    def attributes(self):
        return {"max_threads_per_block": 1, "shared_size_bytes": 0}

    def bind(self, values):
        return partial(self.call, *map(_as_c, values))


def bench(
    flops: float | dict | None = None, pause: float = 0.0, **contestants: Callable[[], None]
) -> pd.DataFrame:
    """Time each contestant, a function of no arguments, side by side on this CPU.

    flops: what each computes, a number or a dict by contestant. pause: seconds of rest before each
    run, for contestants with several threads: idle threads of OpenMP and of the BLAS spin for some
    30 ms before they sleep, and take the cores from whoever runs next.
    As in ``warpbook.bench`` the contestants take turns in rounds, and the median counts. Nothing is
    evicted before a run: what fits into a cache stays there. The results file keeps nothing.
    Returns a DataFrame: ms (median), p20_ms, p80_ms, gflop_per_s; NaN where it ran in the emulator.
    """
    if not contestants:
        raise TypeError("bench needs contestants: bench(vanilla=function.bind(a, b, c, m, n, k)).")
    timed = {n: run for n, run in contestants.items() if not getattr(run, "emulated", False)}
    for run in timed.values():  # starts threads, touches memory for the first time
        run()
    once = {name: max(_sample(run), 1e-6) for name, run in timed.items()}
    repeats = {name: max(1, int(SHORTEST_MS / ms)) for name, ms in once.items()}
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    spent = sum(once[name] * repeats[name] + 1e3 * pause for name in timed) or BUDGET_MS
    for _ in range(int(np.clip(BUDGET_MS / spent, *ROUNDS))):
        for name, run in timed.items():
            time.sleep(pause)
            samples[name].append(_sample(run, repeats[name]))
    table = pd.DataFrame.from_dict(
        {n: np.percentile(s or np.nan, (50, 20, 80)) for n, s in samples.items()},
        orient="index",
        columns=["ms", "p20_ms", "p80_ms"],
    )
    if flops is not None:
        work = flops if isinstance(flops, dict) else dict.fromkeys(contestants, flops)
        table["gflop_per_s"] = pd.Series(work)[table.index] / table["ms"] / 1e6
    return table.rename_axis("contestant").map(lambda value: float(f"{value:.4g}"))


def empty(size: int) -> np.ndarray:
    """Return so many float32, not set, that begin where a cache line of 64 bytes begins.

    NumPy promises 16 bytes; a vector of 64 that begins elsewhere lies in two lines.
    """
    floats = np.empty(size + 16, np.float32)
    first = -floats.ctypes.data % 64 // 4
    return floats[first : first + size]


def measured(value: float) -> float:
    """Return a time, or what follows from times, for a claim: NaN where there is no GPU.

    A page's times are taken on any CPU. What it claims of them is for machines such as the one that
    recorded it; elsewhere, on a shared or a busy core, the claim is left open.
    """
    return pick(gpu=value, emulated=float("nan"))


def blas_gflop_per_s(n: int, threads: int = 1) -> float:
    """Time NumPy's ``a @ b``, n x n in float32, on so many threads; return GFLOP/s, a median of 7.

    In a process of its own: a BLAS reads its number of threads once, when it is loaded.
    """
    code = (
        f"import time, numpy as np; a = np.ones(({n}, {n}), 'f4'); b = a + 1; c = a @ b\n"
        "def once():\n    t = time.perf_counter(); np.matmul(a, b, out=c)\n"
        "    return time.perf_counter() - t\n"
        f"print(2 * {n}**3 / 1e9 / sorted(once() for _ in range(7))[3])"
    )
    names = ("OPENBLAS", "MKL", "OMP", "VECLIB", "BLIS")
    limits = {f"{name}_NUM_THREADS": str(threads) for name in names}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | limits,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return float(f"{float(done.stdout):.4g}")


@cache
def cores() -> int:
    """How many CPUs this process may use: those of its affinity, within its container's share."""
    pinned = hasattr(os, "sched_getaffinity")
    free = len(os.sched_getaffinity(0)) if pinned else os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="utf-8") as file:
            quota, period = file.read().split()
        return max(1, min(free, int(quota) // int(period)))
    except (OSError, ValueError):  # there is no such file, or the quota in it is "max"
        return free


def compiler() -> str | None:
    """Return the path of the first of COMPILERS that this machine has, or None."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def machine() -> str:
    """Say in a line what runs the kernels here: processor, cores, compiler; or what is missing."""
    path = compiler()
    if path is None:
        return (
            f"No C++ compiler here (looked for {', '.join(COMPILERS)}): kernels run in the "
            "emulator, without times. To install one: `apt install g++` on Debian and Ubuntu, "
            "`xcode-select --install` on macOS, MSYS2's g++ or WSL on Windows."
        )
    name = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name\s*: (.+)$", file.read(), re.MULTILINE)
        name = found[1] if found else name
    told = subprocess.run([path, "--version"], capture_output=True, encoding="utf-8").stdout
    return f"{name}, {cores()} of its cores for this process; {told.splitlines()[0]}."


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="warpbook-", ignore_cleanup_errors=True)


@cache
def _built(path, text, name, options):
    """Compile C++ text to a shared library and return its path. Apple's compiler has no OpenMP."""
    os.environ.setdefault("OMP_NUM_THREADS", str(cores()))  # OpenMP reads it when it is loaded
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    chip = ("-march=native", "-mprefer-vector-width=512") if x86 else ("-mcpu=native",)
    for openmp in (("-fopenmp",), ()):
        target = os.path.join(_folder().name, f"{len(os.listdir(_folder().name))}.so")
        command = [path, *FLAGS, *chip, *openmp, *options, "-o", target, "-"]
        done = subprocess.run(
            command, input=f'#line 1 "{name}"\n{text}', capture_output=True, encoding="utf-8"
        )
        if not done.returncode:
            return target
    raise CompileError(done.stderr.strip() or f"{path} refused {name} and said nothing.")


def _as_c(value):
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return np.ctypeslib.as_ctypes_type(value.dtype)(value.item())


def _sample(run, repeats=1):
    """Time so many runs; return their mean in ms."""
    begin = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - begin) * 1e3 / repeats
