"""Claims and the cells that are their controls."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from warpbook.recording import chapters, controls

CLAIM = """\
%matplotlib inline
ratio = 2
claim("It is {r:.1f} times "
      "as fast.", "r > 1", r=ratio)"""


def test_a_claim_that_names_no_control_is_listed(tmp_path):
    cells = [
        new_markdown_cell("It is faster.", id="text"),
        new_code_cell(chapters.ON_COLAB + "cp", id="set-up"),
        new_code_cell("bench(a=a, b=b)", id="run"),
        new_code_cell(CLAIM, id="without"),
        new_code_cell(CLAIM, id="with", metadata={"control": "run"}),
        new_code_cell("claim(words, '1 < 2')", id="worked-out"),
    ]
    path = tmp_path / "01_demo.ipynb"
    chapters.write(new_notebook(cells=cells), path)
    assert controls.missing(path) == [
        ("without", "It is {r:.1f} times as fast."),
        ("worked-out", "words"),
    ]


def test_a_control_that_is_no_code_cell_is_found():
    cells = [
        new_markdown_cell("text", id="text", metadata={"control": "run gone"}),
        new_code_cell("1", id="run", metadata={"control": "text"}),
    ]
    assert controls.unknown(new_notebook(cells=cells)) == ["gone", "text"]
