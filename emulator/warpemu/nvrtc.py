"""NVRTC, NVIDIA's run-time compiler: CUDA C++ text in, PTX or a cubin out. It needs no driver.

CuPy's RawKernel uses the same compiler; this module reaches it where there is no GPU, or no CuPy.
Everything here goes through ``compiled``, the one function that calls the compiler, or that finds
in the ``store`` what was compiled before.
"""

import ctypes
import os
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from . import nvrtc_process, store

try:
    from cuda import pathfinder
except ImportError:  # where NVIDIA has nothing to find, as in a browser
    pathfinder = None

STANDARD = "-std=c++17"
MISSING = (
    "NVRTC, NVIDIA's compiler library, was not found: pip install nvidia-cuda-nvrtc-cu12 (there is "
    "none for a Mac, nor in a browser: use a container or another machine)"
)


class CompileError(Exception):
    """The compiler refused the source; the message is its log, with the .cu file's line numbers."""


class CompilerCrash(CompileError):
    """The compiler's own process has died; what it was asked is not refused for a reason."""


@lru_cache(maxsize=1024)
def ptx(
    text: str, name: str = "kernel.cu", options: tuple[str, ...] = (), arch: str = "compute_90"
) -> str:
    """Compile CUDA C++ to PTX text. ``name`` is what the log and the line information call it.

    Raises CompileError with the compiler's log.
    """
    return _text(_made(text, name, options, arch, "PTX"))


def cubin(
    text: str, name: str = "kernel.cu", options: tuple[str, ...] = (), arch: str = "sm_90"
) -> bytes:
    """Compile CUDA C++ to a cubin (bytes), machine code for one architecture."""
    return _made(text, name, options, arch, "CUBIN")


def verbose(
    text: str, name: str = "kernel.cu", options: tuple[str, ...] = (), arch: str = "sm_90"
) -> str:
    """Return what ptxas, which makes the machine code, says of it under -Xptxas -v."""
    return _text(_made(text, name, ("--ptxas-options=-v", *options), arch, "ProgramLog"))


def version() -> tuple[int, int]:
    """Return NVRTC's version as (major, minor)."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


@cache
def headers() -> tuple[str, ...]:
    """The folders of cuda_fp16.h, cooperative_groups.h and their kin, as -I options, if found.

    nvcc's wheel has the folder crt/, which mma.h includes. All come from where the first was found,
    from wheels or from a toolkit, for headers of two versions do not go together.
    """
    names = ("cudart", "cccl", "nvcc") if pathfinder else ()
    found = [pathfinder.find_nvidia_header_directory(name) for name in names]
    folders = [Path(folder) for folder in found if folder and Path(folder).is_dir()]
    root = _installed(folders[0]) if folders else None
    return tuple(f"-I{folder}" for folder in folders if _installed(folder) == root)


def _installed(folder):
    """Where a header's folder is installed: a toolkit's root, or the folder of NVIDIA's wheels."""
    parts = folder.resolve().parts
    for name in ("nvidia", "targets", "include"):
        if name in parts:
            return parts[: parts.index(name)]
    return parts


@cache
def _library():
    if not pathfinder:
        raise RuntimeError(MISSING)
    try:
        return ctypes.CDLL(pathfinder.load_nvidia_dynamic_lib("nvrtc").abs_path)
    except (pathfinder.DynamicLibNotFoundError, OSError) as error:
        raise RuntimeError(MISSING) from error


def compiled(
    text: str,
    name: str,
    options: Sequence[str],
    what: str = "PTX",
    included: Mapping[str, str] | None = None,
    expression: str = "",
    apart: bool = False,
) -> tuple[bytes, str]:
    """Compile CUDA C++; return (what is wanted of it, the name that ``expression`` has in it).

    name: what the log and the line information call the text. options: all of them, as no other is
    added. what: 'PTX', 'CUBIN' or 'ProgramLog'; texts end in a zero byte. included: the texts of
    headers by the names that include them; others are looked for in the -I folders of the options.
    expression: a kernel in C++, such as 'scale<float, 4>', whose instance is made; '' for none.
    apart: in a process of its own, for a text that nobody has compiled before.
    Raises CompileError with the compiler's log, and where ``apart`` CompilerCrash.
    """
    included = included or {}
    asked = (text, name, options, what, included, expression, apart)
    own = [option for option in options if option not in _here()]
    headers = [part for header in sorted(included.items()) for part in header]
    parts = (text, str(name), what, expression, str(len(own)), *own, *headers)
    entry = store.kept(store.key(*parts), lambda: _entry(*asked))
    lowered, _, made = entry.partition(b"\n")
    if lowered == _REFUSED:
        raise CompileError(made.decode())
    return made, lowered.decode()


_REFUSED = b"!"  # in place of a name: the compiler's log follows


@cache
def _here():
    """Options that say where this machine has CUDA's headers: another has the same elsewhere."""
    places = {Path(own.removeprefix("-I")).parents[1] for own in headers()}
    return frozenset(f"-I{folder}" for at in places for folder in at.glob("*/include")) | {
        *headers()
    }


def _entry(*asked):
    """What the store keeps of a compilation: a line with the name, and behind it what was made."""
    if os.environ.get(store.COMPILED):
        try:
            _library()
        except RuntimeError as error:
            raise RuntimeError(
                f"{asked[1]} was not compiled beforehand with these options and defines, and there "
                f"is no compiler here. To compile what is new: {error}."
            ) from None
    try:
        made, lowered = _compiled(*asked)
    except CompilerCrash:
        raise  # another version may not
    except CompileError as error:
        return _REFUSED + b"\n" + str(error).encode()
    return lowered.encode() + b"\n" + made


def _compiled(text, name, options, what, headers, expression, apart):
    library = _library()
    asked = text, str(name), list(options), what, dict(headers), expression
    try:
        if apart:
            return nvrtc_process.compiled_apart(library._name, *asked)
        return nvrtc_process.compiled(library, *asked)
    except nvrtc_process.Refused as refused:
        raise CompileError(str(refused)) from None
    except nvrtc_process.Crashed as crashed:
        raise CompilerCrash(
            f"NVRTC, NVIDIA's compiler, crashes on {name} ({crashed}). It does so where a template "
            "names a type that is declared nowhere: look for a header that is not found, and name "
            "its folder with -I."
        ) from None


def _made(text, name, options, arch, what):
    return compiled(text, name, (STANDARD, f"-arch={arch}", *options, *headers()), what)[0]


def _text(data):
    return data.rstrip(b"\0").decode()
