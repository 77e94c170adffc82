"""What no machine changes on a page: compared, and written anew without a GPU."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from warpbook.recording import chapters, notebooks, same_everywhere


def page(source, said):
    output = new_output("execute_result", {"text/plain": said})
    return new_notebook(cells=[new_code_cell(source, id="a", outputs=[output])])


def same(source, one, other):
    """Whether a cell's two outputs are taken for the same; None if they are not compared."""
    found = list(same_everywhere.compared(page(source, one), page(source, other)))
    return found[0][2] if found else None


def test_a_listing_that_is_not_on_the_page_is_found():
    assert same("show('peaks/01_copy')", "one", "one")
    assert not same("show('peaks/01_copy')", "one", "two")


@pytest.mark.parametrize(
    "source",
    ["1", "bench(a=a)\nshow(a)", "%%gpu\ntrace(a)", "t[['ms']]; trace(a)", 't["ms"], trace(a)'],
)
def test_what_depends_on_the_machine_is_not_compared(source):
    assert same(source, "one", "two") is None


def test_what_is_printed_may_come_in_pieces():
    one, other = (page("trace(a)", "x") for _ in range(2))
    one.cells[0].outputs = [new_output("stream", text="two words\n")]
    other.cells[0].outputs = [new_output("stream", text=text) for text in ("two ", "words\n")]
    assert [alike for _, _, alike in same_everywhere.compared(one, other)] == [True]
    other.cells[0].outputs[1].text = "lines\n"
    assert [alike for _, _, alike in same_everywhere.compared(one, other)] == [False]


def test_of_a_kernel_with_two_codes_numbers_may_differ_and_words_may_not():
    assert "02_registers" in same_everywhere.varying()
    cell = 'trace(load("02_registers"))'
    assert same(cell, "requests  128", "requests 1152")
    assert not same(cell, "requests 128", "sectors 128")


def test_a_listing_is_written_anew_and_what_was_measured_stays(tmp_path, monkeypatch):
    path = tmp_path / "01_demo.ipynb"
    book = new_notebook(
        cells=[
            new_code_cell("def show(text):\n    return text", id="a"),
            new_code_cell("show('// a better comment')", id="b", execution_count=2),
            new_code_cell("print('measured here')", id="c", execution_count=3),
        ]
    )
    book.cells[1].outputs = [new_output("execute_result", {"text/plain": "'// a comment'"})]
    book.cells[2].outputs = [new_output("stream", text="measured there\n")]
    chapters.write(book, path)
    monkeypatch.setattr(chapters, "chapters", lambda: [path])
    assert same_everywhere.refresh() == [path]
    _, listing, measured = notebooks.read(path).cells
    assert listing.outputs[0].data == {"text/plain": "'// a better comment'"}
    assert measured.outputs[0].text == "measured there\n"
    assert same_everywhere.refresh(["01"]) == []
