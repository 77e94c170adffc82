"""Where kernels run: on a GPU through CuPy or, where there is none, in the emulator on NumPy."""

import ctypes
import os
import sys
from typing import TypeVar

Choice = TypeVar("Choice")
DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


def _cupy_with_gpu():
    """Return CuPy if it is installed and sees a GPU, else None."""
    if os.environ.get("WARPBOOK_EMULATE"):
        return None
    try:
        ctypes.CDLL(DRIVER)  # without a driver there is no need to wait a second for CuPy
        import cupy

        return cupy if cupy.cuda.runtime.getDeviceCount() else None
    except Exception:  # no CuPy, no driver, or a driver too old: `doctor` says which
        return None


# CuPy itself where there is a GPU. Where there is none, a slice of its API on NumPy, whose kernels
# run in the emulator.
cp = _cupy_with_gpu()
GPU = cp is not None
if not GPU:
    from warpbook.launch import numpy_cupy as cp  # noqa: F811


def pick(*, gpu: Choice, emulated: Choice) -> Choice:
    """Return ``gpu`` where there is a GPU and ``emulated`` where kernels run in the emulator."""
    return gpu if GPU else emulated


def _gpu_cells(lines):
    """Let a cell that begins with %%gpu run where there is a GPU; elsewhere let it say so."""
    if not lines or lines[0].strip() != "%%gpu":
        return lines
    return lines[1:] if GPU else ["print('This cell needs a GPU: not run here.')\n"]


def _teach_ipython():
    try:
        shell = get_ipython()  # a builtin inside IPython and Jupyter, absent elsewhere
    except NameError:
        return
    shell.input_transformers_cleanup.append(_gpu_cells)


_teach_ipython()
