"""What the grader and its child process say to each other: a journal, one line of JSON an entry.

The child is started as ``python -m warpbook.grading.child STAGE SPECIFICATION NAME FILE JOURNAL
GRADER SECONDS``; GRADER is the process it dies with, SECONDS what it may take of a CPU.
It writes {"begin": key} when a check begins, and {"key", "passed", "detail"} when it has ended. The
keys below name the checks; what a reader sees of them are the titles of the grade's rows.
"""

import json
from pathlib import Path

EMULATOR, GPU = "emulator", "gpu"  # the stages, each a process of its own
COMPILES = "compiles"
CLEAN = "clean"
ON_GPU = "on-gpu"
BOUND = "bound"
CHILD = "warpbook.grading.child"


def right(number):
    """The key of the check of an exercise's size, by its place in the list of sizes."""
    return f"right/{number}"


def limit(counter):
    """The key of the check of one counter's limit."""
    return f"limit/{counter}"


def write(file, **entry):
    """Append an entry to an open journal, at once: the child may die in the next check."""
    file.write(json.dumps(entry) + "\n")
    file.flush()


def read(path):
    """Return the entries of a journal, as dicts."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
