"""Grade a class: every file that a folder of submissions holds, on all cores or on a cluster.

What is done stands in the journal, a line of JSON a grading, as soon as it is done. So the same
command goes on where an earlier one was stopped, and grades a file again only when the file, its
exercise or the seed has changed, or when it was stopped for time and is now given more.
All is graded in the emulator, so that points are the same on every machine.
"""

import hashlib
import json
import os
import re
import secrets
import signal
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import FIRST_COMPLETED, CancelledError, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from warpbook.grading import draws, exercises, forks, submissions, technique
from warpbook.grading.grade import Grade, Row, graded, not_begun
from warpbook.launch.wording import counted
from warpemu import Progress

JOURNAL = "journal.jsonl"
SECONDS = 60.0  # for all checks of one file
TOTAL = 900.0  # for all files of one student


@dataclass(frozen=True)
class Job:
    """One file to grade, with all that a machine of a cluster has to know of it.

    key: a hash of the file, of its exercise and of the draw. edition: that of the exercise alone.
    """

    student: str
    name: str
    place: str
    data: bytes
    draw: draws.Draw
    seconds: float
    edition: str
    key: str


@dataclass
class Course:
    """What is known of a class's grading: the submissions, and what was found of each file.

    results: {(student, exercise): an entry of the journal}. missed: sentences about files that
    were not graded, which another run takes up again. left_out: sentences about folders and zips
    that are nobody's.
    """

    submissions: list
    exercises: list
    results: dict = field(default_factory=dict)
    missed: dict = field(default_factory=dict)
    fresh: int = 0
    seed: int | None = None
    left_out: list = field(default_factory=list)

    def grade(self, student: str, name: str) -> Grade | None:
        """Return a student's Grade of an exercise, or None where there is none."""
        entry = self.results.get((student, name))
        if entry is None or entry["refused"]:
            return None
        rows = [Row(**row) for row in entry["rows"]]
        return Grade(
            name, Path(entry["place"]), rows, entry["printed"], begun=entry["begun"], seed=self.seed
        )

    def summary(self) -> str:
        """Say in a line or two how many files are graded, and what is not."""
        again = len(self.results) - self.fresh
        said = f"{counted(len(self.submissions), 'student')}, "
        said += (
            f"{counted(len(self.exercises), 'exercise')}: {counted(self.fresh, 'file')} graded"
            + (f", {again} known from before" if again else "")
        )
        if self.missed:
            said += f"; {len(self.missed)} not graded, such as: {next(iter(self.missed.values()))}"
        said += "" if said.endswith(".") else "."
        same = len(equal_copies(self))
        said += f" {counted(same, 'group')} of equal copies: see the overview." if same else ""
        return " ".join([said, *self.left_out])

    def points(self, student: str, name: str) -> float | None:
        """Return a student's points, or None where nothing was handed in or graded."""
        entry = self.results.get((student, name))
        return None if entry is None else entry["points"]


def grade_class(
    folder: Path,
    out: Path,
    only: list[str] | None = None,
    seconds: float = SECONDS,
    total: float = TOTAL,
    seed: int | None = None,
    workers: int | None = None,
    dask: str | None = None,
) -> Course:
    """Grade a folder of submissions and keep the journal in ``out``; return a Course.

    only: the exercises that are asked of everybody, all that anybody handed in by default.
    seconds: for one file; total: for all files of a student. seed: one for the class; without it
    that of the journal, else a new one, or a teacher's own. dask: the address of a scheduler.
    Stopped by Ctrl-C, it raises KeyboardInterrupt with the Course so far as its argument.
    """
    known = exercises.exercises()
    asked = [exercises.skeleton_path(name) and name for name in only or ()]
    read = submissions.read(folder, known)
    names = asked or sorted({name for one in read for name in one.copies})
    executor = _cluster(dask) if dask else _here(workers)
    with _one_ctrl_c(), executor as (pool, places), _journal(Path(out)) as journal:
        seed = _seed(journal, seed)
        course = Course(read, names, seed=seed, left_out=submissions.left_out(folder))
        jobs = list(_jobs(course, journal, seconds, seed))
        try:
            _work(course, jobs, journal, pool, places, total)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(course) from None
    return course


