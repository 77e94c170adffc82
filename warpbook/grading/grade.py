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
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from warpbook.grading import draws, exercises, forks, intake, protocol
from warpbook.launch import source
from warpbook.launch.backend import GPU

POINTS = 10.0
OUTPUT = 64 * 1024  # bytes a kernel may print
START = 120  # seconds the child has to import its modules
SECONDS = 60  # seconds that all checks together may take
# What the child is told of the grader's environment: what Python, NVRTC and CUDA are found by.
ENVIRONMENT = (
    "PATH",
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "SYSTEMROOT",
    "LANG",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "CONDA_PREFIX",
    "PYTHONHOME",
    "PYTHONDONTWRITEBYTECODE",
    "CUDA_PATH",
    "CUDA_HOME",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUPY_CACHE_DIR",
)


@dataclass
class Row:
    """One check: its key in the protocol, and its name for readers.

    passed is None while it is not judged; kind is 'gate', 'right', 'technique' or 'bonus'. given:
    whether it earns nothing though it passes, until all passes: as the skeleton passes it too, or
    as a part of a technique that is not whole.
    """

    key: str
    name: str
    kind: str
    passed: bool | None = None
    detail: str = ""
    out_of: float = 0.0
    given: bool = False

    @property
    def points(self) -> float:
        """The row's points: all or none."""
        return self.out_of if self.passed and not self.given else 0.0

    @property
    def result(self):
        """The row's result in a word or two."""
        return {True: "passed", False: "failed", None: "not judged"}[self.passed]


def grade(
    name: str, file: str | Path | None = None, seconds: float = SECONDS, seed: int | None = None
) -> "Grade":
    """Grade the student's copy of 'topic/name' (or ``file``) and return a Grade.

    The kernel runs in the emulator, with its sanitizer on, at each size; its technique is counted
    at the last one; where there is a GPU it also runs there, at each size, and against the
    measured bound. A copy in work/ that is still as it was handed out is not run.
    There are always ten points, on every machine. Five are for right results, shared equally by
    the sizes: a size at which the sanitizer finds something is not right. Five are for technique,
    given when all of its checks pass; they are made when every size is right. Where an exercise
    asks for no technique, the sizes share all ten. What the skeleton passes as well earns nothing
    until everything passes. A kernel that is wrong on the GPU has no points; its speed there is a
    bonus, which the report shows apart.
    ``seed`` repeats the numbers and sizes of an earlier grading, whose report names it; without it
    they are drawn anew, or are a teacher's own (see ``warpbook/grading/draws.py``).
    ``seconds`` is the time that all checks together may take; a check in which it ends, or that
    crashes or prints more than 64 KB, fails, and the checks after it are not judged.
    The file is graded alone: its kernel may include the compiler's headers and no other file.
    Raises LookupError for an exercise that does not exist, FileNotFoundError for no copy of it,
    ValueError for a copy that is a symbolic link or larger than 256 KB, and RuntimeError where the
    exercise's own skeleton crashes or takes longer than that.
    """
    path = Path(file or exercises.work_path(name)).absolute()
    exercises.specification(name)
    if not path.exists() and not path.is_symlink():
        raise FileNotFoundError(_no_file(name, path, given=file is not None))
    intake.check_file(path)
    if file is None and exercises.untouched(name):
        return not_begun(name, path, draws.draw(name, seed))
    return graded(name, path, seconds, draws.draw(name, seed), GPU)


def _no_file(name, path, given):
    """What to do where there is no file to grade. given: whether somebody named it."""
    shown, copy = exercises.shown(path), exercises.work_path(name)
    if given and copy.exists():
        return f"there is no {shown}. Leave it out to grade {exercises.shown(copy)}, your copy."
    start = f'`python -m warpbook start {name}` in a shell, start("{name}") in a notebook'
    return f"there is no {shown}. Make your copy first: {start}."


