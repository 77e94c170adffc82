"""Stamps: what a page's numbers came from, and which of that has changed since.

A stamp holds hashes of the page's code cells; of the files of the project that its process opened:
the code of kernels and of the headers that they include, and committed tables; and of the few
modules that launch and time. Comments, docstrings, messages, checks of arguments, drawing, wording
and grading are not measured: an edit there makes no page stale.
"""

import ast
import datetime
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from warpbook.launch import header, source
from warpbook.launch.source import ROOT
from warpbook.recording.notebooks import without_fetch
from warpbook.recording.wording import without_words

LIBRARIES = ("numpy", "pandas", "matplotlib")
CODE = "its code"  # how ``stale`` names the page's code cells
# The modules that launch or time. A test asks that what uses a GPU's events or compiles for it, or
# reads a clock, stands here.
MEASURING = frozenset(
    {
        "launch.on_gpu",
        "launch.lines",
        "launch.cpu",
        "launch.triton",
        "gpu.clock",
        "gpu.device",
        "gpu.l2_windows",
        "measure.bench",
        "measure.peers",
        "measure.profiler",
    }
)
PACKAGE = "warpbook"
# Of a module's syntax: what says nothing about what it does.
_IMPORTS = (ast.Import, ast.ImportFrom)
_HINTS = {"annotation", "returns"}
_NOTES = _HINTS | {"type_comment", "type_params", "kind", "ctx"}
_SAID = {"print", "_say"}  # functions that only tell the reader something
# A preprocessor's line, a string, a word or another character: what the code is made of.
_TOKENS = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*|"(?:\\.|[^"\\\n])*"|\w+|\S', re.M)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
_SHAPE = re.compile(r"// *\[([^\]\n]*)\]")  # behind a parameter, from which arrays are made


def machine() -> dict[str, Any]:
    """Describe what is measured on and with; on a GPU its rates are measured."""
    from warpbook.gpu.device import device

    d = device()
    return {
        "gpu": d.name,
        "driver": d.driver,
        "cuda": d.cuda,
        "cupy": d.cupy,
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "clock_mhz": round(d.clock_mhz),
        "fma_clock_mhz": round(d.fma_clock_mhz),
        "copy_gb_per_s": round(d.copy_gb_per_s),
        "fma_tflop_per_s": round(d.fma_tflop_per_s, 1),
        "date": datetime.date.today().isoformat(),
    }


def hashes(notebook: Any, opened: Iterable[str], imported: Iterable[str]) -> dict[str, Any]:
    """Return the hashes of all that a page's numbers came from: its stamp but for the machine.

    opened: paths of files of the project; imported: names of modules, 'warpbook.gpu.clock'.
    """
    modules = {name.removeprefix(f"{PACKAGE}.") for name in imported} & MEASURING
    files = {_name(path) for given in opened for path in _with_headers(Path(given))}
    return {
        "code": code_hash(notebook),
        "files": {name: file_hash(name) for name in sorted(files)},
        "modules": {name: module_hash(name) for name in sorted(modules)},
    }


def stale(stamp: dict[str, Any], notebook: Any) -> list[str]:
    """Return what has changed since a stamp was made: 'its code', or the names of files."""
    found = [] if stamp["code"] == code_hash(notebook) else [CODE]
    files = {name: then != file_hash(name) for name, then in stamp["files"].items()}
    modules = {
        f"{PACKAGE}/{name.replace('.', '/')}.py": then != module_hash(name)
        for name, then in stamp["modules"].items()
    }
    return found + [name for name, changed in (files | modules).items() if changed]


def code_hash(notebook: Any) -> str:
    """Hash the code cells, but for the shared set-up cell, what fetches the package on Colab, and
    the words of claims: those ``reword`` changes, and measures nothing.
    """
    return _digest(
        [
            without_words(without_fetch(c.source))
            for c in notebook.cells
            if c.cell_type == "code" and "setup" not in c.metadata.get("tags", [])
        ]
    )


def file_hash(name: str) -> str:
    """Hash what counts of one file, given from the project's folder down; '' where it is gone."""
    path = _path(name)
    if not path.is_file():
        return ""
    text = path.read_text(encoding="utf-8")
    return _digest(_COUNTS.get(path.suffix, lambda text: [text])(text))


def module_hash(name: str) -> str:
    """Hash the meaning of one module of the package; '' where it is gone."""
    path = Path(__file__).parents[1].joinpath(*name.split(".")).with_suffix(".py")
    return _digest([meaning(path.read_text(encoding="utf-8"))]) if path.is_file() else ""


def kernel_code(text: str) -> list[str]:
    """Return what CUDA C++ says to the compiler and the launch: its words without its comments.

    Of the comments count those from which a launch is worked out: of the header the extents, the
    tensor maps and the architecture, and the shapes behind the parameters.
    """
    tokens = _TOKENS.findall(source.without_comments(text))
    return [" ".join(token.split()) for token in tokens] + _launch(text)


def _launch(text):
    head = header.read(text)
    extents = [head.formula(what) for what in ("grid", "block", "shared_bytes")]
    return [*extents, repr(head.maps), head.architecture, *_SHAPE.findall(text)]


def _triton_code(text):
    """What a kernel in Python says, with its type hints, and its header as above."""
    return [meaning(text, hints=True), *_launch(re.sub(r"^#", "//", text, flags=re.M))]


_COUNTS = {".cu": kernel_code, ".cuh": kernel_code, ".py": _triton_code}


@cache
def meaning(text: str, hints: bool = False) -> str:
    """Return what a Python module does, as text: its syntax without comments and docstrings,
    imports, type hints, what it raises and prints, and how its objects show themselves.

    hints: keep type hints, by which Triton compiles.
    """
    return repr(_meant(ast.parse(text), _NOTES - _HINTS if hints else _NOTES))


def _meant(node, left_out):
    if isinstance(node, list):
        return [_meant(item, left_out) for item in node if not _only_words(item)]
    if isinstance(node, ast.Raise):
        return "raise"
    if isinstance(node, ast.Assert):
        return ["assert", _meant(node.test, left_out)]
    if not isinstance(node, ast.AST):
        return node
    fields = {name: value for name, value in ast.iter_fields(node) if name not in left_out}
    there = {name: value for name, value in fields.items() if value is not None and value != []}
    return [type(node).__name__, {name: _meant(there[name], left_out) for name in there}]


def _only_words(node):
    """Whether a statement only imports or says something, or a method only shows its object."""
    if isinstance(node, ast.FunctionDef):
        return node.name == "__repr__" or node.name.startswith("_repr_")
    if not isinstance(node, ast.Expr):
        return isinstance(node, _IMPORTS)
    called = getattr(getattr(node.value, "func", None), "id", None)
    return called in _SAID or isinstance(node.value, ast.Constant)


def _with_headers(path: Path, seen: tuple[Path, ...] = ()) -> Iterator[Path]:
    """Yield a file and those of the project that it includes, and what those include."""
    yield path
    if path.suffix in (".cu", ".cuh"):
        code = source.without_comments(path.read_text(encoding="utf-8"))
        places = [folder / name for name in _INCLUDE.findall(code) for folder in _folders(path)]
        for included in filter(Path.is_file, places):
            if included not in seen:
                yield from _with_headers(included, (*seen, path))


def _folders(path):
    return path.parent, source.KERNELS


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
