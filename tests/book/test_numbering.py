"""No page types the number of a chapter: text has slugs, and the build writes the numbers."""

import json
from types import SimpleNamespace

import pytest
from helpers import BOOK, ROOT, module

numbering = module(BOOK / "_ext" / "numbering.py")
KNOWN = {"coalescing": 5, "scan": 29, "norms": 31}
TEXTS = [
    *sorted(BOOK.glob("*.ipynb")),
    *sorted(BOOK.glob("lab/*.ipynb")),
    *sorted(BOOK.glob("*.md")),
    *sorted((ROOT / "kernels").rglob("*.cu*")),
    *sorted((ROOT / "kernels").rglob("*.py")),
]


def words(path):
    """What a page says: the source of a notebook's cells, or a file's text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])


def test_no_text_types_the_number_of_a_chapter():
    found = {path.name: numbering.typed(words(path)) for path in TEXTS}
    assert {name: typed for name, typed in found.items() if typed} == {}


def test_every_slug_that_a_text_names_is_a_chapter():
    slugs = {path.stem[3:] for path in BOOK.glob("[0-9][0-9]_*.ipynb")}
    named = {path.name: set(numbering.slugs(words(path))) - slugs for path in TEXTS}
    assert {name: unknown for name, unknown in named.items() if unknown} == {}


@pytest.mark.parametrize(
    "text",
    [
        "# 5. Coalescing",
        "see Chapter 5",
        "chapters 5 and 7",
        "chapter 05",
        "[5](05_coalescing.ipynb)",
        "[5](../05_coalescing.ipynb)",
    ],
)
def test_a_typed_number_is_found(text):
    assert numbering.typed(f"Here.\n\n{text}\n")


@pytest.mark.parametrize("text", ["# Coalescing", "5 chapters", "chapter `scan`", "chapters of 5"])
def test_what_is_no_number_of_a_chapter_passes(text):
    assert numbering.typed(text) == []


@pytest.mark.parametrize(
    "text, built",
    [
        ("[Chapter `coalescing`](05_coalescing.ipynb)", "[Chapter 5](05_coalescing.ipynb)"),
        ("[`norms`](../31_norms.ipynb)", "[31](../31_norms.ipynb)"),
        ("chapters `coalescing`, `scan` and `norms`", "chapters 5, 29 and 31"),
        ("chapter `scan`'s `03_ahead`", "chapter 29's `03_ahead`"),
        ("the chapter on `scan`", "the chapter on `scan`"),
        ("chapter `left_out`", "chapter left out"),
        (
            "[`scan`](29_scan.ipynb#x) and [`scan`](https://x.y)",
            "[29](29_scan.ipynb#x) and [`scan`](https://x.y)",
        ),
    ],
)
def test_the_build_writes_the_number(text, built):
    assert numbering.written(text, KNOWN) == built


@pytest.mark.parametrize(
    "page, built",
    [
        ("05_coalescing", "# 5. Title\n\n## Step\n"),
        ("lab/05_coalescing", "# Title\n\n## Step\n"),
        ("glossary", "# Title\n\n## Step\n"),
    ],
)
def test_the_build_writes_the_number_before_a_title(page, built):
    source = ["# Title\n\n## Step\n"]
    app = SimpleNamespace(env=SimpleNamespace(found_docs={"05_coalescing", "glossary"}))
    numbering.number(app, page, source)
    assert source == [built]
    notebook = [json.dumps({"cells": [{"source": ["# Title\n", "\n", "## Step\n"]}]})]
    numbering.number(app, page, notebook)
    assert "".join(json.loads(notebook[0])["cells"][0]["source"]) == built
