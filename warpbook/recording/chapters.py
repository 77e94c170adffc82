"""Record pages on a GPU: execute them, refuse what fails, keep what was measured.

A page is a chapter, book/05_coalescing.ipynb, or its lab notes, book/lab/05_coalescing.ipynb. Each
is recorded and stamped by itself; its results are known by its slug, 'coalescing' or
'lab/coalescing'.
"""

import json
import math
import os
import re
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from warpbook import results
from warpbook.launch.backend import GPU
from warpbook.launch.source import ROOT
from warpbook.recording import stamps, witness
from warpbook.recording.notebooks import read, without_fetch, write
from warpemu import Progress, store

BOOK = ROOT / "book"
LAB = "lab"  # the folder of the lab notes, in BOOK
KEY = "warpbook"  # of a notebook's metadata: the GPU that it shows, and whether it runs alone
NEVER = "never recorded"
USUAL_SECONDS = 45.0  # that a chapter takes, where nothing says how long it took
AHEAD = "; import cupy, matplotlib.pyplot, numpy, pandas"  # what each chapter imports
MACHINE_FILE = "machine.json"
# What a page's process runs last: it writes down what it ran on.
MACHINE = """\
import json, pathlib
from warpbook.recording import stamps
pathlib.Path({0!r}).write_text(json.dumps(stamps.machine()), encoding="utf-8")"""
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
NO_ADDRESS = "# No module named warpbook? See the book's page 'How to run it'.\n"


def chapters() -> list[Path]:
    """Return the chapters' paths in the book's order."""
    return sorted(BOOK.glob("[0-9][0-9]_*.ipynb"))


def pages() -> list[Path]:
    """Return the paths of all pages that are recorded: each chapter, behind it its lab notes."""
    return [page for path in chapters() for page in (path, notes(path)) if page.is_file()]


def notes(chapter: Path) -> Path:
    """Return where the lab notes of a chapter stand, if it has any."""
    return chapter.parent / LAB / chapter.name


def name(path: str | Path) -> str:
    """Return the name of a page's file in book/: '05_coalescing' or 'lab/05_coalescing'."""
    path = Path(path)
    return f"{LAB}/{path.stem}" if path.parent.name == LAB else path.stem


def slug(path: str | Path) -> str:
    """Return a page's name without its number, by which its results are known.

    That of lab notes is 'lab/coalescing', so that nothing of theirs meets what is the chapter's.
    """
    path = Path(path)
    return name(path).removesuffix(path.stem) + path.stem.partition("_")[2]


def address() -> str | None:
    """Return the repository's address from _config.yml, its one place, or None if it is unset."""
    pattern = r"^repository:\n(?:[ #].*\n)*?  url: *[\"']?([^\s\"']+)"
    found = re.search(pattern, (ROOT / "_config.yml").read_text(encoding="utf-8"), re.M)
    return found[1] if found else None


def fetch() -> str:
    """Return the lines that fetch the package on Colab, once; while there is no address, the one
    that says where it is.
    """
    return ON_COLAB.format(address=address()) if address() else NO_ADDRESS


def setup_cell() -> str:
    """Return the source of the set-up cell where nothing runs before it."""
    return fetch() + SETUP


