"""Grade an exercise in a process of its own, so that no kernel can take the session with it."""

import html
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from warpbook.grading import exercises, intake, protocol
from warpbook.launch import source
from warpbook.launch.backend import GPU

POINTS = 10.0
OUTPUT = 64 * 1024  # bytes a kernel may print
START = 120  # seconds the child has to import its modules
SECONDS = 60  # seconds that all checks together may take
# What the child is told of the grader's environment: what Python, NVRTC and CUDA are found by.
ENVIRONMENT = (
    "PATH", "HOME", "USERPROFILE", "APPDATA", "SYSTEMROOT", "LANG", "TMPDIR", "TEMP", "TMP",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CONDA_PREFIX", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE",
    "CUDA_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUPY_CACHE_DIR",
)  # fmt: skip


@dataclass
class Row:
    """One check: its key in the protocol, and its name for readers.

    passed is None while it is not judged; kind is 'gate', 'right' or 'fast'.
    """

    key: str
    name: str
    kind: str
    passed: bool | None = None
    detail: str = ""
    out_of: float = 0.0

    @property
    def points(self) -> float:
        """The row's points: all or none."""
        return self.out_of if self.passed else 0.0

    @property
    def result(self):
        """The row's result in a word or two."""
        return {True: "passed", False: "failed", None: "not judged"}[self.passed]


def grade(name: str, file: str | Path | None = None, seconds: float = SECONDS) -> "Grade":
    """Grade the student's copy of 'topic/name' (or ``file``) and return a Grade.

    The kernel runs in the emulator, with its sanitizer on, at each size; then its limits are
    traced; where there is a GPU it also runs there, at each size, and against the measured bound.
    A copy in work/ that is still as it was handed out is not run; give it as ``file`` to see how
    it fails. There are always ten points. Five are for right results, shared equally by the
    sizes: a size at which the sanitizer finds something is not right. Five are for how it runs,
    shared equally by the limits and the bound, and given only when every size is right. Where
    nothing of the second kind can be judged, the sizes share all ten.
    ``seconds`` is the time that all checks together may take; a check in which it ends, or that
    crashes or prints more than 64 KB, fails, and the checks after it are not judged.
    The file is graded alone: its kernel may include the compiler's headers and no other file.
    Raises LookupError for an exercise that does not exist, FileNotFoundError for no copy of it,
    and ValueError for a copy that is a symbolic link or larger than 256 KB.
    """
    asked, path = exercises.specification(name), Path(file or exercises.work_path(name)).absolute()
    if not path.exists() and not path.is_symlink():
        raise FileNotFoundError(
            f'there is no {exercises.shown(path)}. Make your copy first: start("{name}").'
        )
    intake.check_file(path)
    if file is None and exercises.untouched(name):
        return Grade(name, path, plan(asked), begun=False)
    path = path.resolve()
    rows, printed, clock = plan(asked), b"", _Clock(seconds)
    for stage in (protocol.EMULATOR, protocol.GPU) if GPU else (protocol.EMULATOR,):
        if stage == protocol.EMULATOR or all(
            row.passed for row in rows if row.kind == "right" and row.key != protocol.ON_GPU
        ):
            journal, text, fate = _run(stage, name, path, clock)
            printed += text
            fill(rows, journal, fate)
    return Grade(name, path, rows, printed[:OUTPUT].decode(errors="replace"))


def right_at(size):
    """Name the check of one size: 'right at 1000 x 777'."""
    return "right at " + " x ".join(map(str, size if isinstance(size, tuple) else (size,)))


def plan(asked, gpu=GPU):
    """List the rows of an Exercise, in the order they are judged, with what each is worth."""
    rows = [Row(protocol.COMPILES, "compiles", "gate")]
    rows += [
        Row(protocol.right(number), right_at(size), "right")
        for number, size in enumerate(asked.sizes)
    ]
    rows += [Row(protocol.CLEAN, "no sanitizer finding", "gate")]
    rows += [
        Row(protocol.limit(counter), f"{counter} at most {limit:g}", "fast")
        for counter, limit in asked.limits.items()
    ]
    if gpu:
        rows += [Row(protocol.ON_GPU, "right on this GPU", "right")]
    if asked.bound_share is not None:
        name = f"{asked.bound_share:.0%} of the measured bound"
        rows += [
            Row(protocol.BOUND, name, "fast")
            if gpu
            else Row(protocol.BOUND, name, "gate", None, "needs a GPU")
        ]
    right, fast = ([row for row in rows if row.kind == kind] for kind in ("right", "fast"))
    for group in (right, fast):
        for row in group:
            row.out_of = (POINTS / 2 if fast else POINTS) / len(group)
    return rows


