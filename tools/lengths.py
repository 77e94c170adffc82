"""Print how long things are: pages, kernels, figures, answers to questions, lessons, paths.

    python tools/lengths.py [pages] [minutes] [kernels] [figures] [answers] [lessons] [paths]
                                                                                      else all
    python tools/lengths.py minutes --write    the minutes of reading, into the pages themselves

A report, not a rule: a number that stands apart from its neighbours is a place to look at. Only the
minutes of reading are no opinion: what a page says of itself is what is computed here.
"""

import ast
import difflib
import math
import re
import statistics
import sys
from pathlib import Path

import nbformat
import pandas as pd

from warpbook import diff, explore, show
from warpbook.display.explore import FIGURES
from warpbook.launch import header, source

BOOK = Path(__file__).resolve().parents[1] / "book"
CLIPPED = 78  # columns; wider lines of code are clipped on a page in a window of 1280 px
TERM = re.compile(r"\((?:\.\./)?glossary\.md#([\w-]+)\)")
READING = re.compile(r"(?<=\*Reading: )\d+(?= minutes\b)")
# How long a reader takes, in minutes: for a word of prose, a line of a listing, and so on.
PACE = {
    "words": 1 / 180,
    "listed": 1 / 25,  # lines of listings and differences
    "code": 1 / 30,  # lines of code cells that are seen
    "tables": 1 / 2,  # and plots, pictures, and what is printed on three lines or more
    "predictions": 3 / 4,
    "hands": 2,  # figures under the reader's hand
}
UNSEEN = {
    "setup",
    "hide-input",
    "hide-cell",
    "remove-input",
    "remove-cell",
}  # tags: no code is seen
FOLD = re.compile(r"<details(?: [^>]*)?>.*?</details>", re.S)
# What an output holds, by its HTML; a gap and what a line costs are no line of a listing.
LISTED = re.compile(r"<(?:span|ins|del) class=\"w-line\"")
TABLE = re.compile(r"<table|<figure class=\"warp-figure\"")
HAND = '<figure class="warp-explore"'


def pages():
    """One row a chapter, and one for its lab notes: words of prose; lines of code cells (set-up
    apart), the widest line; at which share of its words the first exercise stands; words of the
    glossary linked twice.
    """
    paths = [*chapters(), *sorted(BOOK.glob("lab/*.ipynb"))]
    names = {path: path.relative_to(BOOK).with_suffix("").as_posix() for path in paths}
    rows = {names[path]: page(nbformat.read(path, as_version=4)) for path in paths}
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


def minutes():
    """One row a chapter: what a reader goes through, and the minutes that it takes, as computed and
    as the page says. To the nearest whole minute, half a minute up.
    """
    rows = {}
    for path in chapters():
        found = seen(nbformat.read(path, as_version=4))
        said = READING.search(path.read_text(encoding="utf-8"))
        rows[path.stem] = found | {"minutes": taken(found), "says": int(said[0]) if said else 0}
    return pd.DataFrame.from_dict(rows, orient="index")


def taken(found):
    """The whole minutes of reading that ``seen`` makes."""
    return math.floor(sum(PACE[what] * count for what, count in found.items()) + 0.5)


def seen(notebook):
    """How much of each kind in PACE a reader of a page goes through.

    What is unfolded to follow the page is seen: answers of predictions. What else is folded is not:
    code that is hidden, hints, the whole file below an excerpt. Nor are the skeletons and grades of
    exercises, whose minutes are the exercises' own.
    """
    found = dict.fromkeys(PACE, 0)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text, code = apart(cell.source)
            found["words"] += words(text)
            found["code"] += code
        elif cell.cell_type == "code" and not {"setup", "remove-cell"} & set(tags(cell)):
            for what, count in of_code(cell).items():
                found[what] += count
    return found


def tags(cell):
    return cell.metadata.get("tags", [])


def apart(text):
    """A Markdown text without its code and what it folds, and the lines of that code."""
    text = FOLD.sub("", text)
    fences = re.findall(r"^ *(`{3,})[^\n]*\n(.*?)^ *\1", text, re.M | re.S)
    plain = re.sub(r"^ *(`{3,})[^\n]*\n.*?^ *\1 *$", "", text, flags=re.M | re.S)
    return plain, sum(len(filled(code)) for _, code in fences)


