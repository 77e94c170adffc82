"""Record chapters on a GPU: execute them, refuse what fails, keep what was measured."""

import contextlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warpbook import results
from warpbook.launch.backend import GPU
from warpbook.launch.source import ROOT
from warpbook.recording import stamps, witness

BOOK = ROOT / "book"
STAMP = "warpbook"  # the notebook's metadata key
SETUP = """\
import pandas as pd

from warpbook import (bench, ceil_div, check, claim, cp, device, diff,
                      explore, grade, ladder, load, pick, poisoned, predict,
                      reveal, roofline, show, start, trace)

device()"""
ON_COLAB = """\
try:
    import warpbook
except ModuleNotFoundError:  # on Colab: fetch the book's package, once
    %pip install -q "git+{address}"

"""


def chapters() -> list[Path]:
    """Return the chapters' paths in the book's order."""
    return sorted(BOOK.glob("[0-9][0-9]_*.ipynb"))


def slug(path: str | Path) -> str:
    """Return a chapter's name without its number, by which its results are known."""
    return Path(path).stem.partition("_")[2]


def address() -> str | None:
    """Return the repository's address from _config.yml, its one place, or None if it is unset."""
    pattern = r"^repository:\n(?:[ #].*\n)*?  url: *[\"']?([^\s\"']+)"
    found = re.search(pattern, (ROOT / "_config.yml").read_text(), re.M)
    return found[1] if found else None


def setup_cell() -> str:
    """Return the source of the cell with which every chapter begins."""
    return (ON_COLAB.format(address=address()) if address() else "") + SETUP


def write_setup_cells() -> list[Path]:
    """Write today's set-up cell into every chapter; return the paths of those that it changed.

    The cell is no part of a page's stamp: nothing needs to be recorded again.
    """
    import nbformat

    changed = []
    for path in chapters():
        notebook = nbformat.read(path, as_version=4)
        cell = next(c for c in notebook.cells if "setup" in c.metadata.get("tags", []))
        if cell.source != setup_cell():
            cell.source = setup_cell()
            write(notebook, path)
            changed.append(path)
    return changed


def record(names: Sequence[str] = (), results_only: bool = False) -> None:
    """Execute chapters on this machine's GPU, top to bottom in a fresh process, and save them.

    names: such as '05_coalescing', 'coalescing' or '05'; none means all. results_only keeps the
    pages as they are and writes book/results/<gpu>/ alone, which is how a reader adds a GPU; a
    claim that does not hold there is kept as such. Otherwise a chapter in which a cell or a claim
    fails is not saved; the others are.
    Raises RuntimeError for those that failed, and where there is no GPU.
    """
    if not GPU:
        raise RuntimeError(
            "recording measures, so it needs a GPU, and CuPy sees none here "
            "(`python -m warpbook doctor` says why)."
        )
    failed = []
    for path in _chosen(names):
        try:
            run = execute(path)
            _refuse_failed_claims(path, run, results_only)
        except RuntimeError as error:
            failed.append(str(error))
            continue
        mark = stamps.stamp(run.notebook, run.opened, run.imported)
        mark["seconds"] = round(run.seconds, 1)
        collected = {name: getattr(run, name) for name in results.TABLES}
        results.merge(collected, mark["gpu"], slug(path), mark)
        if not results_only:
            run.notebook.metadata[STAMP] = mark
            write(run.notebook, path)
    if failed:
        raise RuntimeError("\n\n".join(failed))


def _refuse_failed_claims(path, run, results_only):
    lost = [c["measured"] for c in run.claims if c["status"] != "holds"]
    if lost and results_only:
        print(f"{path.stem}: not on this GPU:", *lost, sep="\n  ")
    elif lost:
        raise RuntimeError("\n  ".join([f"{path.name} was not saved: claims do not hold:", *lost]))


@dataclass(frozen=True)
class Run:
    """One execution of a chapter: the notebook with its outputs, what it measured, what it used."""

    notebook: Any  # of nbformat
    measurements: list
    claims: list
    opened: set
    imported: set
    predictions: Sequence = ()
    races: Sequence = ()
    seconds: float = 0.0  # that it took


def execute(path: Path, emulated: bool = False, package: Path = ROOT) -> "Run":
    """Run one chapter in a fresh process and return its Run.

    emulated: without the GPU, even where there is one; nothing is measured then. package: the
    folder that ``warpbook`` is imported from, such as one that a wheel was unpacked in.
    Shows a progress bar on a terminal. Raises RuntimeError that names the cell that failed.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(path, as_version=4)
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    with tempfile.TemporaryDirectory() as folder, _environment(emulated, folder, package):
        inside = ("kernels", "book", "tools/peers", "warpbook/_kernels", "warpbook/book")
        places = [str(Path(package) / name) for name in inside]
        watch = f"from warpbook.recording import witness; witness.watch({folder!r}, {places!r})"
        client = NotebookClient(
            notebook, timeout=600, resources={"metadata": {"path": folder}},
            extra_arguments=[f"--IPKernelApp.exec_lines={watch}"],
            on_cell_start=lambda cell, cell_index: _progress(path.stem, cells, cell),
        )  # fmt: skip
        begin = time.perf_counter()
        try:
            client.execute()
        except CellExecutionError as error:
            raise RuntimeError(f"{path.name} was not saved: a cell failed.\n{error}") from None
        finally:
            seconds = time.perf_counter() - begin
            _progress(path.stem, cells, None)
        for cell in cells:
            cell.metadata.pop("execution", None)
            _shorten(cell.outputs)
        notebook.metadata["language_info"] = {"name": "python"}
        opened, imported = witness.read(folder)
        return Run(
            notebook,
            results.read(Path(folder) / "measurements.csv"),
            results.read(Path(folder) / "claims.csv"),
            opened,
            imported,
            results.read(Path(folder) / "predictions.csv"),
            results.read(Path(folder) / "races.csv"),
            seconds,
        )


def _shorten(outputs):
    """Keep the last line of an expected error: the rest names the folders of this machine."""
    for output in outputs:
        if output["output_type"] == "error":
            output["traceback"] = [f"{output['ename']}: {output['evalue']}"]


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
        match = [p for stem, p in there.items() if name in (stem, stem[:2], slug(p))]
        if not match:
            raise LookupError(f"there is no chapter '{name}'. There are: {', '.join(there)}.")
        chosen += match
    return chosen or list(there.values())


@contextlib.contextmanager
def _environment(emulated, folder, package):
    """Set what the notebook's process inherits: where its results go, where the package lies."""
    change = {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")])),
        **({"WARPBOOK_EMULATE": "1"} if emulated else {results.RECORDING: folder}),
    }
    before = dict(os.environ)
    os.environ.update(change)
    try:
        yield
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
