"""The report of lengths: it counts what it says."""

import math

import lengths
import nbformat
import pytest
from helpers import CHAPTERS, named
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


FORTY = "\n".join(['x = "a"'] * 40)
HTML = {
    "listing": '<span class="w-line">a</span><ins class="w-line">b</ins>'
    '<span class="w-line w-cost">c</span><del class="w-line w-gap">d</del>'
    '<details class="w-fold"><span class="w-line">e</span></details>',
    "claim": '<style>p {}</style><div class="warp-claim">It is 2 times.<details>(3 to 4)</details>',
    "figure": '<figure class="warp-figure"><svg></svg></figure>',
    "table": '<table class="dataframe"></table>',
    "hand": '<figure class="warp-explore" data-explore="banks"><table></table></figure>',
}


def code(source, html="", tags=(), text=""):
    new = nbformat.v4
    outputs = [new.new_output("display_data", {"text/html": html})] * bool(html)
    outputs += [new.new_output("stream", text=text)] * bool(text)
    return new_code_cell(source, outputs=outputs, metadata={"tags": list(tags)})


@pytest.mark.parametrize(
    "cell, found",
    [
        (new_markdown_cell("# One\n\n[two three](four.md#five) – **six**"), {"words": 4}),
        (new_markdown_cell("a n < 5 b\n\n```c\nint x;\n\nint y;\n```"), {"words": 4, "code": 2}),
        (
            new_markdown_cell("a\n\n<details>\n<summary>Hint</summary>\n\nb\n\n</details>"),
            {"words": 1},
        ),
        (code(FORTY), {"code": 40}),
        (code(FORTY, tags=["hide-input"]), {}),
        (code(FORTY, HTML["table"], tags=["setup", "hide-input"]), {}),
        (code(FORTY, HTML["table"], tags=["hide-input", "answer"]), {"tables": 1}),
        (code("x", text="a\nb\n"), {"code": 1}),
        (code("x", text="a\nb\nc\n"), {"code": 1, "tables": 1}),
        (code("f()", HTML["figure"]), {"code": 1, "tables": 1}),
        (code("trace(x)", HTML["table"] + HTML["listing"]), {"code": 1, "tables": 1, "listed": 2}),
        (code("claim(x)", HTML["claim"], tags=["hide-input"]), {"words": 4}),
        (code('predict("a", "b", "c")', "<table>"), {"predictions": 1}),
        (code('start("a/b")', HTML["listing"]), {"code": 1}),
        (code("explore(x)", HTML["hand"], tags=["hide-input"]), {"hands": 1}),
        (code("explore(x)", tags=["hide-input"]), {"hands": 1}),
        (code("%%gpu\nladder(x)", tags=["hide-input"]), {"tables": 1}),
        (code("show(name)", HTML["listing"]), {"code": 1, "listed": 2}),
    ],
)
def test_a_reader_goes_through_what_is_seen(cell, found):
    seen = lengths.seen(new_notebook(cells=[cell]))
    assert {what: count for what, count in seen.items() if count} == found


def test_a_listing_counts_as_it_is_shown_today_and_not_as_it_was():
    old = code('show("coalescing/01_strided")', HTML["listing"], tags=["hide-input"])
    lines = len(
        (source.KERNELS / "coalescing/01_strided.cu").read_text(encoding="utf-8").splitlines()
    )
    assert lengths.seen(new_notebook(cells=[old]))["listed"] == lines > 10
    changes = code('diff("coalescing/01_strided", "coalescing/02_offset")', tags=["hide-input"])
    assert 0 < lengths.seen(new_notebook(cells=[changes]))["listed"] < lines


@pytest.mark.parametrize("words, whole", [(90, 1), (89, 0), (269, 1), (270, 2), (180 * 31, 31)])
def test_minutes_are_rounded_to_the_nearest_one(words, whole):
    assert lengths.taken(dict.fromkeys(lengths.PACE, 0) | {"words": words}) == whole


def test_every_kind_has_its_pace():
    one = {"words": 180, "listed": 25, "code": 30, "tables": 2, "predictions": 4, "hands": 3}
    assert one.keys() == lengths.PACE.keys() and lengths.taken(one) == 1 + 1 + 1 + 1 + 3 + 6


@pytest.mark.parametrize("path", CHAPTERS, ids=named)
def test_a_page_says_the_minutes_that_are_computed(path):
    found = lengths.READING.findall(path.read_text(encoding="utf-8"))
    computed = lengths.taken(lengths.seen(nbformat.read(path, 4)))
    said = f"{path.name} takes {computed} minutes: python tools/lengths.py minutes --write"
    assert found == [str(computed)], said


def test_the_minutes_are_written_and_nothing_else(tmp_path, monkeypatch, capsys):
    text = f"# T\n\n*Reading: 7 minutes. Exercises: 7 minutes.*\n\n{'word ' * 540}"
    path, notes = tmp_path / "book" / "05_one.ipynb", tmp_path / "book" / "lab" / "05_one.ipynb"
    notes.parent.mkdir(parents=True)
    for place in (path, notes):
        nbformat.write(new_notebook(cells=[new_markdown_cell(text)]), place)
    before = path.read_text(encoding="utf-8")
    monkeypatch.setattr(lengths, "BOOK", path.parent)
    lengths.main(["minutes", "--write"])
    assert capsys.readouterr().out == "wrote book/05_one.ipynb\n"
    written = path.read_text(encoding="utf-8")
    assert written == before.replace("Reading: 7 ", "Reading: 3 ") != before
    assert "Reading: 7" in notes.read_text(encoding="utf-8")
    lengths.main(["minutes", "--write"])
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit, match="only the minutes"):
        lengths.main(["pages", "--write"])


@pytest.mark.parametrize("names", [[], ["kernels"]])
def test_the_report_has_a_row_for_each(capsys, names):
    lengths.main(names)
    told = capsys.readouterr().out
    assert all(variant in told for variant in source.variants())
    assert all((f"\n{path.stem} " in told) == (not names) for path in CHAPTERS)
    heads = "banks", "Lesson 1", "To a matrix product"
    assert all((head in told) == (not names) for head in heads)