def set_up(notebook: Any) -> None:
    """Write today's set-up cell into a notebook.

    A picture may stand above it: then that cell is the first to run, and fetches the package.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    setup = next(cell for cell in code if "setup" in cell.metadata.get("tags", []))
    setup.source = SETUP
    code[0].source = fetch() + without_fetch(code[0].source)


def write_setup_cells() -> list[Path]:
    """Write today's set-up cell into every page, and the file as JupyterLab lays it out.

    Returns the paths of those that changed. Neither the cell nor what fetches the package is part
    of a page's stamp: nothing needs to be recorded again.
    """
    written = []
    for path in pages():
        notebook, before = read(path), path.read_bytes()
        set_up(notebook)
        write(notebook, path)
        if path.read_bytes() != before:
            written.append(path)
    return written


def stamp(path: Path, gpu: str | None = None) -> dict[str, Any]:
    """Return the stamp of a page's recording; {} where there is none.

    gpu: the GPU's name; without it the one that the page shows.
    """
    return results.read_stamps(gpu or _metadata(path).get("gpu", "")).get(slug(path), {})


def changed(path: Path, gpu: str | None = None) -> list[str]:
    """Return what has changed since a page was recorded, as ``stamps.stale`` names it.

    gpu: as for ``stamp``. What was never recorded there gives NEVER alone.
    """
    made = stamp(path, gpu)
    return stamps.stale(made, read(path)) if made else [NEVER]


def stale() -> dict[str, list[str]]:
    """Return what has changed, by slug, of every page that is stale."""
    found = {slug(path): changed(path) for path in pages()}
    return {name: what for name, what in found.items() if what}


def since(what: Sequence[str], most: int = 3) -> str:
    """Say what ``changed`` returned: 'recorded before its code and kernels/a/01_b.cu changed'.

    most: how many files to name.
    """
    if what == [NEVER]:
        return NEVER
    more = len(what) - most
    named = [*what[:most], *([f"{more} more file{'s'[: more - 1]}"] if more > 0 else [])]
    words = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    return f"recorded before {words} changed"


def released(changelog: str) -> set[str]:
    """Return the slugs that a CHANGELOG's first section names: 'Stale pages: measure, caches.'"""
    newest = "".join(re.split(r"^## ", changelog, flags=re.M)[1:2])
    found = re.search(r"^Stale pages: ((?:.+\n?)+)", newest, re.M)
    return set(re.findall(r"[\w/]+", found[1])) if found else set()


def record(
    names: Sequence[str] = (),
    results_only: bool = False,
    seconds: float | None = None,
    gpus: int = 1,
    fresh_too: bool = False,
) -> list[str]:
    """Execute pages on this machine's GPU, each top to bottom in a fresh process; save each.

    names: as for ``chosen``; none means all pages that are stale or that another GPU recorded, and
    with fresh_too all. results_only keeps the pages as they are and
    writes book/results/<gpu>/ alone, which is how a reader adds a GPU; a claim that does not hold
    there is kept as such. Otherwise a page in which a cell or a claim fails is not saved; the
    others are.
    seconds: no page is begun that would end later, going by the time that it took before.
    gpus: how many pages run at once, each on a GPU of its own. A page whose metadata say
    'alone' times the host or uses several GPUs: it comes last, sees all GPUs, and nothing runs
    beside it.
    Returns the names of the pages that were left for want of time.
    Raises RuntimeError for those that failed, and where there are no such GPUs.
    """
    gpu = _gpu(gpus)
    waiting = chosen(names)
    if results_only and any(_metadata(path).get("gpu") == gpu for path in waiting):
        raise RuntimeError(f"the pages show the {gpu}: record them, without --results.")
    if not names and not fresh_too:
        waiting = [path for path in waiting if not _is_fresh(path, gpu, results_only)]
    work = _Work(waiting, gpu, results_only, seconds)
    alone = [path for path in waiting if _metadata(path).get("alone")]
    others = [path for path in waiting if path not in alone]
    if gpus == 1:
        work.through(others)
    else:
        with ThreadPoolExecutor(gpus) as pool:
            list(pool.map(lambda one: work.through(others, one), _visible(gpus)))
    work.through(alone, ahead=False)
    if work.failed:
        raise RuntimeError("\n\n".join(work.failed))
    return work.left


def _gpu(count):
    """Return the model of this machine's first GPUs, which have to be so many of one model."""
    if not GPU:
        raise RuntimeError(
            "recording measures, so it needs a GPU, and CuPy sees none here "
            "(`python -m warpbook doctor` says why)."
        )
    first = _models()[:count]
    if len(first) < count or len(set(first)) != 1:
        raise RuntimeError(
            f"--gpus {count} needs as many GPUs of one model. Here are: {', '.join(first)}."
        )
    return first[0]


def _models():
    from warpbook.launch.backend import cp

    runtime = cp.cuda.runtime
    count = runtime.getDeviceCount()
    return [runtime.getDeviceProperties(at)["name"].decode() for at in range(count)]


