"""What is drawn anew at each grading: the seed of the numbers, and of sizes; or is a teacher's own.

A teacher's file, named by the environment variable WARPBOOK_TEACHER, keeps both from the students:

    seed = "a phrase that nobody guesses"       # of all gradings; no report shows it
    [sizes]                                     # further ones, at which a copy must be right
    "coalescing/fix_stride" = [777, 2049]
    "transpose/edges" = [[77, 5]]
"""

import hashlib
import os
import secrets
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

TEACHER = "WARPBOOK_TEACHER"
SEEDS = 10**6


@dataclass(frozen=True)
class Drawn:
    """A part of a size: any number from low to high that is a multiple of ``multiple``."""

    low: int
    high: int
    multiple: int = 1


drawn = Drawn


@dataclass(frozen=True)
class Draw:
    """One grading's seed, and its sizes beside those of the exercise. shown: to the student."""

    seed: int
    sizes: tuple = ()
    shown: bool = True

    def all_sizes(self, asked: tuple) -> tuple:
        """Return the sizes of an exercise, those drawn that are to be drawn, the last one last."""
        rng = np.random.default_rng(self.seed)
        known = [
            tuple(_number(part, rng) for part in size)
            if isinstance(size, tuple)
            else _number(size, rng)
            for size in asked
        ]
        return (*known[:-1], *self.sizes, known[-1])


def _number(part, rng):
    if not isinstance(part, Drawn):
        return part
    first, last = -(-part.low // part.multiple), part.high // part.multiple
    return int(rng.integers(first, last + 1)) * part.multiple


def draw(name: str, seed: int | None = None) -> Draw:
    """Return one grading's Draw for 'topic/name': ``seed``'s, else the teacher's, else a new one.

    Raises OSError or ValueError for a teacher's file that cannot be read.
    """
    if seed is not None:
        return Draw(int(seed))
    path = os.environ.get(TEACHER)
    if not path:
        return Draw(secrets.randbelow(SEEDS))
    try:
        given: dict[str, Any] = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        sizes = given.get("sizes", {}).get(name, [])
        phrase = str(given["seed"])
    except (tomllib.TOMLDecodeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{TEACHER} names {path}, which is no teacher's file ({error}). It needs a line "
            'seed = "..."; a table [sizes] is allowed.'
        ) from None
    digest = hashlib.sha256(phrase.encode()).digest()
    whole = tuple(tuple(size) if isinstance(size, list) else size for size in sizes)
    return Draw(int.from_bytes(digest[:6], "big"), whole, shown=False)
