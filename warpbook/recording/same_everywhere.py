"""What a page shows that is the same on every machine: listings, diffs, traces, occupancy.

A test compares it with the page. Where an edit has changed it, such as one of a kernel's comment,
``refresh`` writes it anew, with no GPU.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from warpbook.recording import chapters, notebooks

# Calls whose outputs are the same on every machine, and what makes a cell depend on it after all:
# a GPU and its clock, or the compiler's version, which decides about registers.
_SAME = re.compile(r"\b(show|diff|trace|occupancy)\(")
_DEPENDS = re.compile(r"^%%gpu|\bresources\(|\bbench\(|\.ms\b|[\"']ms[\"']|\bclock_mhz\b")


def varying() -> set[str]:
    """Return the kernels, '02_registers', of which NVRTC makes one of two codes, as it happens."""
    listed = chapters.BOOK / "validation" / "differences.csv"
    with open(listed, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["emulator"] == "varies"]
    return {row["launch"].split()[0].split("/")[1] for row in rows}


def compared(recorded: Any, executed: Any) -> Iterator[tuple[Any, Any, bool]]:
    """Yield (cell on the page, cell as run now, whether they show the same), for such cells.

    recorded, executed: notebooks of the same cells. Of a kernel with two codes only the words are
    compared.
    """
    vary = varying()
    for old, new in zip(recorded.cells, executed.cells, strict=True):
        if new.cell_type == "code" and _SAME.search(new.source) and not _DEPENDS.search(new.source):
            only_words = any(f'"{name}"' in new.source for name in vary)
            yield old, new, _texts(old, only_words) == _texts(new, only_words)


def _texts(cell, only_words):
    texts = []
    for kind, run in groupby(cell.outputs, key=lambda output: output.get("name")):
        shown = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in run]
        # what is printed may come in pieces, cut where the kernel was slow
        texts += ["".join(shown)] if kind else shown
    return [re.sub(r"[\d\s]+", "#", text) for text in texts] if only_words else texts


def refresh(names: Sequence[str] = ()) -> list[Path]:
    """Run chapters without a GPU and write what has changed of such cells into their pages.

    names: as for ``chapters.record``; none means all. Returns the paths of the pages that changed.
    What was measured stays as it is, and so does the stamp. Raises RuntimeError for a chapter of
    which a cell fails.
    """
    written = []
    for path in chapters.chosen(names):
        page = notebooks.read(path)
        run = chapters.execute(path, emulated=True)
        differing = [(old, new) for old, new, same in compared(page, run.notebook) if not same]
        for old, new in differing:
            old.outputs = new.outputs
        if differing:
            notebooks.write(page, path)
            written.append(path)
    return written