@contextmanager
def _one_ctrl_c():
    """Let a second Ctrl-C, of somebody in a hurry, not disturb what the first one ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:  # as that of a job in the background
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _seed(journal, seed):
    """The class's seed: what is asked for, or the journal's; None where a teacher has one."""
    if seed is None and os.environ.get(draws.TEACHER):
        return None
    before = [entry["seed"] for entry in journal.entries if "seed" in entry]
    if seed is None:
        seed = before[-1] if before else secrets.randbelow(draws.SEEDS)
    if before[-1:] != [seed]:
        journal.write({"seed": seed})
    return seed


def _jobs(course, journal, seconds, seed):
    """Yield what is still to be graded; enter what is known already into the course."""
    done = {(e["student"], e["name"]): e for e in journal.entries if "key" in e}
    drawn = {name: draws.draw(name, seed) for name in course.exercises}
    editions = {name: edition(name) for name in course.exercises}
    for one in course.submissions:
        for name in course.exercises:
            copy = one.copies.get(name)
            if copy is None:
                continue
            what = (copy.data, editions[name].encode(), repr(drawn[name]).encode())
            key = hashlib.sha256(b"\0".join(what)).hexdigest()[:32]
            known = done.get((one.student, name))
            if known and known["key"] == key and not _too_short(known, seconds):
                course.results[one.student, name] = known
                continue
            if copy.refused:
                entry = _entry(one.student, name, copy.place, key, refused=copy.refused)
                journal.write(entry)
                course.results[one.student, name] = entry
                course.fresh += 1
                continue
            yield Job(
                one.student, name, copy.place, copy.data, drawn[name], seconds, editions[name], key
            )


def _too_short(entry, seconds):
    """Whether a grading was stopped for time, and there is more of it now."""
    return entry["stopped"] and entry["limit"] < seconds


def _work(course, jobs, journal, pool, places, total):
    """Grade the jobs, as many at once as there are places; write each down when it is done."""
    spent: dict[str, float] = defaultdict(float)
    for (student, _), entry in course.results.items():
        spent[student] += entry["seconds"]
    waiting, running = list(reversed(jobs)), {}
    done = len(course.results)
    bar = Progress("graded", len(jobs) + done, "files", done)
    try:
        while waiting or running:
            while waiting and len(running) < places:
                job = waiting.pop()
                if spent[job.student] >= total:
                    course.missed[job.student, job.name] = (
                        f"{job.place} was not graded: the student's files have taken {total:g} "
                        "seconds together. Another run with a larger --total grades it."
                    )
                    bar.update(bar.done + 1, f"{job.student}: {job.name}")
                else:
                    running[pool.submit(judge, job)] = job
            for future in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                job = running.pop(future)
                try:
                    entry = future.result()
                except (Exception, CancelledError) as error:  # of the machine, not of the file
                    said = f"{type(error).__name__}: {error}".strip(": ")
                    course.missed[job.student, job.name] = f"{job.place} was not graded: {said}"
                else:
                    journal.write(entry)
                    course.results[job.student, job.name] = entry
                    course.fresh += 1
                    spent[job.student] += entry["seconds"]
                bar.update(bar.done + 1, f"{job.student}: {job.name}")
    finally:
        bar.end_line()


def judge(job: Job) -> dict:
    """Grade one file and return its entry for the journal; a cluster's machines call this."""
    if edition(job.name) != job.edition:
        raise RuntimeError(
            f"this machine has another edition of {job.name}. Let all machines have one checkout, "
            "or the same wheel of warpbook."
        )
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="copy-") as folder:
        path = Path(folder) / f"{job.name.split('/')[1]}.cu"
        path.write_bytes(job.data)
        if exercises.same(path, exercises.skeleton_path(job.name)):
            result = not_begun(job.name, path, job.draw)
        else:
            result = graded(job.name, path, job.seconds, job.draw, gpu=False)
    entry = _entry(job.student, job.name, job.place, job.key)
    return entry | {
        "points": result.points,
        "begun": result.begun,
        "rows": [asdict(row) for row in result.rows],
        "printed": result.printed,
        "seconds": round(time.monotonic() - began, 3),
        "limit": job.seconds,
        "stopped": result.late,
    }


