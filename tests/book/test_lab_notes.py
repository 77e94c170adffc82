"""Lab notes: each belongs to a chapter, which links to it and to which it links back."""

import re
import sys

import nbformat
import pytest
import yaml
from helpers import BOOK, TOC, module
from nbformat.v4 import new_markdown_cell, new_notebook

LINK = re.compile(r"\]\(([\w/.]+\.ipynb)(?:#([\w-]+))?\)")
IN_THE_CONTENTS = "Lab notes"


@pytest.fixture(scope="module")
def reference():
    """The extension that knows the anchors of headings, as the builder loads it."""
    sys.path.insert(0, str(BOOK / "_ext"))
    try:
        yield module(BOOK / "_ext" / "reference.py")
    finally:
        sys.path.remove(str(BOOK / "_ext"))


def text(path):
    cells = nbformat.read(path, 4).cells
    return "\n\n".join(c.source for c in cells if c.cell_type == "markdown")


def links(path):
    """(the file, the anchor or '') of each link of a notebook to another one."""
    found = LINK.findall(text(path))
    return [((path.parent / target).resolve(), anchor) for target, anchor in found]


def astray(path, reference):
    """Links of a notebook to headings that the other notebook does not have."""
    return [
        f"no heading #{anchor} in {target.name}"
        for target, anchor in links(path)
        if anchor
        and target.is_file()
        and anchor not in map(reference.anchor, reference.headings(text(target)))
    ]


def apart(book):
    """Lab notes without a chapter, without a link from it or back, or with another title."""
    found = []
    for path in sorted((book / "lab").glob("*.ipynb")):
        chapter = book / path.name
        if not chapter.is_file():
            found.append(f"lab/{path.name} has no chapter: it needs the name of a chapter's file")
            continue
        first = nbformat.read(path, 4).cells[0].source
        if not first.startswith("# Lab notes: "):
            found.append(f"the title of lab/{path.name} is not '# Lab notes: ...'")
        if f"(../{path.name}" not in first:
            found.append(f"the first cell of lab/{path.name} does not link to (../{path.name})")
        if path.resolve() not in [target for target, _ in links(chapter)]:
            found.append(f"{path.name} does not link to (lab/{path.name}#...)")
    return found


def unlisted(toc, book):
    """Lab notes that the contents do not have below their chapter, and those that are not there."""
    entries = [entry for part in toc["parts"] for entry in part["chapters"]]
    below = {entry["file"]: entry.get("sections", []) for entry in entries}
    found = []
    for path in sorted(book.glob("[0-9][0-9]_*.ipynb")):
        notes = {"file": f"lab/{path.stem}", "title": IN_THE_CONTENTS}
        wanted = [notes] if (book / "lab" / path.name).is_file() else []
        if below.get(path.stem, []) != wanted:
            lines = [f"      - file: {path.stem}"]
            lines += ["        sections:"] * bool(wanted)
            lines += [
                f"          - file: {n['file']}\n            title: {n['title']}" for n in wanted
            ]
            found.append("_toc.yml needs:\n" + "\n".join(lines))
    return found


def test_lab_notes_belong_to_a_chapter_that_links_to_them_and_they_link_back():
    assert apart(BOOK) == []


def test_the_contents_have_lab_notes_below_their_chapter():
    missing = unlisted(TOC, BOOK)
    assert missing == [], "\n".join(missing)


def test_links_between_notebooks_lead_to_headings(reference):
    paths = [*BOOK.glob("[0-9]*.ipynb"), *BOOK.glob("lab/*.ipynb")]
    found = {path.relative_to(BOOK).as_posix(): astray(path, reference) for path in sorted(paths)}
    assert {name: faults for name, faults in found.items() if faults} == {}


# Planted faults.


def write(path, words):
    path.parent.mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=[new_markdown_cell(words)]), path)


@pytest.fixture
def book(tmp_path):
    """A chapter with lab notes, and one without."""
    write(tmp_path / "05_one.ipynb", "# One\n\nAs [the note](lab/05_one.ipynb#is-it-so) proves.")
    notes = "# Lab notes: one\n\nThey prove [chapter `one`](../05_one.ipynb).\n\n## Is it so?"
    write(tmp_path / "lab" / "05_one.ipynb", notes)
    write(tmp_path / "06_two.ipynb", "# Two\n\nAfter [`one`](05_one.ipynb#one).")
    return tmp_path


def contents(words):
    return yaml.safe_load(f"parts:\n  - caption: A\n    chapters:\n{words}")


LISTED = """\
      - file: 05_one
        sections:
          - file: lab/05_one
            title: Lab notes
      - file: 06_two
"""


def test_good_lab_notes_have_no_fault(book, reference):
    assert apart(book) == unlisted(contents(LISTED), book) == []
    assert [astray(path, reference) for path in sorted(book.rglob("*.ipynb"))] == [[], [], []]


@pytest.mark.parametrize(
    "name, words, said",
    [
        ("lab/07_more", "# Lab notes: more", "lab/07_more.ipynb has no chapter"),
        ("05_one", "# One", "05_one.ipynb does not link to"),
        ("lab/05_one", "# Lab notes: one", "does not link to"),
        ("lab/05_one", "# One\n\n[one](../05_one.ipynb)", "the title of"),
    ],
)
def test_lab_notes_that_stand_apart_are_found(book, name, words, said):
    write(book / f"{name}.ipynb", words)
    (fault,) = apart(book)
    assert said in fault


@pytest.mark.parametrize(
    "words",
    [
        LISTED.replace("            title: Lab notes\n", ""),
        "      - file: 05_one\n      - file: lab/05_one\n      - file: 06_two\n",
    ],
)
def test_contents_without_the_lab_notes_are_told_what_they_need(book, words):
    (fault,) = unlisted(contents(words), book)
    needed = LISTED.removesuffix("      - file: 06_two\n").rstrip()
    assert fault == f"_toc.yml needs:\n{needed}"
    (book / "lab" / "05_one.ipynb").unlink()
    assert len(unlisted(contents(LISTED), book)) == 1


def test_a_link_to_a_heading_that_is_not_there_is_found(book, reference):
    write(book / "lab" / "05_one.ipynb", "# Lab notes: one\n\n[a](../05_one.ipynb#none)")
    assert astray(book / "05_one.ipynb", reference) == ["no heading #is-it-so in 05_one.ipynb"]
    assert astray(book / "lab" / "05_one.ipynb", reference) == ["no heading #none in 05_one.ipynb"]
