"""show, diff and listing: what they display, in the page's colours, and what they refuse."""

import re
from html import unescape

import pytest
from helpers import assert_balanced, contrast

from warpbook.display import listings
from warpbook.launch import source

OLD = """\
// demo/01_plain: the first version.
//
// Launch:   block (256)
// Cost:     8*n bytes, 0 flops
// Assumes:  nothing
extern "C" __global__
void demo_plain(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && 1 < 2) out[i] = in[i];
}
"""
NEW = OLD.replace("01_plain: the first", "02_twice: the second").replace("demo_plain", "demo_twice")
CHANGED = "// Changed:  in[i] -> 2.0f * in[i]\n//           (from 01_plain)\n"
NEW = NEW.replace("// Launch:", CHANGED + "// Launch:")
NEW = NEW.replace("out[i] = in[i]", "out[i] = 2.0f * in[i]")


@pytest.fixture
def demo(tmp_path, monkeypatch):
    """Two kernels, demo/01_plain and demo/02_twice, in a folder of their own."""
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/01_plain.cu").write_text(OLD, encoding="utf-8")
    (tmp_path / "demo/02_twice.cu").write_text(NEW, encoding="utf-8")
    monkeypatch.setattr(source, "KERNELS", tmp_path)
    return tmp_path


def visible(html):
    """What a reader can select: the text of the listing, without tags and style sheets."""
    body = re.search(r"<pre>(.*)</pre>", html, flags=re.S)[1]
    return unescape(re.sub(r"<[^>]+>", "", body))


@pytest.mark.parametrize("colours", [listings.LIGHT, listings.DARK], ids=["light", "dark"])
def test_every_colour_can_be_read_on_every_background(colours):
    tokens = [kind for _, kind in listings.KINDS] + ["ink"]
    pairs = [(t, b) for t in tokens for b in ("paper", "plus", "minus")]
    pairs += [("faint", b) for b in ("paper", "plus", "minus", "bar")] + [("ink", "bar")]
    low = {p: contrast(colours[p[0]], colours[p[1]]) for p in pairs}
    assert {p: c for p, c in low.items() if c < 4.5} == {}


def test_contrast_knows_a_pale_grey_from_black():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#999999", "#ffffff") < 4.5


def test_the_style_sheet_defines_each_colour_it_uses():
    used = set(re.findall(r"var\(--warp-(\w+)\)", listings.STYLE))
    assert used <= set(listings.LIGHT) and set(listings.LIGHT) == set(listings.DARK)
    pages = 'html[data-theme="dark"]', '[data-jp-theme-light="false"]', "prefers-color-scheme:dark"
    for dark in pages:
        assert dark in listings.STYLE


def test_show_displays_the_file_and_nothing_else(demo):
    shown = listings.show("demo/01_plain")
    assert repr(shown) == OLD.rstrip("\n")
    assert visible(shown._repr_html_()).rstrip() == OLD.rstrip()
    assert "kernels/demo/01_plain.cu" in shown.html


def test_every_kernel_of_the_book_can_be_shown():
    assert source.variants()
    for variant in source.variants():
        text = source.find(variant).read_text(encoding="utf-8")
        assert visible(listings.show(variant).html).rstrip() == text.rstrip(), variant


def test_a_listing_can_be_scrolled_and_named_without_a_mouse(demo):
    html = listings.show("demo/01_plain").html
    label = 'tabindex="0" role="region" aria-label="kernels/demo/01_plain.cu"'
    assert label in html and "user-select:none" in html


def test_the_html_is_well_formed(demo):
    for listing in (
        listings.show("demo/01_plain"),
        listings.diff("demo/01_plain", "demo/02_twice"),
    ):
        assert_balanced(listing.html)


def test_an_unknown_kernel_names_those_there_are(demo):
    with pytest.raises(LookupError, match="demo/01_plain, demo/02_twice"):
        listings.show("demo/03_gone")
    with pytest.raises(LookupError, match="demo/01_plain"):
        listings.diff("demo/01_plain", "demo/gone")


def test_diff_shows_the_edit_by_sign_and_leaves_the_header_out(demo):
    shown = listings.diff("demo/01_plain", "demo/02_twice")
    lines = repr(shown).splitlines()
    assert [x for x in lines if x.startswith("-") and x[1:2] != "-"] == [
        "-    if (i < n && 1 < 2) out[i] = in[i];"
    ]
    assert [x for x in lines if x.startswith("+") and x[1:2] != "+"] == [
        "+    if (i < n && 1 < 2) out[i] = 2.0f * in[i];"
    ]
    assert "Changed: in[i] -> 2.0f * in[i] (from 01_plain)" in lines
    assert "Left out: the header comments; the kernel's name, demo_plain → demo_twice." in lines
    assert "the second version" not in repr(shown)


def test_diff_marks_lines_in_html_by_sign_and_by_the_number_in_their_own_file(demo):
    html = listings.diff("demo/01_plain", "demo/02_twice").html
    gone, come = re.search(r"<del.*?</del>", html)[0], re.search(r"<ins.*?</ins>", html)[0]
    assert 'data-n="13"' in gone and "</span>- " in gone
    assert 'data-n="15"' in come and "</span>+ " in come
    assert "01_plain.cu → 02_twice.cu" in html and "in[i] -&gt; 2.0f * in[i]" in html


def test_diff_of_equal_code_says_so(demo):
    shown = listings.diff("demo/01_plain", "demo/01_plain")
    assert "The code is the same" in repr(shown) and "The code is the same" in shown.html


def test_distant_changes_are_two_hunks(demo):
    long = OLD.replace("int n)", "int n)" + "\n    // why" * 20)
    (demo / "demo/03_long.cu").write_text(long, encoding="utf-8")
    far = long.replace("in,   //", "source,   //").replace("1 < 2", "2 < 3")
    (demo / "demo/04_far.cu").write_text(far, encoding="utf-8")
    assert repr(listings.diff("demo/03_long", "demo/04_far")).splitlines().count("…") == 1


def test_a_margin_stands_under_its_line_and_is_text():
    shown = listings.listing("int a;\n  int b;\n", margin={2: "32 < 33"}, head="costs")
    assert repr(shown) == "        | int a;\n32 < 33 |   int b;"
    rows = re.findall(r'<span class="(w-line[^"]*)">(.*)</span>', shown.html)
    assert [style for style, _ in rows] == ["w-line", "w-line", "w-line w-cost"]
    assert rows[2][1].endswith("  ↑ 32 &lt; 33")
    assert 'aria-label="costs"' in shown.html


def test_a_margin_beyond_the_source_is_refused():
    with pytest.raises(ValueError, match="line 3 .* 2 lines"):
        listings.listing("int a;\nint b;\n", margin={3: "lost"})


def test_source_is_escaped():
    html = listings.listing('if (a < b && c > d) s = "<script>";').html
    assert "<script>" not in html and "&lt;" in html