def words(text):
    """How many words a Markdown text or HTML has: no addresses, no signs that stand alone."""
    text = re.sub(
        r"\]\([^)]*\)",
        "]",
        re.sub(r"<(style|script)\b.*?</\1>|</?[a-z][^<>]*>", " ", text, flags=re.S),
    )
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def filled(text):
    return [line for line in text.splitlines() if line.strip()]


def of_code(cell):
    """What a reader sees of a code cell and of what it put out, by the kinds in PACE."""
    called = calls(cell.source)
    names = [name for name, _ in called]
    asked = names.count("predict")
    found = dict.fromkeys(PACE, 0) | {"predictions": asked}
    if not UNSEEN & set(tags(cell)) and not asked:
        found["code"] = len(filled(cell.source))
    shown = [listing for name, listing in called if listing]
    found["listed"] = sum(len(LISTED.findall(FOLD.sub("", html))) for html in shown)
    if asked or {"start", "grade"} & set(names):
        return found
    if not cell.outputs:  # not recorded yet
        found["hands"] = names.count("explore")
        found["tables"] = sum(names.count(name) for name in ("ladder", "roofline", "figure_of"))
    for output in cell.outputs:
        html = "".join(output.get("data", {}).get("text/html", ""))
        if 'class="warp-claim"' in html:
            found["words"] += words(FOLD.sub("", html))
        elif HAND in html:
            found["hands"] += html.count(HAND)
        else:
            found["listed"] += 0 if shown else len(LISTED.findall(FOLD.sub("", html)))
            found["tables"] += len(TABLE.findall(html)) + ("image/png" in output.get("data", {}))
        if output.output_type == "stream":
            found["tables"] += len(filled("".join(output.text))) >= 3
    return found


def calls(code):
    """(name, HTML) of the functions that a cell calls; the HTML of what ``show`` and ``diff`` show.

    They are called here, so that a listing that was edited counts before it is recorded again;
    what they show of names that the cell works out is left to its outputs.
    """
    found = []
    for call in ast.walk(ast.parse(re.sub(r"^(\s*)[%!].*", r"\1pass", code, flags=re.M))):
        name = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
        html = ""
        if name in ("show", "diff"):
            try:
                given = [ast.literal_eval(value) for value in call.args]
                named = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
            except ValueError:
                pass
            else:
                html = {"show": show, "diff": diff}[name](*given, **named).html
        found += [(name, html)] * bool(name)
    return found


def write_minutes():
    """Write the minutes of reading into the pages, and nothing else; return those that changed."""
    changed = []
    for path in chapters():
        text = path.read_text(encoding="utf-8")
        whole = taken(seen(nbformat.read(path, as_version=4)))
        written = READING.sub(str(whole), text, count=1)
        if written != text:
            path.write_text(written, encoding="utf-8")
            changed.append(path)
    return changed


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
    """One row a path of the map: the minutes of reading, as computed, and as its chapters say."""
    computed, said = {}, {}
    for path in chapters():
        found = READING.search(path.read_text(encoding="utf-8"))
        said[path.stem[3:]] = int(found[0]) if found else 0
        computed[path.stem[3:]] = taken(seen(nbformat.read(path, as_version=4)))
    ways = {
        head: re.search(r"^% path: (.+)$", text, re.M)
        for head, text in sections("map", "##").items()
    }
    ways = {head: way[1].split() for head, way in ways.items() if way}
    return pd.DataFrame(
        {
            name: {head: sum(map(times.get, way)) for head, way in ways.items()}
            for name, times in (("minutes", computed), ("says", said))
        }
    )


def main(names):
    if "--write" in names:
        if list(names) != ["minutes", "--write"]:
            sys.exit("only the minutes are written: python tools/lengths.py minutes --write")
        for path in write_minutes():
            print(f"wrote {path.relative_to(BOOK.parent)}")
        return
    tables = {
        "pages": pages,
        "minutes": minutes,
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
