"""Print how long things are: words of pages, lines of cells and kernels, lines that a step changes.

    python tools/lengths.py [pages] [kernels]        both by default

A report, not a rule: a number that stands apart from its neighbours is a place to look at.
"""

import difflib
import re
import statistics
import sys
from pathlib import Path

import nbformat
import pandas as pd

from warpbook.launch import header, source

BOOK = Path(__file__).resolve().parents[1] / "book"
CLIPPED = 78  # columns; wider lines of code are clipped on a page in a window of 1280 px


def pages():
    """One row a chapter: words of prose; lines of code cells (set-up apart), the widest line."""
    rows = {path.stem: page(nbformat.read(path, as_version=4)) for path in chapters()}
    return pd.DataFrame.from_dict(rows, orient="index")


def chapters():
    return sorted(BOOK.glob("[0-9][0-9]_*.ipynb"))


def page(notebook):
    """The lengths of one chapter."""
    prose = [c.source for c in notebook.cells if c.cell_type == "markdown"]
    code = [
        c.source.splitlines()
        for c in notebook.cells
        if c.cell_type == "code" and "setup" not in c.metadata.get("tags", [])
    ]
    widths = [len(line) for cell in code for line in cell] or [0]
    lengths = [len(cell) for cell in code] or [0]
    return {
        "words": len("\n\n".join(prose).split()),
        "cells": len(code),
        "median lines": statistics.median(lengths),
        "most lines": max(lengths),
        "widest": max(widths),
        f"over {CLIPPED}": sum(width > CLIPPED for width in widths),
    }


def kernels():
    """One row a kernel: its lines, header apart and with it, and how many its step changes."""
    rows = {}
    for path in sorted(source.KERNELS.glob("*/*.cu")):
        text, start = path.read_text(), before(path)
        rows[f"{path.parent.name}/{path.stem}"] = {
            "lines": len(text.splitlines()),
            "of code": len(body(text)),
            "widest": max(map(len, text.splitlines())),
            "changed": changed(start.read_text(), text) if start and start.is_file() else "",
            "from": start.stem if start else "",
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def before(path):
    """The variant that a step starts from: the one its header names, or the one above it."""
    named = re.search(r"\(from (\w+)\)", " ".join(header.read(path.read_text()).fields.values()))
    above = [p for p in sorted(path.parent.glob("*.cu")) if p < path]
    return path.with_name(f"{named[1]}.cu") if named else above[-1] if above else None


def changed(old, new):
    """How many lines of code differ between two files' texts."""
    blocks = difflib.SequenceMatcher(None, body(old), body(new), autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for what, a, b, c, d in blocks if what != "equal")


def body(text):
    """The lines below the header."""
    return text.splitlines()[header.read(text).lines :]


def main(names):
    tables = {"pages": pages, "kernels": kernels}
    for name in names or tables:
        print(f"{tables[name]().to_string()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
