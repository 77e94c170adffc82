"""Record chapters on a GPU: execute, refuse what fails, stamp what was measured and with what."""

import ast
import contextlib
import datetime
import hashlib
import json
import os
import re
import sys
import tempfile
from functools import cache
from importlib import metadata
from pathlib import Path

from warpbook import results
from warpbook.launch import source
from warpbook.launch.backend import GPU
from warpbook.launch.source import ROOT

BOOK = ROOT / "book"
STAMP = "warpbook"  # the notebook's metadata key
LIBRARIES = ("numpy", "pandas", "matplotlib")
# Modules whose code cannot change what a recorded page shows. The emulator is not here: what it
# prints is the same on every machine, and the tests execute every chapter in it and compare.
APART = {"__main__", "doctor", "recording", "counters"}
SETUP = '''\
import pandas as pd

from warpbook import (bench, check, claim, cp, device, diff, grade, ladder, load,
                      pick, poisoned, roofline, show, start, trace)

device()'''
ON_COLAB = '''\
try:
    import warpbook
except ModuleNotFoundError:  # on Colab: fetch the book's package and kernels, once
    %pip install -q "git+{address}"

'''


def chapters():
    """Return the chapters' paths in the book's order."""
    return sorted(BOOK.glob("[0-9][0-9]_*.ipynb"))


def address():
    """Return the repository's address from _config.yml, its one place, or None where it is unset."""
    pattern = r"^repository:\n(?:[ #].*\n)*?  url: *[\"']?([^\s\"']+)"
    found = re.search(pattern, _text(ROOT / "_config.yml"), re.M)
    return found[1] if found else None


def setup_cell():
    """Return the source of the cell with which every chapter begins."""
    return (ON_COLAB.format(address=address()) if address() else "") + SETUP


def record(names=(), results_only=False):
    """Execute chapters on this machine's GPU, top to bottom in a fresh process, and save them.

    names: such as '05_coalescing' or '05'; none means all. results_only keeps the pages as they
    are and writes book/results/<gpu>.csv alone, which is how a reader adds a GPU.
    A chapter in which a cell or a claim fails is not saved; the others are. Raises RuntimeError
    for those that failed, and where there is no GPU.
    """
    if not GPU:
        raise RuntimeError(
            "recording measures, so it needs a GPU, and CuPy sees none here "
            "(`python -m warpbook doctor` says why)."
        )
    failed = []
    for path in _chosen(names):
        try:
            notebook, rows = execute(path)
        except RuntimeError as error:
            failed.append(str(error))
            continue
        if rows:
            results.merge(rows, path.stem)
        if not results_only:
            notebook.metadata[STAMP] = stamp(notebook)
            write(notebook, path)
    if failed:
        raise RuntimeError("\n\n".join(failed))


def execute(path, emulated=False):
    """Run one chapter in a fresh process; returns (notebook with outputs, rows for the results).

    Shows a progress bar on a terminal. Raises RuntimeError that names the cell that failed.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(path, as_version=4)
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    with tempfile.TemporaryDirectory() as folder, _environment(emulated, folder, path) as rows:
        client = NotebookClient(
            notebook, timeout=600, resources={"metadata": {"path": folder}},
            on_cell_start=lambda cell, cell_index: _progress(path.stem, cells, cell),
        )  # fmt: skip
        try:
            client.execute()
        except CellExecutionError as error:
            raise RuntimeError(f"{path.name} was not saved: a cell failed.\n{error}") from None
        finally:
            _progress(path.stem, cells, None)
        for cell in cells:
            cell.metadata.pop("execution", None)
            _shorten(cell.outputs)
        notebook.metadata["language_info"] = {"name": "python"}
        return notebook, results.read(rows)


def _shorten(outputs):
    """Keep the last line of an expected error: the rest names the folders of this machine."""
    for output in outputs:
        if output["output_type"] == "error":
            output["traceback"] = [f"{output['ename']}: {output['evalue']}"]


def stamp(notebook):
    """Describe what a page was measured on and with, and hash what it was made from."""
    from warpbook.gpu.device import device

    d = device()
    return {
        "gpu": d.name, "driver": d.driver, "cuda": d.cuda, "cupy": d.cupy,
        "libraries": {name: metadata.version(name) for name in LIBRARIES},
        "clock_mhz": round(d.clock_mhz), "fma_clock_mhz": round(d.fma_clock_mhz),
        "copy_gb_per_s": round(d.copy_gb_per_s), "fma_tflop_per_s": round(d.fma_tflop_per_s, 1),
        "date": datetime.date.today().isoformat(), "hashes": hashes(notebook),
    }  # fmt: skip


def hashes(notebook):
    """Return the hashes of the code cells (the shared set-up cell apart), kernels and package."""
    code = [
        c.source for c in notebook.cells
        if c.cell_type == "code" and "setup" not in c.metadata.get("tags", [])
    ]  # fmt: skip
    return {
        "code": _digest(code),
        "kernels": _digest(f"{p.name}\n{_text(p)}" for p in kernels_used(notebook)),
        "package": _digest(_meaning(p) for p in _modules()),
    }


def kernels_used(notebook):
    """Return the .cu files that the code cells name; f'topic/{name}' stands for the whole topic."""
    code = "\n".join(c.source for c in notebook.cells if c.cell_type == "code")
    files = set()
    for variant in re.findall(r"""["'](\w+/[\w/]+)["']""", code):
        topic, _, name = variant.partition("/")
        for place in (variant, f"{topic}/exercises/{name}"):
            files |= {p for p in [source.KERNELS / f"{place}.cu"] if p.is_file()}
    for topic in re.findall(r"""f["'](\w+)/""", code):
        files |= set((source.KERNELS / topic).glob("*.cu"))
    return sorted(files)


def write(notebook, path):
    """Write a notebook the way the repository keeps it: sorted keys, one space of indent."""
    text = json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)


def _chosen(names):
    there = {p.stem: p for p in chapters()}
    chosen = []
    for name in names:
        match = [p for stem, p in there.items() if name in (stem, stem[:2])]
        if not match:
            raise LookupError(f"there is no chapter '{name}'. There are: {', '.join(there)}.")
        chosen += match
    return chosen or list(there.values())


@contextlib.contextmanager
def _environment(emulated, folder, path):
    """Set what the notebook's process inherits; yields the file that its results go to."""
    rows = Path(folder) / f"{path.stem}.csv"
    change = {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        **({"WARPBOOK_EMULATE": "1"} if emulated else {results.RECORDING: str(rows)}),
    }
    before = dict(os.environ)
    os.environ.update(change)
    try:
        yield rows
    finally:
        os.environ.clear()
        os.environ.update(before)


def _progress(name, cells, cell):
    if not sys.stderr.isatty():
        return
    done = len(cells) if cell is None else next(i for i, c in enumerate(cells) if c is cell)
    bar = "#" * (30 * done // len(cells))
    end = "\n" if cell is None else ""
    print(f"\r{name:24} [{bar:30}] {done}/{len(cells)}", end=end, file=sys.stderr, flush=True)


def _modules():
    return [p for p in sorted(Path(__file__).parent.glob("*.py")) if p.stem not in APART]


def _meaning(path):
    """A module's lines without docstrings, comments and blank lines, which change no measurement."""
    return "\n".join([path.name, *_code(_text(path))])


@cache
def _code(text):
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            docstring = node.body[0]
            lines[docstring.lineno - 1 : docstring.end_lineno] = [""] * (
                docstring.end_lineno - docstring.lineno + 1
            )
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _digest(parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:16]


def _text(path):
    return path.read_text()
