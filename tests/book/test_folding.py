"""The code that only states, asks or answers is folded, and each question has its answer."""

import ast
import re

import nbformat
import pytest
from helpers import CHAPTERS

SAYS = {"claim", "predict", "reveal"}
HEADING = re.compile(r"^#{2,4} ", re.M)


def calls(source):
    """The calls that a cell consists of, as (name, the call); [] where it has anything else."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a magic, such as %%gpu
        return []
    found = [
        (getattr(node.value.func, "id", None), node.value)
        for node in body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ]
    return found if len(found) == len(body) else []


def keyed(source):
    """The predict and reveal calls anywhere in a cell, as (name, the literal arguments)."""
    tree = ast.parse(re.sub(r"^(\s*)[%!].*", r"\1pass", source, flags=re.M))
    found = [(getattr(n.func, "id", None), n) for n in ast.walk(tree) if isinstance(n, ast.Call)]
    return [
        (name, [arg.value for arg in call.args if isinstance(arg, ast.Constant)])
        for name, call in sorted(found, key=lambda pair: pair[1].lineno)
        if name in ("predict", "reveal")
    ]


def unfolded(notebook):
    """Cells that only claim, predict and reveal, and whose code a page or JupyterLab shows."""
    return [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and calls(cell.source)
        if {name for name, _ in calls(cell.source)} <= SAYS
        if "hide-input" not in cell.metadata.get("tags", [])
        or not cell.metadata.get("jupyter", {}).get("source_hidden")
    ]


def asked(notebook):
    """(key, question) of each predict on a page, in order."""
    return [tuple(given[:2]) for cell in notebook.cells if cell.cell_type == "code"
            for name, given in keyed(cell.source) if name == "predict"]  # fmt: skip


def unanswered(notebook):
    """Keys that two questions share, and questions with no answer before the next heading.

    What stands behind the heading is not folded: an answer there would be open too early.
    """
    found, waiting, seen = [], [], []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            if HEADING.search(re.sub(r"^```.*?^```", "", cell.source, flags=re.M | re.S)):
                found += [f"no answer to '{key}' before the next heading" for key in waiting]
                waiting = []
            continue
        if cell.cell_type != "code":
            continue
        for name, (key, *_) in keyed(cell.source):
            if name == "predict":
                found += [f"'{key}' asks twice"] if key in seen else []
                seen.append(key)
                waiting.append(key)
            if name == "reveal":
                found += [] if key in waiting else [f"'{key}' is answered, but was not asked"]
                waiting = [other for other in waiting if other != key]
    return found + [f"no answer to '{key}'" for key in waiting]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_only_states_is_folded(path):
    assert unfolded(nbformat.read(path, 4)) == []


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_question_is_answered_where_it_is_folded(path):
    assert unanswered(nbformat.read(path, 4)) == []


def test_no_question_is_asked_twice():
    """By its key and its words a question is known in the results and in readers' browsers."""
    all_asked = [pair for path in CHAPTERS for pair in asked(nbformat.read(path, 4))]
    assert len(all_asked) == len(set(all_asked))


# Planted faults.


def notebook(*cells):
    new = nbformat.v4
    return new.new_notebook(
        cells=[
            new.new_markdown_cell(c) if c.startswith("#") else new.new_code_cell(c) for c in cells
        ]
    )


@pytest.mark.parametrize(
    "source, says",
    [
        ("claim('{x}', 'x > 1', x=2)", True),
        ("predict('a', 'b', 'c')\nreveal('a', t.ms['a'] / 2)", True),
        ("x = 2\nclaim('{x}', 'x > 1', x=x)", False),
        ("claim('{x}', 'x > 1', x=x)\nt", False),
        ("bench(a=a)", False),
        ("%%gpu\nclaim('{x}', 'x > 1', x=x)", False),
        ("", False),
    ],
)
def test_a_cell_that_shows_its_code_is_found(source, says):
    bad = notebook(source)
    assert unfolded(bad) == ([source] if says else [])
    bad.cells[0].metadata["tags"] = ["hide-input"]
    assert unfolded(bad) == ([source] if says else [])
    bad.cells[0].metadata["jupyter"] = {"source_hidden": True}
    assert unfolded(bad) == []


def test_a_question_without_its_answer_is_found():
    ask, answer = "predict('a', 'b', 'c')", "reveal('a', 1)"
    assert unanswered(notebook("## 1", ask, "x", f"%%gpu\ny = x\n{answer}", "## 2")) == []
    assert unanswered(notebook(ask, "### What happened", answer)) != []
    assert unanswered(notebook(ask)) == ["no answer to 'a'"]
    assert unanswered(notebook(answer)) == ["'a' is answered, but was not asked"]
    assert unanswered(notebook(ask, answer, ask, answer)) == ["'a' asks twice"]
