"""Print how long things are: pages, kernels, figures, answers to questions, lessons, paths.

    python tools/lengths.py [pages] [kernels] [figures] [answers] [lessons] [paths]    else all

A report, not a rule: a number that stands apart from its neighbours is a place to look at.
"""

import difflib
import re
import statistics
import sys
from pathlib import Path

import nbformat
import pandas as pd

from warpbook import explore
from warpbook.display.explore import FIGURES
from warpbook.launch import header, source

BOOK = Path(__file__).resolve().parents[1] / "book"
CLIPPED = 78  # columns; wider lines of code are clipped on a page in a window of 1280 px
TERM = re.compile(r"\(glossary\.md#([\w-]+)\)")


def pages():
    """One row a chapter: words of prose; lines of code cells (set-up apart), the widest line; at
    which share of its words the first exercise stands; words of the glossary linked twice.
    """
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
    text = "\n\n".join(prose)
    return {
        "words": len(text.split()),
        "cells": len(code),
        "median lines": statistics.median(lengths),
        "most lines": max(lengths),
        "widest": max(widths),
        f"over {CLIPPED}": sum(width > CLIPPED for width in widths),
        "first exercise, %": first_exercise(notebook.cells),
        "linked twice": len(TERM.findall(text)) - len(set(TERM.findall(text))),
    }


def first_exercise(cells):
    """How many per cent of a page's words stand above its first exercise; nan where it has none."""
    words = [len(cell.source.split()) for cell in cells]
    for number, cell in enumerate(cells):
        if cell.cell_type == "code" and re.search(r"^start\(", cell.source, re.M):
            return round(100 * sum(words[:number]) / sum(words))
    return float("nan")


def kernels():
    """One row a kernel: its lines, header apart and with it, and how many its step changes."""
    rows = {}
    for path in sorted(source.KERNELS.glob("*/*.cu")):
        text, start = path.read_text(encoding="utf-8"), before(path)
        rows[f"{path.parent.name}/{path.stem}"] = {
            "lines": len(text.splitlines()),
            "of code": len(body(text)),
            "widest": max(map(len, text.splitlines())),
            "changed": changed(start.read_text(encoding="utf-8"), text)
            if start and start.is_file()
            else "",
            "from": start.stem if start else "",
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def before(path):
    """The variant that a step starts from: the one its header names, or the one above it."""
    named = re.search(
        r"\(from (\w+)\)", " ".join(header.read(path.read_text(encoding="utf-8")).fields.values())
    )
    above = [p for p in sorted(path.parent.glob("*.cu")) if p < path]
    return path.with_name(f"{named[1]}.cu") if named else above[-1] if above else None


def changed(old, new):
    """How many lines of code differ between two files' texts."""
    blocks = difflib.SequenceMatcher(None, body(old), body(new), autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for what, a, b, c, d in blocks if what != "equal")


def body(text):
    """The lines below the header."""
    return text.splitlines()[header.read(text).lines :]


def figures():
    """One row a figure under the hand: bytes of its HTML at its start, with all its script."""
    sizes = {name: len(explore(name).html.encode()) for name in FIGURES}
    return pd.DataFrame({"bytes": sizes})


def sections(page, level):
    """{heading: text} of the headings of one level of a Markdown page."""
    text = (BOOK / f"{page}.md").read_text(encoding="utf-8")
    parts = re.split(rf"^{level} (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def answers():
    """One row a question: words of its answer, apart from the claims that it lists."""
    return pd.DataFrame(
        {
            "words": {
                head[:60]: len(re.sub(r"^%.*", "", text, flags=re.M).split())
                for head, text in sections("questions", "###").items()
            }
        }
    )


def lessons():
    """One row a lesson of the teacher's guide: the minutes of its parts."""
    found = {head: text for head, text in sections("teaching", "##").items() if "Lesson" in head}
    minutes = {h: sum(map(int, re.findall(r"^\| (\d+) \|", t, re.M))) for h, t in found.items()}
    return pd.DataFrame({"minutes": minutes})


def paths():
    """One row a path of the map: the minutes of reading that its chapters say."""
    said = {}
    for path in chapters():
        found = re.search(r"Reading: (\d+) minutes", path.read_text(encoding="utf-8"))
        said[path.stem[3:]] = int(found[1]) if found else 0
    ways = {
        head: re.search(r"^% path: (.+)$", text, re.M)
        for head, text in sections("map", "##").items()
    }
    return pd.DataFrame(
        {"minutes": {head: sum(map(said.get, way[1].split())) for head, way in ways.items() if way}}
    )


def main(names):
    tables = {
        "pages": pages,
        "kernels": kernels,
        "figures": figures,
        "answers": answers,
        "lessons": lessons,
        "paths": paths,
    }
    for name in names or tables:
        print(f"{tables[name]().to_string()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