def graded(name: str, path: Path, seconds: float, drawn: draws.Draw, gpu: bool) -> "Grade":
    """Grade a file that has been looked at, with the numbers and sizes of one Draw."""
    asked = _asked(name, drawn)
    rows, printed, clock = plan(asked, gpu), b"", _Clock(seconds)
    for stage in (protocol.EMULATOR, protocol.GPU) if gpu else (protocol.EMULATOR,):
        if stage == protocol.EMULATOR or all(row.passed for row in rows if row.kind == "right"):
            journal, text, fate = _run(stage, name, path.resolve(), clock, asked.sizes, drawn.seed)
            printed += text
            given: frozenset[str] = frozenset()
            if stage == protocol.EMULATOR and not fate and _refused(journal):
                given = skeleton_passes(name, asked.sizes, drawn.seed, seconds)
            fill(rows, journal, fate, given)
    shown = drawn.seed if drawn.shown else None
    text = printed[:OUTPUT].decode(errors="replace")
    return Grade(name, path, rows, text, seed=shown, late=clock.over)


def _refused(journal):
    """Whether a kernel that compiles fails a check."""
    passed = {entry["key"]: entry["passed"] for entry in journal if "key" in entry}
    return passed.get(protocol.COMPILES) and not all(passed.values())


def skeleton_passes(name: str, sizes: tuple, seed: int, seconds: float) -> frozenset[str]:
    """Return the keys of the checks that an exercise's skeleton passes, with these numbers.

    It is judged once for all copies that are graded with them, in a process that sees no copy.
    Raises RuntimeError where that process does not end by itself in so many seconds.
    """
    path = exercises.skeleton_path(name)
    texts = path.read_text(encoding="utf-8"), _specification(path).read_text(encoding="utf-8")
    return _passes(name, path, texts, sizes, seed, seconds)


@lru_cache(maxsize=1024)
def _passes(name, path, texts, sizes, seed, seconds):
    journal, _, fate = _run(protocol.EMULATOR, name, path, _Clock(seconds), sizes, seed)
    if fate:
        raise RuntimeError(f"the skeleton of {name} could not be judged. {fate}")
    return frozenset(entry["key"] for entry in journal if entry.get("passed"))


def _specification(skeleton):
    return skeleton.parent / "grading.py"


def not_begun(name: str, path: Path, drawn: draws.Draw) -> "Grade":
    """Return the Grade of a copy that is still as it was handed out."""
    return Grade(name, path, plan(_asked(name, drawn)), begun=False)


def _asked(name, drawn):
    asked = exercises.specification(name)
    return replace(asked, sizes=drawn.all_sizes(asked.sizes))


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
        Row(protocol.technique(number), criterion.title(asked.sizes[-1]), "technique")
        for number, criterion in enumerate(asked.technique)
    ]
    if gpu:
        rows += [Row(protocol.ON_GPU, "right on this GPU", "gate")]
        if asked.bound_share is not None:
            name = f"{asked.bound_share:.0%} of the measured bound (a bonus)"
            rows += [Row(protocol.BOUND, name, "bonus")]
    right, fine = ([row for row in rows if row.kind == kind] for kind in ("right", "technique"))
    for group in (right, fine):
        for row in group:
            row.out_of = (POINTS / 2 if fine else POINTS) / len(group)
    return rows


def fill(rows, journal, fate="", given=()):
    """Enter the child's journal into the rows.

    journal: entries of the protocol. fate: how the child ended if not by itself; the check that
    was under way then fails with it. given: keys of the checks that the skeleton passes as well.
    """
    by_key, under_way = {row.key: row for row in rows}, None
    _give(row for row in rows if row.key in given)
    for entry in journal:
        under_way = by_key.get(entry.get("begin"))
        if "key" in entry:
            row = by_key[entry["key"]]
            row.passed, row.detail = entry["passed"], entry["detail"]
    if fate:
        row = under_way or next((r for r in rows if r.passed is None), rows[0])
        row.passed, row.detail = False, fate
    technique = [row for row in rows if row.kind == "technique"]
    if not all(row.passed for row in technique):  # it is whole or nothing
        _give(technique)
    if (fate and row.kind != "bonus") or by_key.get(protocol.ON_GPU, rows[0]).passed is False:
        _give(rows)


def _give(rows):
    for row in rows:
        row.given = True


