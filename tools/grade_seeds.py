"""Grade every solution with many seeds, and every skeleton: python tools/grade_seeds.py [topic ...]

The numbers and sizes of a grading are drawn anew each time. `make test` grades with one seed; this
finds a draw at which a solution, or what is planted in tests/right, would lose points, or a
skeleton or a planted wrong solution would gain them. Prints each of those, and exits 1.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

from warpbook.grading import exercises
from warpbook.grading.grade import grade

TESTS = Path(__file__).resolve().parents[1] / "tests"


def files(name):
    """Yield (a file of an exercise, what its grade must be: 'full', 'zero' or 'less')."""
    yield exercises.solution_path(name), "full"
    yield exercises.skeleton_path(name), "zero"
    for folder, must in (("right", "full"), ("wrong", "less")):
        for path in sorted((TESTS / folder / name).glob("*.cu")):
            yield path, must


def main():
    """Grade, print what is not as it must be, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("topic", nargs="*", help="such as matmul or matmul/wide; all by default")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--all", action="store_true", help="with skeletons and planted files")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    names = [
        name
        for name in exercises.exercises()
        if not given.topic or name in given.topic or name.split("/")[0] in given.topic
    ]
    jobs = [
        (name, path, must, seed)
        for name, seed in product(names, range(1, given.seeds + 1))
        for path, must in files(name)
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
