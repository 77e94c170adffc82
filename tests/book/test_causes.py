"""Every sentence of a page that says why has a control that a cell runs: by list or by metadata."""

import re

import nbformat
import pandas as pd
import pytest
from helpers import BOOK, NOTEBOOKS, named, unlinked

from warpbook.recording import chapters, controls

FOLDER = BOOK / "validation" / "causes"
LISTS = sorted(FOLDER.glob("*.csv"))


def page(slug):
    (path,) = BOOK.glob(f"[0-9][0-9]_{slug}.ipynb")
    return nbformat.read(path, as_version=4)


def plain(text):
    """A text's words, without Markdown's marks, links to the glossary and line breaks."""
    return " ".join(re.sub(r"[*_`>]", "", unlinked(text)).split())


def faults(notebook, rows):
    """What is wrong with a page's list: a sentence that is not there, no control, no such cell."""
    said = plain("\n".join(c.source for c in notebook.cells if c.cell_type == "markdown"))
    ran = {c.id for c in notebook.cells if c.cell_type == "code"}
    found = []
    for row in rows.itertuples():
        if plain(row.sentence) not in said:
            found.append(f"the page does not say: {row.sentence}")
        if not str(row.control).strip() or row.control != row.control:
            found.append(f"no control for: {row.sentence}")
        found += [
            f"no code cell {cell!r} for: {row.sentence}"
            for cell in str(row.cell).split()
            if cell not in ran
        ]
    return found


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_cause_has_its_control_on_the_page(path):
    rows = pd.read_csv(path)
    assert list(rows) == ["sentence", "control", "cell"]
    assert faults(page(path.stem), rows) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_page_has_its_list_or_its_claims_name_their_controls(path):
    """A page that is rewritten names them in its cells' metadata, and its list goes."""
    listed = (FOLDER / f"{chapters.slug(path)}.csv").exists()
    assert listed or controls.missing(path) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_control_is_a_cell_of_the_page(path):
    assert controls.unknown(nbformat.read(path, 4)) == []


def test_a_wrong_list_is_found():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("It is *faster*, because\nthey need `fewer` requests."),
            nbformat.v4.new_code_cell("1", id="there"),
        ]
    )
    good = {"sentence": "faster, because they need fewer requests", "control": "x", "cell": "there"}
    assert faults(notebook, pd.DataFrame([good])) == []
    for wrong in ({"sentence": "because of luck"}, {"control": " "}, {"cell": "gone"}):
        assert len(faults(notebook, pd.DataFrame([good | wrong]))) == 1
