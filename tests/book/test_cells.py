"""How cells stand on a page: what book/_ext/cells.py does to its HTML and its text."""

import pytest
from docutils import nodes
from docutils.utils import new_document
from helpers import BOOK, module

cells = module(BOOK / "_ext" / "cells.py")


def test_a_page_keeps_the_first_of_what_outputs_carry_alike():
    html = "<style>a</style>1<style>b</style>2<style>a</style>3<script data-once>x</script>4"
    assert cells.once(
        html + "<script data-once>x</script>5<script>x</script>6<script>x</script>"
    ) == (html.replace("2<style>a</style>", "2") + "5<script>x</script>6<script>x</script>")


def test_a_tables_head_may_break_inside_of_a_name():
    html = "<th>gb_per_s</th><th>a/b c</th><td>gb_per_s</td><th>x_</th>"
    assert cells.breakable(html) == (
        "<th>gb_<wbr>per_<wbr>s</th><th>a/<wbr>b c</th><td>gb_per_s</td><th>x_</th>"
    )


@pytest.mark.parametrize("lines, marked", [(3, True), (2, False)])
@pytest.mark.parametrize("kind", ["stream highlight-ansi", "text_plain highlight-ansi"])
def test_what_is_printed_in_columns_is_marked(kind, lines, marked):
    html = f'<div class="output {kind}"><div><pre>{{}}</pre></div></div>'
    rows = "one    1\n" * lines
    prose = "A sentence.  Another one.\n" * 5
    assert ("warp-columns" in cells.columns(html.format(rows))) == marked
    assert cells.columns(html.format(prose) + html.format(rows)).startswith(html.format(prose))
    assert "warp-columns" not in cells.columns(html.format(rows + "&lt;" + 91 * "x" + ">"))


def test_a_number_and_its_unit_stay_together():
    document = new_document("page")
    text = "5 % of 3 GB/s, 2 ms, 7 KiB and 8 KB, but 4 masks and 6 GBit"
    document += nodes.paragraph("", "", nodes.Text(text), nodes.literal("", "5 %"))
    cells.Units(document).run()
    assert (
        document[0][0]
        == "5\xa0% of 3\xa0GB/s, 2\xa0ms, 7\xa0KiB and 8\xa0KB, but 4 masks and 6 GBit"
    )
    assert document[0][1].astext() == "5 %"


def test_a_compilers_option_stays_together():
    literal = '<span class="pre">{}</span>'.format
    assert cells.OPTION.sub(" warp-option", literal("-G")) == (
        '<span class="pre warp-option">-G</span>'
    )
    for other in (literal("n - 1"), literal("-" + 30 * "x")):
        assert cells.OPTION.sub(" warp-option", other) == other


def test_nothing_printed_is_in_no_columns():
    html = '<div class="output stream x"><pre></pre></div>'
    assert cells.columns(html) == html
