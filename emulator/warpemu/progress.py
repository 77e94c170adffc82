"""Progress: one line on stderr that says how much of some work is done."""

import sys
import time

WIDTH = 30  # characters of the bar
EVERY = 1.0  # seconds between two lines


class Progress:
    """A line such as ``scan [######      ] 3/15 blocks, about 12 s left``, written over itself.

    label: what works; total: how much there is to do, in ``unit``; done: how much of it was done
    before. Nothing is written in the first ``after`` seconds, nor where stderr is no terminal,
    unless ``anywhere``.
    """

    def __init__(
        self,
        label: str,
        total: int,
        unit: str,
        done: int = 0,
        after: float = 0.0,
        anywhere: bool = False,
    ) -> None:
        self.label, self.total, self.unit = label, total, unit
        self.done = self.before = done
        self.began, self.written = time.monotonic(), -EVERY
        self.after, self.shown = after, anywhere or sys.stderr.isatty()
        self.open = False

    def update(self, done: int, note: str = "") -> None:
        """So much is done now. note: what it is at, such as the name of a file."""
        self.done, now = done, time.monotonic()
        soon = now - self.began < self.after or now - self.written < EVERY and done < self.total
        if not self.shown or soon:
            return
        self.written, self.open = now, True
        bar = "#" * (WIDTH * done // max(self.total, 1))
        parts = [f"{self.label} [{bar:{WIDTH}}] {done}/{self.total} {self.unit}", note]
        fresh = done - self.before
        if fresh > 0 and done < self.total:
            left = (now - self.began) * (self.total - done) / fresh
            parts.append(f"about {left:.0f} s left")
        sys.stderr.write("\r" + f"{', '.join(filter(None, parts)):90}")
        sys.stderr.flush()

    def end_line(self) -> None:
        """End the line, before anything else is written; the next update begins another."""
        if self.open:
            sys.stderr.write("\n")
            self.open = False
