"""Say what this machine can do, line by line, and what to do about what is missing."""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

KERNEL = 'extern "C" __global__ void trivial(float* out) { out[threadIdx.x] = 1; }'
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@dataclass(frozen=True)
class Line:
    """One finding. remedy: what to do where it is missing. needed: no reader can do without."""

    name: str
    ok: bool
    found: str
    remedy: str = ""
    needed: bool = False

    def __str__(self):
        mark = "ok     " if self.ok else "missing"
        tail = f"\n{'':26}{'needed: ' if self.needed else 'to have it: '}{self.remedy}"
        return f"{mark}  {self.name:<16} {self.found}" + ("" if self.ok else tail)


def doctor() -> int:
    """Print every line; return 0 when the book can be read and run in the emulator here, else 1.

    On a machine without NVIDIA's driver one line says so for all that needs a GPU.
    """
    with_gpu = shutil.which("nvidia-smi") or os.path.exists("/proc/driver/nvidia")
    lines = [_careful(probe) for probe in PROBES if with_gpu or probe[0] not in ON_GPU]
    if not with_gpu:
        lines.append(Line("GPU", False, "no NVIDIA driver here: " + NO_GPU, NEEDS_GPU))
    print(*lines, sep="\n")
    lacking = [line.name for line in lines if line.needed and not line.ok]
    gpu = any(line.ok for line in lines if line.name == "GPU")
    if lacking:
        print(f"\nThe book cannot run here yet: see {', '.join(lacking)} above.")
    elif gpu:
        print("\nKernels run on the GPU; traces and the grader's checks run in the emulator.")
    else:
        print("\nThe book can be read and run here, in the emulator: counts, but no milliseconds.")
    return 1 if lacking else 0


def _careful(probe):
    """Call a probe; whatever it raises becomes its line, for a doctor must not fall ill."""
    name, needed, look, remedy = probe
    try:
        return Line(name, True, look(), needed=needed)
    except Exception as error:
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        first, *more = said.split(", ")
        said = ", ".join([first, *(part for part in more if part not in first)])  # nothing twice
        return Line(name, False, said, remedy, needed)


def _python():
    if sys.version_info < (3, 11):  # noqa: UP036 (a doctor runs on what is there)
        raise RuntimeError(platform.python_version())
    return f"{platform.python_version()} on {platform.system()} {platform.machine()}"


def _libraries():
    names = ("numpy", "pandas", "matplotlib", "pygments")
    lacking = [name for name in names if importlib.util.find_spec(name) is None]
    if lacking:
        raise RuntimeError(f"no {', '.join(lacking)}")
    return ", ".join(f"{name} {_version(name)}" for name in names)


def _version(name):
    from importlib.metadata import version

    return version(name)


def _nvrtc():
    from warpemu import nvrtc

    text = nvrtc.ptx(KERNEL)
    return (
        f"{'.'.join(map(str, nvrtc.version()))}, compiles a kernel to PTX "
        f"{re.search(r'[.]version ([0-9.]+)', text)[1]}"
    )


def _emulator():
    import numpy as np

    import warpemu
    from warpemu import nvrtc

    out = np.zeros(32, np.float32)
    warpemu.compile(nvrtc.ptx(KERNEL), "trivial").launch((1,), (32,), [out])
    if not (out == 1).all():
        raise RuntimeError("a trivial kernel gave a wrong result")
    return "runs a kernel"


def _header(name):
    def look():
        from warpemu import nvrtc

        nvrtc.ptx(f"#include <{name}>\n{KERNEL}")
        return "found, compiles"

    return look


def _driver():
    # The driver's own tool, so that the line is right where CuPy is absent or broken.
    tool = shutil.which("nvidia-smi")
    if not tool:
        raise RuntimeError("no nvidia-smi")
    asked = [tool, "--query-gpu=driver_version", "--format=csv,noheader"]
    told = subprocess.run(asked, capture_output=True, encoding="utf-8", timeout=30)
    if told.returncode:
        raise RuntimeError(told.stdout or told.stderr)
    return told.stdout.split("\n")[0]


def _cupy():
    import cupy

    return cupy.__version__


def _runtime():
    import cupy

    number = cupy.cuda.runtime.runtimeGetVersion()
    return f"{number // 1000}.{number % 1000 // 10}"


def _gpu():
    import cupy

    count = cupy.cuda.runtime.getDeviceCount()
    if not count:
        raise RuntimeError("none seen")
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    hidden = "; not used: WARPBOOK_EMULATE is set" if os.environ.get("WARPBOOK_EMULATE") else ""
    more = f", the first of {count}" if count > 1 else ""
    return (
        f"{properties['name'].decode()}, compute capability "
        f"{properties['major']}.{properties['minor']}{more}{hidden}"
    )


def _cublas():
    from cuda import pathfinder

    return Path(pathfinder.load_nvidia_dynamic_lib("cublas").abs_path).name


def _ncu():
    tool = shutil.which("ncu")
    if not tool:
        raise RuntimeError("no ncu on the PATH")
    return tool


def _chromium():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        raise RuntimeError("none of " + ", ".join(BROWSERS) + " on the PATH")
    return found


NEEDS_GPU = "an NVIDIA GPU of compute capability 7.5 or newer, its driver and CuPy"
NO_GPU = "kernels run in the emulator"
ON_GPU = ("GPU", "driver", "CuPy", "CUDA runtime", "cuBLAS", "ncu")  # of no use without a driver
# name, whether reading and emulating need it, how to look, what to do where it is missing
PROBES = (
    ("Python", True, _python, "install Python 3.11 or newer"),
    ("libraries", True, _libraries, "pip install -r requirements.txt, or `make lab`"),
    ("NVRTC", True, _nvrtc, "pip install nvidia-cuda-nvrtc-cu12 (there is none for a Mac)"),
    ("emulator", True, _emulator, "see NVRTC; then run the tests: `make test`"),
    ("cuda_fp16.h", False, _header("cuda_fp16.h"), "pip install nvidia-cuda-runtime-cu12"),
    ("mma.h", False, _header("mma.h"), "pip install nvidia-cuda-nvcc-cu12"),
    ("GPU", False, _gpu, NEEDS_GPU),
    ("driver", False, _driver, "install NVIDIA's driver, 525 or newer"),
    ("CuPy", False, _cupy, "pip install cupy-cuda12x (or cupy-cuda13x with a CUDA 13 driver)"),
    ("CUDA runtime", False, _runtime, "it comes with CuPy"),
    ("cuBLAS", False, _cublas, "pip install nvidia-cublas-cu12"),
    ("ncu", False, _ncu, "install Nsight Compute; only the profiler's golden tables need it"),
    ("Chromium", False, _chromium, "install chromium; only the tests of the built pages need it"),
)