def fill(rows, journal, fate=""):
    """Enter the child's journal into the rows.

    journal: entries of the protocol. fate: how the child ended if not by itself; the check that
    was under way then fails with it.
    """
    by_key = {row.key: row for row in rows}
    under_way = None
    for entry in journal:
        under_way = by_key[entry["begin"]] if "begin" in entry else None
        if "key" in entry:
            row = by_key[entry["key"]]
            row.passed, row.detail = entry["passed"], entry["detail"]
    if fate:
        row = under_way or next((r for r in rows if r.passed is None), rows[0])
        row.passed, row.detail = False, fate


@dataclass
class _Clock:
    """The time of a grading; it runs while checks do, not while Python starts."""

    seconds: float
    spent: float = 0.0


def _run(stage, name, path, clock):
    """Run the child; return (its journal, what it printed, how it was ended or '')."""
    spec = exercises.skeleton_path(name).parent / "grading.py"
    with tempfile.TemporaryDirectory(prefix="grade-") as folder:
        journal, empty = Path(folder) / "journal", Path(folder) / "empty"
        journal.touch()
        empty.mkdir()  # where the child runs: a relative #include finds nothing
        command = [
            sys.executable,
            "-m",
            protocol.CHILD,
            stage,
            spec,
            name.split("/")[1],
            path,
            journal,
            os.getpid(),
            START + clock.seconds - clock.spent,
        ]
        with _child(command, stage, empty) as (process, reader):
            fate = _watch(process, reader, journal, clock)
        entries = protocol.read(journal)
    return entries, bytes(reader.kept), fate


