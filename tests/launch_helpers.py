"""The launches of every counters.txt, each emulated once for all tests that ask for it."""

import math
from functools import cache

from warpbook.launch import lines

MOST_BLOCKS = 1 << 8  # of a launch that the sanitizer looks at


def name(row):
    """What a launch or a table's row is called: 'kernel defines size', which reads as its line."""
    return " ".join(filter(None, (row.kernel, row.defines, row.size)))


@cache
def launches():
    """Every launch of the book's topics, by name. The patterns of tests/golden are not among them:
    some race on purpose.
    """
    return {
        name(launch): launch for path in lines.topics().values() for launch in lines.listed(path)
    }


@cache
def sanitized():
    """The names of those launches that are small enough for the sanitizer."""
    return [line for line, launch in launches().items() if math.prod(launch.grid) <= MOST_BLOCKS]


@cache
def emulated(line):
    """The emulator's report of a launch of the book, with all counts. Where it is small, the
    sanitizer has looked at it as well; what that finds is raised, each time.
    """
    return launches()[line].emulate(trace=True, sanitize=line in sanitized())