def _entry(student, name, place, key, refused=""):
    return {
        "student": student,
        "name": name,
        "place": place,
        "key": key,
        "refused": refused,
        "points": 0.0,
        "begun": True,
        "rows": [],
        "printed": "",
        "seconds": 0.0,
        "limit": 0.0,
        "stopped": False,
    }


def edition(name: str) -> str:
    """Return a hash of what decides an exercise's points: its skeleton and its grading.py."""
    skeleton = exercises.skeleton_path(name)
    files = (skeleton, skeleton.with_name("grading.py"), skeleton.with_name(exercises.VARIANT))
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes() if path.is_file() else b"")
        digest.update(b"\0")
    return digest.hexdigest()[:16]


@contextmanager
def _here(workers):
    """Threads of this process, one a core, each of which waits for a grading's child process."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    places = workers or cores or 1
    pool = ThreadPoolExecutor(places)
    try:
        yield pool, places
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        forks.stop()  # what runs is not waited for
        raise
    finally:
        pool.shutdown()


@contextmanager
def _cluster(address):
    """A cluster's workers: a grading whose worker dies is given to another one."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise RuntimeError(
            "--dask needs dask.distributed, which is not installed here. Install it: "
            "pip install -c requirements.txt -e '.[class]'"
        ) from None
    if not re.search(r":\d+$", address):
        raise ValueError(f"'{address}' is no scheduler's address. Write it as tcp://HOST:8786.")
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RuntimeError(
            f"no scheduler of dask answers at {address} ({error}). Start one with `dask scheduler` "
            "and workers with `dask worker ADDRESS`."
        ) from None
    pool = client.get_executor(pure=False)
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise RuntimeError(f"the cluster at {address} has no workers: `dask worker {address}`.")
        yield pool, 2 * threads  # so that no worker waits for the next file
    finally:
        pool.shutdown(wait=False)
        client.close()


class _Journal:
    """The entries of an earlier run, and an open file for those of this one."""

    def __init__(self, path):
        self.entries = []
        good = 0
        for line in path.read_bytes().splitlines(keepends=True) if path.is_file() else ():
            try:
                self.entries.append(json.loads(line))
            except ValueError:
                break  # the run was killed in the middle of this line
            good += len(line)
        if path.is_file() and good < path.stat().st_size:
            os.truncate(path, good)
        self.file = open(path, "a", encoding="utf-8")  # noqa: SIM115

    def write(self, entry):
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()


@contextmanager
def _journal(out):
    """Open the journal for one run alone."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / ".lock", "w", encoding="utf-8") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # Windows
            pass
        except BlockingIOError:
            raise RuntimeError(f"another grading is at work in {out}. Wait for it.") from None
        journal = _Journal(out / JOURNAL)
        try:
            yield journal
        finally:
            journal.file.close()


def first_failures(course: Course, name: str) -> list[tuple[str, int, str]]:
    """Return the checks of an exercise that fail first, the most frequent first.

    Each is (the check, how many copies, the first line of what was said of it most often).
    """
    found: dict[str, Counter] = defaultdict(Counter)
    for one in course.submissions:
        result = course.grade(one.student, name)
        failure = result.first_failure if result and result.begun else None
        if failure:
            found[failure.name][failure.detail.strip().partition("\n")[0]] += 1
    return sorted(
        ((check, said.total(), said.most_common(1)[0][0]) for check, said in found.items()),
        key=lambda row: (-row[1], row[0]),
    )


def equal_copies(course: Course) -> list[tuple[str, list[str]]]:
    """Return (exercise, students) for each group of copies equal but for comments and blanks.

    Skeletons as they were handed out are left aside.
    """
    groups: dict[tuple, list[str]] = defaultdict(list)
    for one in course.submissions:
        for name in course.exercises:
            result = course.grade(one.student, name)
            if result and result.begun and name in one.copies:
                text = one.copies[name].data.decode(errors="replace")
                groups[name, tuple(technique.tokens(text))].append(one.student)
    return [(name, students) for (name, _), students in groups.items() if len(students) > 1]
