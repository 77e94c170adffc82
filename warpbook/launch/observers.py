"""Who is told of launches: ``observed`` collects a report of each launch made inside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_lists: list[list] = []  # one for each with block that is open


@contextmanager
def observed() -> Iterator[list]:
    """Collect, as a list, a report of each launch made inside the with block.

    The emulator's, or on a GPU a Launched or a NotRun.
    """
    reports: list = []
    _lists.append(reports)
    try:
        yield reports
    finally:
        _lists.remove(reports)


def is_observed() -> bool:
    """Return whether anybody collects reports, so that the emulator has to count."""
    return bool(_lists)


def tell(report: Any) -> None:
    """Give the report of a launch to everybody who collects them."""
    for reports in _lists:
        reports.append(report)


@dataclass(frozen=True)
class Launched:
    """The report of a launch on a GPU. needs: the architecture that the kernel assumes, or ''."""

    needs: str


@dataclass(frozen=True)
class NotRun:
    """What stands for the result of a kernel that this GPU cannot run; ``why`` is a sentence."""

    why: str

    def __repr__(self):
        return self.why