def _visible(count):
    """Return, for each of so many processes, what makes it see one GPU: CUDA_VISIBLE_DEVICES."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return (given.split(",") if given else [str(at) for at in range(count)])[:count]


_now = time.monotonic


def _metadata(path):
    return read(path).metadata.get(KEY, {})


def _is_fresh(path, gpu, results_only):
    shown = results_only or _metadata(path).get("gpu") == gpu
    return shown and not changed(path, gpu)


class _Work:
    """The recording of chapters, in one thread or in several.

    left: the names of those for which there was no time; failed: what was wrong with others.
    """

    def __init__(self, chosen, gpu, results_only, seconds):
        stamped = results.read_stamps(gpu)
        self.takes = {p: stamped.get(slug(p), {}).get("seconds", USUAL_SECONDS) for p in chosen}
        self.end = _now() + (math.inf if seconds is None else seconds)
        self.results_only, self.lock = results_only, Lock()
        self.left: list[str] = []
        self.failed: list[str] = []

    def through(self, waiting, visible=None, ahead=True):
        """Record chapters until none waits; threads may share the list.

        visible: the GPU that their processes see; without it all. ahead: whether the process of the
        next one starts, imports and waits while one runs.
        """
        process = self._begin(waiting, visible)
        while process:
            following = self._begin(waiting, visible, after=process.path) if ahead else None
            try:
                self._record(process)
            except BaseException:
                if following:
                    following.close()
                raise
            process = following or self._begin(waiting, visible)

    def _begin(self, waiting, visible, after=None):
        """Start the process of the next chapter for which there is time; None if there is none."""
        while True:
            with self.lock:
                if not waiting:
                    return None
                path = waiting.pop(0)
            if self._in_time(path, self.takes.get(after, 0.0)):
                return _Process(path, visible=visible)

    def _in_time(self, path, before=0.0):
        """Whether a chapter ends in time that begins so many seconds from now; else note it."""
        in_time = _now() + before + self.takes[path] <= self.end
        if not in_time:
            self.left.append(name(path))
        return in_time

    def _record(self, process):
        path = process.path
        try:
            if not self._in_time(path):
                return
            run = process.run()
            _refuse_failed_claims(path, run, self.results_only)
        except (RuntimeError, TimeoutError) as error:
            self.failed.append(str(error))
            return
        finally:
            process.close()
        with self.lock:
            _save(path, run, self.results_only)
        print(f"{name(path)}: {run.seconds:.0f} s", flush=True)


def _refuse_failed_claims(path, run, results_only):
    lost = [c["measured"] for c in run.claims if c["status"] != "holds"]
    if lost and results_only:
        print(f"{name(path)}: not on this GPU:", *lost, sep="\n  ")
    elif lost:
        said = f"{name(path)}.ipynb was not saved: claims do not hold:"
        raise RuntimeError("\n  ".join([said, *lost]))


def _save(path, run, results_only):
    """Put what a run measured into the results, with its stamp, and its outputs into the page."""
    took = {name: round(s, 1) for name, s in run.cell_seconds.items() if s >= 0.05}
    stamp = run.machine | stamps.hashes(run.notebook, run.opened, run.imported)
    stamp |= {"seconds": round(run.seconds, 1), "cell_seconds": took}
    collected = {name: getattr(run, name) for name in results.TABLES}
    results.merge(collected, stamp["gpu"], slug(path), stamp)
    if not results_only:
        run.notebook.metadata.setdefault(KEY, {})["gpu"] = stamp["gpu"]
        write(run.notebook, path)


@dataclass(frozen=True)
class Run:
    """One execution of a chapter: the notebook with its outputs, what it measured, what it used."""

    notebook: Any  # of nbformat
    measurements: list
    claims: list
    opened: set
    imported: set
    predictions: Sequence = ()
    seconds: float = 0.0  # that it took
    cell_seconds: dict = field(default_factory=dict)  # by the cell's id
    machine: dict = field(default_factory=dict)  # what it ran on; {} in the emulator


def execute(path: Path, emulated: bool = False, package: Path = ROOT) -> Run:
    """Run one chapter in a fresh process and return its Run.

    emulated: without the GPU, even where there is one; nothing is measured then. package: the
    folder that ``warpbook`` is imported from, such as one that a wheel was unpacked in.
    Shows a progress bar on a terminal. Raises RuntimeError that names the cell that failed.
    """
    process = _Process(path, emulated, package)
    try:
        return process.run()
    finally:
        process.close()


class _Process:
    """A process for one chapter, which starts at once and runs nothing until it is told to."""

    def __init__(self, path, emulated=False, package=ROOT, visible=None):
        from nbclient import NotebookClient
        from nbformat.v4 import new_code_cell

        self.path, self.notebook, self.seconds = path, read(path), {}
        self.cells = [c for c in self.notebook.cells if c.cell_type == "code"]
        self.measures = GPU and not emulated
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        if self.measures:
            last = MACHINE.format(str(self.folder / MACHINE_FILE))
            self.notebook.cells.append(new_code_cell(last))
        inside = ("kernels", "book", "tools/peers", "warpbook/_kernels", "warpbook/book")
        places = [str(Path(package) / name) for name in inside]
        watch = "from warpbook.recording import witness; "
        watch += f"witness.watch({self.temporary.name!r}, {places!r})"
        self.client = NotebookClient(
            self.notebook,
            timeout=600,
            resources={"metadata": {"path": self.temporary.name}},
            extra_arguments=[f"--IPKernelApp.exec_lines={watch}{AHEAD if self.measures else ''}"],
            on_cell_execute=self._started,
            on_cell_executed=self._ended,
        )
        self.client.create_kernel_manager()
        change = _environment(emulated, self.temporary.name, package, visible)
        change[results.PAGE] = name(path)
        self.client.start_new_kernel(env={**os.environ, **change})

    def _started(self, cell, cell_index):
        self.seconds[cell.id] = -time.perf_counter()
        self.bar.update(len(self.seconds) - 1)

    def _ended(self, cell, cell_index, execute_reply):
        self.seconds[cell.id] += time.perf_counter()

    def run(self):
        """Run the chapter from top to bottom and return its Run; see ``execute``."""
        from nbclient.exceptions import CellExecutionError

        begin = time.perf_counter()
        self.bar = Progress(name(self.path), len(self.cells) + self.measures, "cells")
        try:
            self.client.execute()
        except CellExecutionError as error:
            said = f"{name(self.path)}.ipynb was not saved: a cell failed."
            raise RuntimeError(f"{said}\n{error}") from None
        finally:
            seconds = time.perf_counter() - begin
            self.bar.end_line()
        machine = {}
        if self.measures:
            self.seconds.pop(self.notebook.cells.pop().id)
            machine = json.loads((self.folder / MACHINE_FILE).read_text(encoding="utf-8"))
        for cell in self.cells:
            cell.metadata.pop("execution", None)
            _shorten(cell.outputs)
        opened, imported = witness.read(self.folder)
        tables = {name: results.read(self.folder / f"{name}.csv") for name in results.TABLES}
        return Run(
            self.notebook,
            opened=opened,
            imported=imported,
            seconds=seconds,
            cell_seconds=self.seconds,
            machine=machine,
            **tables,
        )

    def close(self):
        """End the process, if it has not ended, and remove what it left."""
        if self.client.km and self.client.km.has_kernel:
            self.client._cleanup_kernel()
        self.temporary.cleanup()


def _shorten(outputs):
    """Keep the last line of an expected error: the rest names the folders of this machine."""
    for output in outputs:
        if output["output_type"] == "error":
            output["traceback"] = [f"{output['ename']}: {output['evalue']}"]


def chosen(names: Sequence[str]) -> list[Path]:
    """Return the paths of the pages of these names; no names: all.

    '05_coalescing' or 'coalescing' is the chapter, 'lab/05_coalescing' or 'lab/coalescing' its lab
    notes, '05' both. Raises LookupError that lists those there are.
    """
    there = {name(path): path for path in pages()}
    found = []
    for given in names:
        match = [p for page, p in there.items() if given in (page, p.stem[:2], slug(p))]
        if not match:
            raise LookupError(f"there is no page '{given}'. There are: {', '.join(there)}.")
        found += match
    return found or list(there.values())


def _environment(emulated, folder, package, visible):
    """Return what a chapter's process has besides this one's environment."""
    paths = filter(None, [str(package), os.environ.get("PYTHONPATH")])
    return {
        "PYTHONPATH": os.pathsep.join(paths),
        **(
            {"WARPBOOK_EMULATE": "1"}
            if emulated
            else {results.RECORDING: folder, store.COMPILED: ""}
        ),
        **({"CUDA_VISIBLE_DEVICES": visible} if visible else {}),
    }
