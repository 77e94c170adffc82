"""Peers: a library's own routines with host code, compiled here with nvcc, beside the kernels."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from warpbook.launch import observers
from warpbook.launch.backend import GPU, cp
from warpbook.launch.observers import NotRun
from warpbook.launch.source import PACKAGE, ROOT

FOLDER = ROOT / "tools" / "peers" if (ROOT / "kernels").is_dir() else PACKAGE / "_peers"
SECONDS = 300  # that nvcc may take
TOO_OLD = 801  # cudaErrorNotSupported


@cache
def peer(name: str) -> "Cub":
    """Return a library that is no kernel of this book, such as CUB, as a contestant for ``bench``.

    name: 'cub', NVIDIA's own library for sums, scans and histograms, which the CUDA toolkit holds.
    It is compiled at its first use here, with nvcc, in about ten seconds; the result is kept in the
    user's cache folder. Its methods take arrays and return the array that they write, as a
    kernel's run does:

        cub = peer("cub")
        cub.sum(values, out)
        cub.scan(values, out)
        cub.histogram(values, counts, low, high)
        cub.argmax(values, out, index)

    sum takes float32 and writes out[0]; scan writes the inclusive sums of float32 or int32;
    histogram takes uint8 or float32 and writes int32 counts of equal bins; argmax takes float32 and
    writes out[0] and index[0], an int64.
    The temporary memory that CUB asks for is kept from one call to the next, so only a first call
    allocates it. Where there is no GPU or no nvcc, one sentence says so, a method returns a NotRun,
    and ``bench`` leaves the contestant out.
    """
    if name != "cub":
        raise LookupError(f"There is no peer '{name}'. There is: cub.")
    return Cub()


class Cub:
    """CUB's routines over whole arrays; see ``peer``."""

    def __init__(self) -> None:
        self.library, self.missing = _library(FOLDER / "cub.cu")
        self.temporary: dict[tuple, Any] = {}  # {(function, sizes): an array of bytes}
        if self.missing:
            print(self.missing)

    def sum(self, values: Any, out: Any) -> Any:
        """Write the sum of float32 values to out[0]."""
        return self._run("cub_sum", (values, np.float32), (out, np.float32))

    def argmax(self, values: Any, out: Any, index: Any) -> Any:
        """Write the greatest of float32 values to out[0], where it stands to index[0] (int64)."""
        return self._run("cub_argmax", (values, np.float32), (out, np.float32), (index, np.int64))

    def scan(self, values: Any, out: Any) -> Any:
        """Write the inclusive prefix sums of float32 or int32 values to out."""
        kind = {"f": "float", "i": "int"}.get(values.dtype.kind, "float")
        dtype = np.float32 if kind == "float" else np.int32
        return self._run(f"cub_scan_{kind}", (values, dtype), (out, dtype))

    def histogram(self, values: Any, counts: Any, low: float, high: float) -> Any:
        """Count uint8 or float32 values into counts.size equal bins of [low, high) (int32)."""
        bins, out = ctypes.c_int(counts.size), (counts, np.int32)
        if values.dtype == np.uint8:
            edges = bins, ctypes.c_int(int(low)), ctypes.c_int(int(high))
            return self._run("cub_histogram_bytes", (values, np.uint8), out, scalars=edges)
        ends = bins, ctypes.c_float(low), ctypes.c_float(high)
        return self._run("cub_histogram_floats", (values, np.float32), out, scalars=ends)

    def _run(self, name, *arrays, scalars=()):
        """Call one function of the library. arrays: (array, the dtype it must have), input first.
        Returns what it writes: the others, a tuple of them if there are several."""
        if self.missing:
            if GPU:
                observers.tell(self.missing)
            return self.missing
        for array, dtype in arrays:
            if array.dtype != dtype or not array.flags.c_contiguous:
                raise TypeError(f"{name} takes contiguous arrays of {np.dtype(dtype)} there.")
        size = arrays[0][0].size
        if size >= 2**31:
            raise ValueError(f"{name} is compiled for fewer than 2^31 elements.")
        call = getattr(self.library, name)
        last = ctypes.c_int(size), ctypes.c_void_p(cp.cuda.get_current_stream().ptr)
        given = *(ctypes.c_void_p(array.data.ptr) for array, _ in arrays), *scalars, *last
        key = name, size, *(scalar.value for scalar in scalars)
        if key not in self.temporary:
            needed = ctypes.c_size_t()
            _raise(name, call(None, ctypes.byref(needed), *given))
            self.temporary[key] = cp.empty(needed.value + 1, cp.uint8), needed
        memory, needed = self.temporary[key]
        _raise(name, call(ctypes.c_void_p(memory.data.ptr), ctypes.byref(needed), *given))
        written = tuple(array for array, _ in arrays[1:])
        return written[0] if len(written) == 1 else written


def _raise(name, status):
    if status == TOO_OLD:
        raise RuntimeError(f"{name} needs the CUB of CUDA 12.9 or newer.")
    if status:
        raise RuntimeError(f"{name} gave CUDA's error {status}.")


def _library(source):
    """The compiled library and None, or None and a NotRun that says what is missing."""
    title = source.stem.upper()
    if not GPU:
        return None, NotRun(f"{title} is left out: it needs a GPU.")
    nvcc = _nvcc()
    if nvcc is None:
        return None, NotRun(f"{title} is left out: it needs nvcc, which comes with CUDA's toolkit.")
    try:
        return ctypes.CDLL(str(_compiled(source, nvcc))), None
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        return None, NotRun(f"{title} is left out: nvcc could not compile it: {said[0]}")


def _nvcc():
    """The path of nvcc, or None."""
    homes = (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda")
    places = [str(Path(home, "bin")) for home in homes if home]
    return shutil.which("nvcc") or shutil.which("nvcc", path=os.pathsep.join(places))


def _compiled(source, nvcc):
    """The path of the shared library, compiled for this GPU now or at an earlier time."""
    text = source.read_text(encoding="utf-8")
    architecture = f"sm_{cp.cuda.Device().compute_capability}"
    version = subprocess.run([nvcc, "--version"], capture_output=True, encoding="utf-8").stdout
    key = hashlib.sha256("\0".join((text, architecture, version)).encode()).hexdigest()[:16]
    target = _cache() / f"{source.stem}-{key}.so"
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            made = Path(folder, target.name)
            # -O is for the host's code alone: the GPU's is optimised in any case.
            command = [
                nvcc,
                "-O1",
                "-std=c++17",
                "-shared",
                "-Xcompiler",
                "-fPIC",
                f"-arch={architecture}",
                "-o",
                str(made),
                str(source),
            ]
            subprocess.run(
                command, check=True, capture_output=True, encoding="utf-8", timeout=SECONDS
            )
            made.replace(target)
    return target


@cache
def _cache():
    """A folder of the user's that stays, or one for this process."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "warpbook"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp())
