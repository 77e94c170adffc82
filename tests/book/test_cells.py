"""How cells stand on a page: what book/_ext/cells.py does to its HTML and its text."""

import pytest
from docutils import nodes
from docutils.utils import new_document
from helpers import BOOK, DESKTOP, PHONE, WIDE, look, module, violations

from warpbook.measure.claims import Claim

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


CELL = """
<div class="cell tag_hide-input docutils container"><details class="hide above-input">
<summary aria-label="Code"><p class="collapsed admonition-title">Code</p></summary>
<div class="cell_input"><pre>claim(...)</pre></div></details>
<div class="cell_output docutils container">{}</div></div>
"""
OUTPUT = '<div class="output text_html">{}</div>'
SEEN = """
const word = [...document.querySelectorAll('details.hide > summary')].map(n => n.checkVisibility());
const [p, claim] = ['p.before', '.warp-claim'].map(n => document.querySelector(n));
const styles = [p, claim].map(n => (({fontSize, lineHeight}) => [fontSize, lineHeight])(
  getComputedStyle(n)));
return [word, styles, p.clientWidth - claim.clientWidth];
"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_claim_is_a_paragraph_and_its_tick_leads_to_its_code(
    browser, tmp_path, folder_address, size
):
    holds, lost = (
        OUTPUT.format(Claim(status, "Four are 5 times as fast.", "4 to 6")._repr_html_())
        for status in ("holds", "not on this GPU")
    )
    other = OUTPUT.format("<p>a table</p>")
    body = "".join(map(CELL.format, (holds, lost, other + holds)))
    style = (BOOK / "_static" / "warp.css").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(
        "<!doctype html><html lang=en data-theme=light><title>x</title><meta charset=utf-8><meta "
        f"name=viewport content='width=device-width'><style>{style}</style><main "
        f'class="bd-main"><article class="bd-article"><p class="before">x</p>{body}',
        encoding="utf-8",
    )
    look(browser, f"{folder_address}/page.html", size)
    words, (text, claim), narrower = browser.execute_script(SEEN)
    assert words == [False, True, True]
    assert text == claim and narrower == 0
    browser.find_element("css selector", ".warp-claim summary").click()
    assert browser.execute_script(SEEN)[0] == [True, True, True]
    browser.find_element("css selector", "details.hide > summary").click()
    browser.find_element("css selector", ".warp-claim summary").click()
    assert browser.execute_script(SEEN)[0] == [True, True, True]  # what is open can be closed
    assert browser.execute_script(WIDE) == []
    assert violations(browser) == []