@contextmanager
def _child(command, stage, folder):
    """Start the child in a process group of its own; end the group whatever happens."""
    places = [str(Path(source.__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ} | {
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        "PYTHONUTF8": "1",
        "WARPBOOK_EMULATE": "1" if stage == protocol.EMULATOR else "",
        "OPENBLAS_NUM_THREADS": "1",
    }
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    reader = _Reader(process.stdout)
    reader.start()
    try:
        yield process, reader
    finally:
        if process.poll() is None:
            _end(process)
        reader.join(timeout=5)
        process.stdout.close()


def _end(process):
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:  # Windows
        process.kill()
    process.wait(timeout=30)


class _Reader(threading.Thread):
    """Reads what the child prints, up to OUTPUT bytes; then the child's pipe fills and it waits."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe, self.kept = pipe, bytearray()

    def run(self):
        while len(self.kept) <= OUTPUT:
            part = self.pipe.read1(4096)
            if not part:
                return
            self.kept += part

    @property
    def flooded(self):
        """Whether the child has printed more than it may."""
        return len(self.kept) > OUTPUT


def _watch(process, reader, journal, clock):
    """Wait for the child to end; return '' or the sentence that says what it did wrong."""
    began, first = time.monotonic(), None
    try:
        while process.poll() is None and not reader.flooded:
            now = time.monotonic()
            first = now if first is None and journal.stat().st_size else first
            if first is None and now - began > START:
                return (
                    f"No check had begun after {START:g} seconds, and it was stopped. "
                    "Is this machine busy? `python -m warpbook doctor` says what it can do."
                )
            if first is not None and now - first > clock.seconds - clock.spent:
                more = f"{2 * clock.seconds:g}"
                return (
                    f"The grading took {clock.seconds:g} seconds and was stopped in this check. "
                    "Look for a loop that never ends, in the kernel or in what its compiler works "
                    "out, or a barrier that some threads never reach. Where it is only slow, allow "
                    f"more: --seconds {more}, or grade(..., seconds={more})."
                )
            time.sleep(0.02)
    finally:
        clock.spent += time.monotonic() - first if first is not None else 0
    if reader.flooded:
        return f"It printed more than {OUTPUT // 1024} KB and was stopped. Print less."
    if process.returncode:
        reader.join(timeout=5)
        return _died(process.returncode, bytes(reader.kept).decode(errors="replace"))
    return ""


def _died(status, printed):
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    last = "\n".join(printed.strip().splitlines()[-12:])
    said = f" It last printed:\n{quoted(last)}" if last else ""
    return f"The process that ran it ended with {how}.{said}"


@dataclass
class Grade:
    """What a copy is worth: ``points`` of ``out_of``; ``float(grade)`` is its points.

    begun is False for a copy that is still as it was handed out: nothing of it is judged.
    """

    name: str
    path: Path
    rows: list
    printed: str = ""
    out_of: float = POINTS
    begun: bool = True

    @property
    def points(self) -> float:
        """The sum of the rows' points, rounded to two digits; ``out_of`` when all pass."""
        return round(sum(row.points for row in self.rows), 2)

    @property
    def full(self) -> bool:
        """Whether every point was given."""
        return self.points == self.out_of

    @property
    def first_failure(self) -> Row | None:
        """The first Row that failed, or None."""
        return next((row for row in self.rows if row.passed is False), None)

    def __float__(self):
        return float(self.points)

    def __repr__(self):
        if not self.begun:
            return self._waiting(exercises.shown(self.path))
        width = max(len(row.name) for row in self.rows)
        table = [
            f"{row.name:<{width}}  {row.result:<10}  {_worth(row):>12}  {_brief(row)}".rstrip()
            for row in self.rows
        ]
        return "\n".join([self._title(), "", *table, *self._failure_text()])

    def _repr_html_(self):
        if not self.begun:
            return f"<p>{self._waiting(exercises.link(self.path))}</p>"
        rows = "".join(
            f'<tr><th scope="row" style="text-align:left">{html.escape(row.name)}</th>'
            f"<td>{MARKS[row.passed]} {row.result}</td><td>{_worth(row)}</td>"
            f'<td style="text-align:left">{html.escape(_brief(row))}</td></tr>'
            for row in self.rows
        )
        heads = "".join(
            f'<th scope="col">{head}</th>'
            for head in ("Check", "Result", "Points", "What was seen")
        )
        return (
            f'<table class="warp-grade"><caption>{html.escape(self._title())}</caption>'
            f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            f"{self._failure_html()}"
        )

    def _title(self):
        where = visible(exercises.shown(self.path), keep="")
        return f"{self.name}: {self.points:g} of {self.out_of:g} points ({where})"

    def _waiting(self, place):
        return f"{place} is as it was handed out. Edit it, save it, and grade it again."

    def _failure_text(self):
        if self.full:
            return []
        lines = ["", f"First failure: {self.first_failure.name}"]
        lines += [visible(self.first_failure.detail)]
        if self.printed:
            lines += ["", "The kernel printed:", quoted(self.printed.rstrip())]
        count = len(exercises.hints(self.name))
        lines += ["", f"Hints: {count}. python -m warpbook grade {self.name} --hints shows them."]
        return lines

    def _failure_html(self):
        if self.full:
            return ""
        printed = (
            f"<details><summary>What the kernel printed</summary>{_pre(self.printed)}</details>"
            if self.printed
            else ""
        )
        return (
            f"<p><strong>First failure: {html.escape(self.first_failure.name)}</strong></p>"
            f"{_pre(self.first_failure.detail)}{printed}{exercises.folded(self.name)}"
        )


def visible(text: str, keep: str = "\n\t") -> str:
    """Write what a terminal or a browser would obey, such as colours and erasing, as ``\\x1b``."""
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text
    )


def quoted(text: str) -> str:
    """Mark each line as a kernel's own: no print of it looks like a line of the grade."""
    return "\n".join(f"| {line}" for line in visible(text).split("\n"))


MARKS = {True: "✓", False: "✗", None: "–"}


def _worth(row):
    return f"{row.points:.2f} of {row.out_of:.2f}" if row.out_of else "–"


def _brief(row):
    """The first line of a row's detail, as short as a table needs it."""
    line = visible(row.detail.strip().partition("\n")[0])
    return line if len(line) <= 72 else line[:71] + "…"


def _pre(text):
    wrap = "white-space:pre-wrap;overflow-wrap:anywhere"
    return f'<pre tabindex="0" style="{wrap}">{html.escape(visible(text))}</pre>'
