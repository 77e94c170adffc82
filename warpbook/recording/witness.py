"""What a page's process really used: the project's files that it opened, the modules it imported.

It runs inside the notebook's process, before the first cell, and imports nothing but the standard
library. Each line of its log is 'file PATH' or 'module NAME', written when it is first seen.
Exercises are left out: a page shows and grades them, and measures none.
"""

import os
import sys
from pathlib import Path

LOG = "used.txt"
KINDS = (".cu", ".cuh", ".py", ".csv", ".txt", ".json")


def watch(folder, places):
    """From now on log to folder/used.txt what lies under ``places`` and is opened, and imports."""
    seen, log = set(), Path(folder) / LOG
    places = tuple(os.path.join(os.path.realpath(place), "") for place in places)

    def note(line):
        if line not in seen:
            seen.add(line)
            with open(log, "a", encoding="utf-8") as file:
                file.write(line + "\n")

    def hook(event, arguments):
        if event == "open" and isinstance(arguments[0], str) and arguments[0].endswith(KINDS):
            path = os.path.realpath(arguments[0])
            if path.startswith(places) and "exercises" not in Path(path).parts:
                note(f"file {path}")

    class Finder:
        """Finds no module; notes which are looked for."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            if name.startswith("warpbook"):
                note(f"module {name}")

    for name in [name for name in sys.modules if name.startswith("warpbook")]:
        note(f"module {name}")
    sys.addaudithook(hook)
    sys.meta_path.insert(0, Finder)


def read(folder):
    """Return (the paths opened, the modules imported) of a log, as two sets of strings."""
    log = Path(folder) / LOG
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    found = {"file": set(), "module": set()}
    for line in lines:
        kind, _, what = line.partition(" ")
        found[kind].add(what)
    return found["file"], found["module"]
