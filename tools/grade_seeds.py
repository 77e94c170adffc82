"""Grade every solution with many seeds, and every skeleton: python tools/grade_seeds.py [topic ...]

The numbers and sizes of a grading are drawn anew each time. `make test` grades with one seed; this
finds a draw at which a solution, or what is planted as right, would lose points, or a skeleton or
what is planted as wrong would gain them (see tools/planted.py). Prints each of those, and exits 1.
"""

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import planted

from warpbook.grading import exercises
from warpbook.grading.grade import grade


def files(name, folder):
    """Yield (a file of an exercise, what its grade must be: 'full', 'zero' or 'less').

    folder: where what is planted is written.
    """
    yield exercises.solution_path(name), "full"
    yield exercises.skeleton_path(name), "zero"
    place = folder / name
    place.mkdir(parents=True)
    for one in planted.planted(name):
        yield one.write(place), "full" if one.right else "less"


def main():
    """Grade, print what is not as it must be, and return the exit status."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        return graded(Path(folder))


def graded(folder):
    """Do what the command is told, with a folder for planted files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("topic", nargs="*", help="such as matmul or matmul/wide; all by default")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--all", action="store_true", help="with skeletons and what is planted")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    names = [
        name
        for name in exercises.exercises()
        if not given.topic or name in given.topic or name.split("/")[0] in given.topic
    ]
    there = {name: list(files(name, folder)) for name in names}
    jobs = [
        (name, path, must, seed)
        for name, seed in product(names, range(1, given.seeds + 1))
        for path, must in there[name]
        if given.all or path == exercises.solution_path(name)
    ]
    wrong = 0
    with ThreadPoolExecutor(given.workers) as pool:
        results = pool.map(lambda job: grade(job[0], job[1], seconds=600, seed=job[3]), jobs)
        for (name, path, must, seed), result in zip(jobs, results, strict=True):
            good = {"full": result.full, "zero": result.points == 0, "less": not result.full}
            if not good[must]:
                wrong += 1
                print(
                    f"{name}, {path.name}, seed {seed}: {result.points:g}\n{result}\n", flush=True
                )
    print(f"{len(jobs)} gradings of {len(names)} exercises with {given.seeds} seeds: {wrong} amiss")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
