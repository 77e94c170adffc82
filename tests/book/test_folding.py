"""The code that only states, asks or answers is folded, and each question has its marked answer."""

import ast
import re

import nbformat
import pytest
from helpers import CHAPTERS, NOTEBOOKS, named

SAYS = {"claim", "predict", "reveal"}
HEADING = re.compile(r"^(#{2,4}) ", re.M)


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
    return [
        tuple(given[:2])
        for cell in notebook.cells
        if cell.cell_type == "code"
        for name, given in keyed(cell.source)
        if name == "predict"
    ]


def used(source, context):
    """The names that a cell assigns (ast.Store) or reads (ast.Load)."""
    tree = ast.parse(re.sub(r"^(\s*)[%!].*", r"\1pass", source, flags=re.M))
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def headings(source):
    """The headings of a Markdown cell, each with the signs before it; code in it has none."""
    return HEADING.findall(re.sub(r"^```.*?^```", "", source, flags=re.M | re.S))


def astray(notebook):
    """What is wrong with the questions of a page and the cells that are marked as their answers.

    An answer is the tagged cells right behind a question, or behind questions that stand in a row.
    It holds the reveal of each of them. It may go past headings, but not into the next step, and
    where a heading follows it, a new cell begins. What stands right behind it must not belong to
    it: neither 'What happened' nor a claim with what its cells measured.
    """
    found, seen, group, answered = [], [], [], None  # answered: keys; None while nothing is open
    made = set()  # names that the cells of the answer assign

    def end():
        late = [key for key in group if key not in (answered or [])]
        found.extend(f"no answer to '{key}' in the cells marked behind it" for key in late)

    for cell in notebook.cells:
        marked = "answer" in cell.metadata.get("tags", [])
        said = keyed(cell.source) if cell.cell_type == "code" else []
        asks = [key for name, (key, *_) in said if name == "predict"]
        tells = [key for name, (key, *_) in said if name == "reveal"]
        found += [f"'{key}' asks twice" for key in asks if key in seen]
        found += [f"'{key}' is answered, but was not asked" for key in tells if key not in seen]
        seen += asks
        if asks:
            if answered is not None:
                end()
                group, answered, made = [], None, set()
            group += asks
            found += [f"'{key}' is marked as an answer" for key in asks if marked]
        elif marked and not group:
            found.append(f"marked, but behind no question: {cell.source[:60]!r}")
        elif marked:
            answered = (answered or []) + tells
            made |= used(cell.source, ast.Store) if cell.cell_type == "code" else set()
            signs = headings(cell.source) if cell.cell_type == "markdown" else []
            found += [f"an answer goes into a step: {cell.source[:60]!r}"] * ("##" in signs)
            found += [f"two headings in a marked cell: {cell.source[:60]!r}"] * (len(signs) > 1)
        else:
            end()
            if cell.cell_type == "markdown":
                belongs = re.match(r"\W*What happened", cell.source)
            else:
                belongs = "claim(" in cell.source and made & used(cell.source, ast.Load)
            if answered is not None and belongs:
                found.append(f"belongs to the answer before it: {cell.source[:60]!r}")
            group, answered, made = [], None, set()
            found += [f"'{key}' is revealed in a cell that is not marked" for key in tells]
    end()
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_what_only_states_is_folded(path):
    assert unfolded(nbformat.read(path, 4)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_every_question_has_its_marked_answer_and_nothing_else_is_marked(path):
    assert astray(nbformat.read(path, 4)) == []


def test_no_question_is_asked_twice():
    """By its key and its words a question is known in the results and in readers' browsers."""
    all_asked = [pair for path in CHAPTERS for pair in asked(nbformat.read(path, 4))]
    assert len(all_asked) == len(set(all_asked))


# Planted faults.


def notebook(*cells):
    """Cells: Markdown begins with '#' or with a space, what begins with '+' is marked."""
    new, made = nbformat.v4, []
    for text in cells:
        source = text.removeprefix("+")
        kind = new.new_markdown_cell if source.startswith(("#", " ")) else new.new_code_cell
        made.append(kind(source, metadata={"tags": ["answer"]} if text != source else {}))
    return new.new_notebook(cells=made)


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


ASK, RUN, TELL, WORDS = "predict('a', 'b', 'c')", "+x", "+reveal('a', 1)", "+### What happened"


@pytest.mark.parametrize(
    "cells, fault",
    [
        ([ASK, RUN, TELL, WORDS, "+claim('x')", "y", "## 2"], None),
        ([ASK, "predict('b', 'c', 'd')", RUN, TELL, "+reveal('b', 1)", "y"], None),
        ([ASK, "+%%gpu\ny = x\nreveal('a', 1)", "predict('b', 'c', '')", "+reveal('b', 1)"], None),
        (["## 1", ASK, TELL], None),
        ([ASK], "no answer to 'a'"),
        ([ASK, RUN, "y"], "no answer to 'a'"),
        ([ASK, "predict('b', 'c', 'd')", TELL], "no answer to 'b'"),
        ([ASK, "predict('b', 'c', 'd')", TELL, "y", "+reveal('b', 1)"], "no answer to 'b'"),
        ([ASK, "x", TELL], "no answer to 'a'"),
        ([ASK, "reveal('a', 1)"], "revealed in a cell that is not marked"),
        ([ASK, TELL, "### What happened", "+claim('x')"], "behind no question"),
        (["+x", ASK, TELL], "behind no question"),
        ([ASK, TELL, "+## Step 2"], "into a step"),
        ([ASK, TELL, WORDS + "\n\n### Exercise 1"], "two headings"),
        ([TELL], "'a' is answered, but was not asked"),
        ([ASK, "+t = 1", TELL, "claim('{x}', 'x > 1', x=t)"], "belongs to the answer"),
        ([ASK, "+t = 1", TELL, " Then.", "claim('{x}', 'x > 1', x=t)"], None),
        ([ASK, "+t = 1", TELL, "u = 2\nclaim('{x}', 'x > 1', x=u)"], None),
        ([ASK, "+t = 1", TELL, "### What happened"], "belongs to the answer"),
        ([ASK, "+t = 1", TELL, " **What happened.** It ran."], "belongs to the answer"),
        ([ASK, TELL, ASK, TELL], "'a' asks twice"),
        (["+" + ASK, TELL], "'a' is marked as an answer"),
    ],
)
def test_an_answer_that_is_not_marked_as_it_stands_is_found(cells, fault):
    found = astray(notebook(*cells))
    assert found == [] if fault is None else any(fault in said for said in found), found
