"""NVRTC, NVIDIA's run-time compiler: CUDA C++ text in, PTX or a cubin out. It needs no driver.

CuPy's RawKernel uses the same compiler; this module reaches it where there is no GPU, or no CuPy.
"""

import ctypes
from functools import cache, lru_cache
from pathlib import Path

from cuda import pathfinder

STANDARD = "-std=c++17"


class CompileError(Exception):
    """The compiler refused the source; the message is its log, with the .cu file's line numbers."""


@lru_cache(maxsize=1024)
def ptx(
    text: str, name: str = "kernel.cu", options: tuple[str, ...] = (), arch: str = "compute_90"
) -> str:
    """Compile CUDA C++ to PTX text. ``name`` is what the log and the line information call it.

    Raises CompileError with the compiler's log.
    """
    return _compile(text, name, (f"-arch={arch}", *options), "PTX").rstrip(b"\0").decode()


def cubin(
    text: str, name: str = "kernel.cu", options: tuple[str, ...] = (), arch: str = "sm_90"
) -> bytes:
    """Compile CUDA C++ to a cubin (bytes), machine code for one architecture."""
    return _compile(text, name, (f"-arch={arch}", *options), "CUBIN")


def verbose(
    text: str, name: str = "kernel.cu", options: tuple[str, ...] = (), arch: str = "sm_90"
) -> str:
    """Return what ptxas, which makes the machine code, says of it under -Xptxas -v."""
    options = (f"-arch={arch}", "--ptxas-options=-v", *options)
    return _compile(text, name, options, "ProgramLog").rstrip(b"\0").decode()


def version() -> tuple[int, int]:
    """Return NVRTC's version as (major, minor)."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


@cache
def headers() -> tuple[str, ...]:
    """The folders of cuda_fp16.h, cooperative_groups.h and their kin, as -I options, if found.

    nvcc's wheel has the folder crt/, which mma.h includes.
    """
    names = ("cudart", "cccl", "nvcc")
    folders = (pathfinder.find_nvidia_header_directory(name) for name in names)
    return tuple(f"-I{folder}" for folder in folders if folder and Path(folder).is_dir())


@cache
def _library():
    try:
        return ctypes.CDLL(pathfinder.load_nvidia_dynamic_lib("nvrtc").abs_path)
    except (pathfinder.DynamicLibNotFoundError, OSError) as error:
        raise RuntimeError(
            "NVRTC, NVIDIA's compiler library, was not found: pip install nvidia-cuda-nvrtc-cu12 "
            "(`python -m warpbook doctor` lists what this machine has)."
        ) from error


def _compile(text, name, options, kind):
    nvrtc, program = _library(), ctypes.c_void_p()
    options = [o.encode() for o in (STANDARD, *options, *headers())]
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), text.encode(), str(name).encode(), 0, None, None
    )
    try:
        array = (ctypes.c_char_p * len(options))(*options)
        failed = nvrtc.nvrtcCompileProgram(program, len(options), array)
        if failed:
            log = _read(nvrtc, program, "ProgramLog").rstrip(b"\0").decode().strip()
            raise CompileError(log or f"NVRTC gave error {failed} and no log for {name}.")
        return _read(nvrtc, program, kind)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _read(nvrtc, program, what):
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw
