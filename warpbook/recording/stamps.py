"""Stamps: what a page's numbers came from, and which of that has changed since.

A stamp holds hashes of the page's code cells, of the files of the project that its process opened
(kernels, those behind ``device()`` too, and committed tables), and of the measuring modules that it
imported. What draws, words or grades is not measured: an edit there stales no page. What does not
depend on the machine, such as a trace, is compared with the committed output by a test.
"""

import ast
import datetime
import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

from warpbook.launch import source
from warpbook.launch.source import ROOT

LIBRARIES = ("numpy", "pandas", "matplotlib")
# The modules whose code decides what is measured. A test asks that each module of launch/, gpu/ and
# measure/ stands either here or below.
MEASURING = frozenset({
    "launch.kernel", "launch.lines", "launch.nvrtc", "launch.cpu", "launch.triton",
    "gpu.clock", "gpu.device", "gpu.l2_windows",
    "measure.bench", "measure.peers", "measure.profiler",
})  # fmt: skip
APART = {
    "launch.argument_texts": "makes up arguments for the emulator",
    "launch.arguments": "refuses arguments or passes them on",
    "launch.backend": "chooses between CuPy and NumPy",
    "launch.declarations": "reads a text",
    "launch.device_code": "compiles for the emulator alone",
    "launch.header": "reads the header, which is hashed with its file",
    "launch.numpy_cupy": "is there where nothing is measured",
    "launch.source": "finds the files that are hashed",
    "launch.tensor_maps": "describes an array to the driver",
    "gpu.doctor": "says what a machine has",
    "gpu.occupancy": "computes, the same on every machine",
    "launch.standard_headers": "are texts for the emulator's compilations alone",
    "measure.checks": "compares results",
    "measure.claims": "words what was measured",
    "measure.own_kernels": "runs in the emulator, the same on every machine",
    "measure.tracing": "counts in the emulator, the same on every machine",
}
PACKAGE = "warpbook"


def machine():
    """Describe what is measured on and with, as a dict."""
    from warpbook.gpu.device import device

    d = device()
    return {
        "gpu": d.name, "driver": d.driver, "cuda": d.cuda, "cupy": d.cupy,
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "clock_mhz": round(d.clock_mhz), "fma_clock_mhz": round(d.fma_clock_mhz),
        "copy_gb_per_s": round(d.copy_gb_per_s), "fma_tflop_per_s": round(d.fma_tflop_per_s, 1),
        "date": datetime.date.today().isoformat(),
    }  # fmt: skip


def stamp(notebook, opened, imported):
    """Return a page's stamp: ``machine()`` and the hashes of all that its numbers came from.

    opened: paths of files of the project; imported: names of modules, 'warpbook.gpu.clock'.
    """
    modules = {name.removeprefix(f"{PACKAGE}.") for name in imported} & MEASURING
    return machine() | {
        "code": code_hash(notebook),
        "files": {name: file_hash(name) for name in sorted(map(_name, opened))},
        "modules": {name: module_hash(name) for name in sorted(modules)},
    }


def stale(stamp, notebook):
    """Return what has changed since a stamp was made: 'its code', a file's or a module's name."""
    found = [] if stamp.get("code") == code_hash(notebook) else ["its code"]
    now = {"files": file_hash, "modules": module_hash}
    return found + [
        name
        for kind, hash_of in now.items()
        for name, then in stamp.get(kind, {}).items()
        if hash_of(name) != then
    ]


def code_hash(notebook):
    """Hash the code cells, the shared set-up cell apart."""
    return _digest([
        c.source for c in notebook.cells
        if c.cell_type == "code" and "setup" not in c.metadata.get("tags", [])
    ])  # fmt: skip


def file_hash(name):
    """Hash one file of the project, given from its folder down; '' where it is gone."""
    path = _path(name)
    return _digest([path.read_text()]) if path.is_file() else ""


def module_hash(name):
    """Hash the meaning of one module of the package; '' where it is gone."""
    path = Path(__file__).parents[1].joinpath(*name.split(".")).with_suffix(".py")
    return _digest(meaning(path.read_text())) if path.is_file() else ""


@cache
def meaning(text):
    """Return a module's lines without docstrings, imports, comments and blank lines."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        left_out = node if isinstance(node, (ast.Import, ast.ImportFrom)) else _docstring(node)
        if left_out:
            count = left_out.end_lineno - left_out.lineno + 1
            lines[left_out.lineno - 1 : left_out.end_lineno] = [""] * count
    return tuple(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _docstring(node):
    documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    return node.body[0] if documented and ast.get_docstring(node) is not None else None


def _name(path):
    """Name a file from the project's folder down, also where the kernels lie in the package."""
    path = Path(path).resolve()
    if path.is_relative_to(source.KERNELS.resolve()):
        return f"kernels/{path.relative_to(source.KERNELS.resolve()).as_posix()}"
    return path.relative_to(ROOT.resolve()).as_posix()


def _path(name):
    top, _, rest = name.partition("/")
    return source.KERNELS / rest if top == "kernels" else ROOT / name


def _digest(parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:16]
