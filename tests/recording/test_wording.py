"""Words of a claim: an edit there measures nothing, so it needs no recording."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from warpbook import results
from warpbook.measure import claims
from warpbook.recording import chapters, stamps, wording
from warpbook.recording.notebooks import read

CELL = '%%gpu\nx = a / b\nclaim("It is {x:.1f} times", "1 <= x <= 2", x=x)'


def page(source=CELL, x=1.5, numbers=True):
    """A recorded page with one claim, and its row of claims.csv."""
    made = claims.state("It is {x:.1f} times", "1 <= x <= 2", {"x": x})
    html = made._repr_html_() if numbers else claims.Claim(*vars(made).values())._repr_html_()
    if not numbers:
        html = wording.NUMBERS.sub("", html)
    data = {"text/plain": repr(made), "text/html": html}
    output = new_output("execute_result", data)
    row = {"sentence": "It is {x:.1f} times", "status": made.status, "measured": made.text}
    cell = new_code_cell(source, outputs=[output])
    return new_notebook(cells=[cell]), [row | {"checked": made.checked}]


def test_words_make_no_page_stale_and_numbers_do():
    notebook, _ = page()
    before = stamps.code_hash(notebook)
    cell = notebook.cells[0]
    cell.source = CELL.replace("It is", "Four are").replace("1 <= x <= 2", "1.2 <= x <= 1.8")
    assert stamps.code_hash(notebook) == before
    for new in (CELL.replace("a / b", "b / a"), CELL.replace("x=x", "x=2*x"), CELL + "\ny = 1"):
        cell.source = new
        assert stamps.code_hash(notebook) != before


def test_a_claim_is_worded_anew_from_its_numbers():
    notebook, rows = page()
    notebook.cells[0].source = CELL.replace("{x:.1f}", "{x:.3f}").replace("<= 2", "<= 1.6")
    assert wording.outdated(notebook, rows) == ["It is {x:.3f} times"]
    assert wording.reword(notebook, rows) == 1 and wording.reword(notebook, rows) == 0
    data = notebook.cells[0].outputs[0]["data"]
    assert data["text/plain"] == "Claim (holds): It is 1.500 times (checked: 1 to 1.600)"
    assert "It is 1.500 times" in data["text/html"] and "data-numbers" in data["text/html"]
    assert rows == [
        {
            "sentence": "It is {x:.3f} times",
            "status": "holds",
            "measured": "It is 1.500 times",
            "checked": "1 to 1.600",
        }
    ]


def test_a_bound_that_does_not_hold_is_refused():
    notebook, rows = page()
    notebook.cells[0].source = CELL.replace("<= 2", "<= 1.4")
    with pytest.raises(ValueError, match="does not hold"):
        wording.reword(notebook, rows)


def test_a_claim_that_failed_holds_with_another_bound():
    notebook, rows = page(x=2.5)
    notebook.cells[0].source = CELL.replace("<= 2", "<= 3")
    assert rows[0]["status"] != "holds"
    assert wording.reword(notebook, rows) == 1 and rows[0]["status"] == "holds"


def test_without_its_numbers_it_must_be_recorded():
    notebook, rows = page(numbers=False)
    assert wording.reword(notebook, rows) == 0
    notebook.cells[0].source = CELL.replace("It is", "Four are")
    with pytest.raises(ValueError, match="record the page"):
        wording.reword(notebook, rows)


def test_every_recorded_claim_says_what_its_cell_says():
    rows = {}
    for path in chapters.pages():
        gpu = chapters.stamp(path).get("gpu")
        if gpu and gpu not in rows:
            rows[gpu] = results.read(results.folder_of(gpu) / "claims.csv")
        its = [row for row in rows.get(gpu, []) if row["chapter"] == chapters.slug(path)]
        found = wording.outdated(read(path), its) if gpu and not chapters.changed(path) else []
        assert found == [], f"python -m warpbook reword {chapters.slug(path)}"