@dataclass
class _Clock:
    """The time of a grading; it runs while checks do, not while Python starts. over: it ended."""

    seconds: float
    spent: float = 0.0
    over: bool = False


def _run(stage, name, path, clock, sizes, seed):
    """Run the child; return (its journal, what it printed, how it was ended or '')."""
    spec = _specification(exercises.skeleton_path(name))
    with tempfile.TemporaryDirectory(prefix="grade-") as folder:
        journal, empty = Path(folder) / "journal", Path(folder) / "empty"
        journal.touch()
        empty.mkdir()  # where the child runs: a relative #include finds nothing
        words = protocol.words(
            stage,
            spec,
            name.split("/")[1],
            path,
            journal,
            START + clock.seconds - clock.spent,
            seed,
            sizes,
        )
        with _child(words, stage, empty) as (process, reader):
            fate = _watch(process, reader, journal, clock)
        entries = protocol.read(journal)
    return entries, bytes(reader.kept), fate


@contextmanager
def _child(words, stage, folder):
    """Start the child in a process group of its own; end the group whatever happens.

    For a GPU it is always a new process: CUDA does not survive a fork.
    """
    places = [str(Path(source.__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ} | {
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        "PYTHONUTF8": "1",
        "WARPBOOK_EMULATE": "1" if stage == protocol.EMULATOR else "",
        "OPENBLAS_NUM_THREADS": "1",
    }
    if forks.HERE and stage == protocol.EMULATOR:
        process = forks.start(words, folder, environment)
    else:
        process = subprocess.Popen(
            [sys.executable, "-m", protocol.CHILD, *words, str(os.getpid())],
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
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # Windows
            process.kill()
    except ProcessLookupError:  # it has just ended
        pass
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
                clock.over = True
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
        return (
            f"It printed more than {OUTPUT // 1024} KB and was stopped there. Print less: let one "
            "thread print, and only the first time round a loop."
        )
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

    begun is False for a copy that is still as it was handed out: nothing of it is judged. seed
    repeats it; None is a teacher's. late: it was stopped because its time was up.
    """

    name: str
    path: Path
    rows: list
    printed: str = ""
    out_of: float = POINTS
    begun: bool = True
    seed: int | None = None
    late: bool = False

    @property
    def points(self) -> float:
        """The sum of the rows' points, rounded to two digits; ``out_of`` when all pass."""
        return round(sum(row.points for row in self.rows), 2)

    @property
    def full(self) -> bool:
        """Whether every point was given."""
        return self.points == self.out_of

    @property
    def bonus(self) -> bool | None:
        """Whether the kernel is as fast as its bonus asks; None where nobody measured it."""
        return next((row.passed for row in self.rows if row.kind == "bonus"), None)

    @property
    def first_failure(self) -> Row | None:
        """The first Row that failed, or None."""
        failed = (row for row in self.rows if row.passed is False and row.kind != "bonus")
        return next(failed, None)

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
        return "\n".join([self._title(), "", *table, *self._failure_text(), *self._again()])

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
            f"{self._failure_html()}{''.join(f'<p>{line}</p>' for line in self._again()[1:])}"
        )

    def _title(self):
        where = visible(exercises.shown(self.path), keep="")
        return f"{self.name}: {self.points:g} of {self.out_of:g} points ({where})"

    def _again(self):
        if self.seed is None:
            return []
        return ["", f"Drawn with seed {self.seed}, which repeats it: seed={self.seed}, or --seed."]

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


LATER = "earns its points when all passes"
MARKS = {True: "✓", False: "✗", None: "–"}


def _worth(row):
    return f"{row.points:.2f} of {row.out_of:.2f}" if row.out_of else "–"


def _brief(row):
    """The first line of a row's detail, as short as a table needs it."""
    waits = LATER if row.passed and row.given and row.out_of else ""
    line = waits or visible(row.detail.strip().partition("\n")[0])
    return line if len(line) <= 72 else line[:71] + "…"


def _pre(text):
    wrap = "white-space:pre-wrap;overflow-wrap:anywhere"
    return f'<pre tabindex="0" style="{wrap}">{html.escape(visible(text))}</pre>'
