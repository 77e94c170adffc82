"""What was compiled before, by the hash of its source: looked up before the compiler.

With a store a kernel runs where there is no compiler, such as on a Mac or in a browser. A store is
one or more zip files, each entry named by its key. Errors that a compiler gave are kept as well.
Two variables of the environment, both unset by default:
WARPEMU_COMPILED: zip files, and folders of them, to look in, with os.pathsep between.
WARPEMU_COLLECT: a folder that takes a file for everything that is made; ``pack`` zips it.
"""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

COMPILED = "WARPEMU_COMPILED"
COLLECT = "WARPEMU_COLLECT"
_DATE = (1980, 1, 1, 0, 0, 0)  # of every entry, so that the same entries make the same zip file


def key(*parts: str | bytes) -> str:
    """Return the name of what is made from these parts: their SHA-256, with their lengths."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def kept(name: str, make: Callable[[], bytes]) -> bytes:
    """Return the entry of this key, from the store, or else by ``make``; keep it if asked to."""
    data = find(name)
    if data is None:
        data = make()
    if folder := os.environ.get(COLLECT):
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(data)
        os.replace(file.name, Path(folder, name))  # at once: processes may share the folder
    return data


def find(name: str) -> bytes | None:
    """Return the entry of this key; None if no zip file of the store has it."""
    path = _index(os.environ.get(COMPILED, "")).get(name)
    if path is None:
        return None
    with zipfile.ZipFile(path) as file:  # anew: processes that fork would share its position
        return file.read(name)


def pack(folder: Path, path: Path) -> int:
    """Zip what was collected in a folder; return the number of entries."""
    entries = sorted(Path(folder).iterdir())
    with zipfile.ZipFile(path, "w") as file:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name, _DATE)
            file.writestr(info, entry.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return len(entries)


@cache
def _index(places):
    """{key: the zip file that has it}, the first of several."""
    found: dict[str, Path] = {}
    for place in map(Path, filter(None, places.split(os.pathsep))):
        for path in sorted(place.glob("*.zip")) if place.is_dir() else [place]:
            with zipfile.ZipFile(path) as file:
                found = dict.fromkeys(file.namelist(), path) | found
    return found
