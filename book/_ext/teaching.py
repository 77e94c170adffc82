"""The teacher's guide: its tables are made of the figures, the results and the planted mistakes.

% live:
%   sectors stride=8            a figure of the page figures.md and its setting: what it says
% claims of coalescing:
%   A stride multiplies         how a claim's sentence begins: its numbers on each GPU
% mistakes in vector_add/deal:
%   by_lane: what it teaches    a section of tests/planted/: what is wrong there, and your words
"""

import html
import re
from pathlib import Path

import gpus
import pandas as pd

from warpbook import explore

PAGE = "teaching"
BLOCK = re.compile(r"^% (live|claims of|mistakes in)(?: ([\w/]+))?:\n((?:%   .*\n)+)", re.M)


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    if page == PAGE:
        source[0] = filled(source[0], Path(app.srcdir))


def filled(text, book):
    """The page's text with its tables. Raises ValueError for what a table cannot find."""
    found = gpus.read(book / "results")
    planted = book.parent / "tests" / "planted"

    def table(block):
        kind, what, lines = block.groups()
        items = [line.removeprefix("%   ") for line in lines.splitlines()]
        if kind == "live":
            return live(items)
        return claims(what, items, found) if kind == "claims of" else mistakes(what, items, planted)

    return BLOCK.sub(table, text)


def live(items):
    """A link to each figure at a setting, and the sentence that it shows there."""
    rows = ["| Show | What the figure says |", "| --- | --- |"]
    for item in items:
        name, *words = item.split()
        state = dict(word.split("=") for word in words)
        typed = {key: int(v) if v.isdigit() else v for key, v in state.items()}
        said = explore(name, **typed).text.partition(". ")[2]
        address = "&".join(f"{name}.{key}={value}" for key, value in state.items())
        shown = ", ".join(f"{key} {value}" for key, value in state.items())
        link = f'<a href="figures.html#{html.escape(address)}">{name}: {shown}</a>'
        rows.append(f"| {link} | {gpus.escape(said)} |")
    return "\n".join(rows) + "\n"


def claims(chapter, items, found):
    """The claims that begin with these words, with the numbers that each GPU measured."""
    table = gpus.verdicts(found, chapter)
    rows = []
    for item in items:
        fits = [row for _, row in table.iterrows() if row["Claim"].startswith(gpus.escape(item))]
        if len(fits) != 1:
            raise ValueError(
                f"{PAGE}.md: {len(fits)} claims of {chapter} begin with '{item}'. Write how one "
                f"sentence in results/*/claims.csv begins."
            )
        rows.append(fits[0].drop("Checked"))
    shown = pd.DataFrame(rows).rename(columns={"Claim": "What the page measures"})
    return gpus.grid(shown)


def mistakes(exercise, items, planted):
    """What is wrong in planted solutions, by how their sections begin, and what each teaches."""
    rows = [f"| Mistake in `{exercise}` | What it teaches |", "| --- | --- |"]
    for item in items:
        stem, _, lesson = item.partition(": ")
        path = planted / f"{exercise}.cu"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        found = re.search(rf"^// WRONG {stem}: (.+)$", text, re.M)
        if not found and planted.is_dir():
            raise ValueError(f"{PAGE}.md: there is no '// WRONG {stem}: ...' in {path}.")
        said = found[1] if found else stem.replace("_", " ")  # an edition without tests
        rows.append(f"| {gpus.escape(said[:1].upper() + said[1:])} | {lesson} |")
    return "\n".join(rows) + "\n"
