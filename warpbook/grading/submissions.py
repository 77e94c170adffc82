"""What a class hands in: a folder or a zip a student, and which file in it is for which exercise.

    submissions/
        Ada Lovelace/coalescing/align.cu      topic/name.cu, however deep it lies
        Ada Lovelace/work.zip                 a zip in a student's folder is looked into
        Grace Hopper.zip                      or all of a student's files in one zip

A file is known by its name: coalescing/align.cu, coalescing_align.cu, or align.cu where only one
exercise is called so. Zips are read and never unpacked, so that nothing leaves its folder.
"""

import os
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from warpbook.grading.intake import LARGEST

# What programs leave in folders by themselves; nobody hands it in.
UNASKED = ("__MACOSX", ".git", ".ipynb_checkpoints", ".Trashes", ".vscode")


@dataclass
class Submission:
    """One student's files: {exercise: Copy}, and sentences about what cannot be graded."""

    student: str
    copies: dict = field(default_factory=dict)
    remarks: list = field(default_factory=list)


@dataclass(frozen=True)
class Copy:
    """A file that was handed in: where it lay, and what it holds; or why it cannot be graded."""

    place: str
    data: bytes
    refused: str = ""


def read(folder: Path, known: list[str]) -> list[Submission]:
    """Read a class's folder. known: the exercises, as 'topic/name'.

    Raises FileNotFoundError where there is no such folder, or nothing in it that could be a
    student's; ValueError for a student with a folder and a zip of one name.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"there is no folder {folder}. Give the folder that holds a subfolder or a zip for "
            "each student."
        )
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if not _could_be_one(path) or _why_left_out(path):
            continue
        student = path.name if path.is_dir() else path.stem
        if student in found:
            raise ValueError(f"{folder} has both {found[student].name} and {path.name}. Keep one.")
        found[student] = path
    if not found:
        raise FileNotFoundError(
            " ".join(
                [
                    f"{folder} holds no submission: it needs a subfolder or a zip for each "
                    "student.",
                    *left_out(folder),
                ]
            )
        )
    return [_submission(student, path, known) for student, path in found.items()]


def left_out(folder: Path) -> list[str]:
    """Return a sentence about each subfolder and zip of a class that is not looked into."""
    paths = sorted(path for path in Path(folder).iterdir() if _could_be_one(path))
    return [said for path in paths if (said := _why_left_out(path))]


def _could_be_one(path):
    """Whether a path may be a student's folder or zip."""
    ours = path.name in UNASKED or path.name.startswith("._")
    return not ours and (path.is_dir() or path.suffix.lower() == ".zip")


def _why_left_out(path, place=None):
    """Why a folder or a zip is not looked into, or ''."""
    if path.is_symlink():
        return f"{place or path.name} was left out: it is a symbolic link."
    return _hidden(place or path.name) if path.name.startswith(".") else ""


def _hidden(place):
    return f"{place} was left out: its name begins with a dot."


def _submission(student, path, known):
    submission = Submission(student)
    for place, copy in _files(path, submission.remarks):
        name = exercise_of(place, known)
        if name is None:
            if not _kept_by_reset(place, known):
                submission.remarks.append(f"{place} is for no exercise that there is.")
        elif name in submission.copies:
            first = submission.copies[name].place
            submission.remarks.append(f"{place} was not graded: {first} is for {name} as well.")
        else:
            submission.copies[name] = copy
    if not submission.copies and not submission.remarks:
        submission.remarks.append("There is no file for an exercise, such as coalescing/align.cu.")
    return submission


def exercise_of(place: str, known: list[str]) -> str | None:
    """Return the exercise that a file's path names, or None."""
    path = PurePosixPath(place)
    for name in (f"{path.parent.name}/{path.stem}", path.stem.replace("_", "/", 1)):
        if name in known:
            return name
    # topic_name.cu, where the topic has an underscore itself
    same = [name for name in known if name.replace("/", "_") == path.stem]
    same = same or [name for name in known if name.split("/")[1] == path.stem]
    return same[0] if len(same) == 1 else None


def _kept_by_reset(place, known):
    """Whether it is an earlier copy that ``start(..., reset=True)`` keeps: align_1.cu."""
    earlier = re.sub(r"_\d+(?=\.cu$)", "", place)
    return earlier != place and exercise_of(earlier, known) is not None


def _files(path, remarks):
    """Yield (place, Copy) of each .cu file, those nearest the top first."""
    if path.suffix.lower() == ".zip" and path.is_file():
        yield from _members(path, path.name, "", remarks)
        return
    found, zips = [], []
    for here, folders, names in os.walk(path):
        inside = [Path(here) / f for f in sorted(folders) if f not in UNASKED]
        said = {f: _why_left_out(f, f.relative_to(path).as_posix()) for f in inside}
        remarks += filter(None, said.values())
        folders[:] = [f.name for f in inside if not said[f]]
        for file in (Path(here) / name for name in names if not name.startswith(".")):
            suffix = file.suffix.lower()
            (found if suffix == ".cu" else zips if suffix == ".zip" else []).append(file)
    for file in sorted(found, key=lambda f: (len(f.parts), f)):
        place = file.relative_to(path).as_posix()
        yield place, _copy(file, place)
    for file in sorted(zips):
        place = file.relative_to(path).as_posix()
        yield from _members(file, place, f"{place}/", remarks)


def _copy(file, place):
    if file.is_symlink():
        return Copy(place, b"", f"{place} is a symbolic link: hand in the file itself.")
    try:
        with open(file, "rb") as opened:
            return _measured(place, opened.read(LARGEST + 1))
    except OSError as error:
        return Copy(place, b"", f"{place} cannot be read ({error.strerror}).")


def _measured(place, data):
    too_large = f"{place} has more than {LARGEST:,} bytes: hand in the kernel alone."
    return Copy(place, data) if len(data) <= LARGEST else Copy(place, b"", too_large)


def _members(path, name, prefix, remarks):
    """Yield the .cu files of a zip; a zip with a path out of its folder is refused whole."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            leaving = [m.filename for m in members if _leaves(m.filename)]
            if leaving:
                raise ValueError(f"it has a path that leaves its folder, {leaving[0]!r}")
            for member in sorted(members, key=lambda m: (m.filename.count("/"), m.filename)):
                inside = member.filename.replace("\\", "/")  # as some zips have it
                parts = PurePosixPath(inside).parts
                if member.is_dir() or not member.filename.lower().endswith(".cu"):
                    continue
                if any(part in UNASKED for part in parts) or parts[-1].startswith("."):
                    continue
                place = prefix + inside
                if any(part.startswith(".") for part in parts):
                    remarks.append(f"{place} was left out: a folder's name begins with a dot.")
                    continue
                if stat.S_ISLNK(member.external_attr >> 16):
                    said = f"{place} is a symbolic link: hand in the file itself."
                    yield place, Copy(place, b"", said)
                    continue
                with archive.open(member) as opened:
                    yield place, _measured(place, opened.read(LARGEST + 1))
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        remarks.append(f"{name} cannot be read as a zip: {error}. What it holds was not graded.")


def _leaves(place):
    parts = place.replace("\\", "/").split("/")
    return place.startswith(("/", "\\")) or ".." in parts or bool(re.match(r"[A-Za-z]:", place))
