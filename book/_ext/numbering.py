"""Chapters' numbers, which no page types: they come from the names of the files.

Text names a chapter by its slug: 'chapter `coalescing`', 'chapters `scan` and `norms`', also inside
the words of a link; a link of no other words is '[`scan`](29_scan.ipynb)'. The build puts a number
there, and one in front of a chapter's title, but not of its lab notes'.
"""

import re
from pathlib import Path

PAGE = re.compile(r"(?:.*/)?(\d\d)_(\w+)")
NAMED = re.compile(r"\b[Cc]hapters? `\w+`(?:(?:,| and| or| to|, and|, or) `\w+`)*")
LINKED = re.compile(r"\[`(?=(\w+)`\]\((?:\.\./)?\d\d_\1\.ipynb)\w+`\]")
TYPED = re.compile(
    r"\b[Cc]hapters? \d+|^# \d+\. |\[\d+\](?=\((?:\.\./|lab/)?\d\d_\w+\.ipynb)", re.M
)
TITLE = re.compile(r"(?<![^\"\n])# (?=\S)")


def setup(app):
    app.connect("source-read", number, priority=900)  # after what writes other parts of a page
    return {"parallel_read_safe": True}


def number(app, page, source):
    known = {m[2]: int(m[1]) for m in map(PAGE.fullmatch, app.env.found_docs) if m}
    text = written(source[0], known)
    own = PAGE.fullmatch(page)
    if own and Path(page).parent.name != "lab":
        text = TITLE.sub(f"# {int(own[1])}. ", text, count=1)
    source[0] = text


def written(text, known):
    """The text with the numbers of the chapters that it names. known: {slug: number}; another slug
    becomes plain words.
    """
    for named in (NAMED, LINKED):
        text = named.sub(lambda found: numbered(found[0], known), text)
    return text


def numbered(text, known):
    return re.sub(r"`(\w+)`", lambda m: str(known.get(m[1], m[1].replace("_", " "))), text)


def typed(text):
    """Chapters that a text names by number."""
    return [m[0] for m in TYPED.finditer(text)]


def slugs(text):
    """The slugs that a text has in the place of chapters' numbers."""
    return [slug for named in NAMED.findall(text) for slug in re.findall(r"`(\w+)`", named)]
