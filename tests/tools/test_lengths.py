"""The report of lengths: it counts what it says."""

import math

import lengths
import pytest
from helpers import CHAPTERS
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from warpbook.launch import source

OLD = "// topic/01_a: one.\n// Launch:   block (32)\nint a;\nint b;\n"
NEW = """\
// topic/02_b: two.
//
// Changed:  c is new
//           (from 01_a)
int a;
int c;
int d;
"""


def test_a_step_counts_its_lines_of_code_and_not_its_header():
    assert lengths.body(OLD) == ["int a;", "int b;"]
    assert lengths.changed(OLD, NEW) == 2 == lengths.changed(NEW, OLD)
    assert lengths.changed(OLD, OLD) == 0


def test_a_step_starts_from_the_kernel_it_names_or_from_the_one_above(tmp_path):
    for name, text in {"01_a": OLD, "01_z": OLD, "02_b": NEW, "03_c": OLD}.items():
        (tmp_path / f"{name}.cu").write_text(text, encoding="utf-8")
    starts = {p.stem: lengths.before(p) for p in sorted(tmp_path.glob("*.cu"))}
    assert {name: start and start.stem for name, start in starts.items()} == {
        "01_a": None,
        "01_z": "01_a",
        "02_b": "01_a",
        "03_c": "02_b",
    }


def test_a_page_counts_words_and_cells_without_the_set_up():
    cells = [
        new_markdown_cell("# One\n\ntwo three"),
        new_code_cell("a\n" * 30, metadata={"tags": ["setup"]}),
        new_code_cell("a = 1"),
        new_code_cell("b" * 80 + "\nc\nd"),
    ]
    row = lengths.page(new_notebook(cells=cells))
    assert list(row.values())[:6] == [4, 2, 2, 3, 80, 1]


def test_a_page_says_where_its_first_exercise_stands_and_what_it_links_twice():
    term = "[a](glossary.md#a)"
    cells = [new_markdown_cell(f"{term} {term} b"), new_code_cell('start("a/b")')]
    row = lengths.page(new_notebook(cells=cells))
    assert (row["first exercise, %"], row["linked twice"]) == (75, 1)
    assert math.isnan(lengths.page(new_notebook(cells=cells[:1]))["first exercise, %"])


@pytest.mark.parametrize("names", [[], ["kernels"]])
def test_the_report_has_a_row_for_each(capsys, names):
    lengths.main(names)
    told = capsys.readouterr().out
    assert all(variant in told for variant in source.variants())
    assert all((path.stem in told) == (not names) for path in CHAPTERS)
    assert all((head in told) == (not names) for head in ("banks", "Lesson 1", "Six hours"))
