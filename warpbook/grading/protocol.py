"""What the grader and its child process say to each other: a journal, one line of JSON an entry.

The child is started as ``python -m warpbook.grading.child`` with the words of ``words`` and GRADER,
the process it dies with; or it is forked with them by ``warpbook.grading.forks``.
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


def technique(number):
    """The key of the check of one criterion, by its place in the exercise's technique."""
    return f"technique/{number}"


def words(stage, specification, name, path, journal, seconds, seed, sizes):
    """The child's words: what to judge, where to write, the seconds that it may take of a CPU."""
    given = stage, specification, name, path, journal, seconds, seed
    return [*map(str, given), json.dumps(sizes)]


def sizes_of(word):
    """The sizes of the child's words, tuples again."""
    return tuple(tuple(size) if isinstance(size, list) else size for size in json.loads(word))


def write(file, **entry):
    """Append an entry to an open journal, at once: the child may die in the next check."""
    file.write(json.dumps(entry) + "\n")
    file.flush()


def read(path):
    """Return the entries of a journal, as dicts."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
