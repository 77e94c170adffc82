"""show, diff and listing: what they display, in the page's colours, and what they refuse."""

import re
from html import unescape
from types import SimpleNamespace

import pytest
from helpers import (
    BOOK,
    DESKTOP,
    PHONE,
    WIDE,
    assert_balanced,
    contrast,
    errors,
    look,
    module,
    show_as,
    violations,
)
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from warpbook.display import listings
from warpbook.display.machine_code import MachineCode
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


LONG = OLD.replace("{\n", "{\n" + "    // why\n" * 20, 1)


def test_a_long_diff_folds_behind_its_first_changes_and_nothing_is_lost(demo):
    text = LONG.replace("(\n", "(\n" + "    // shape\n" * 20, 1)
    last = "".join(f"    out[{i}] = 0.0f;\n" for i in range(50))
    far = text.replace("in,   //", "source,   //").replace("}\n", last + "}\n")
    (demo / "demo/03_long.cu").write_text(text, encoding="utf-8")
    (demo / "demo/04_far.cu").write_text(far, encoding="utf-8")
    shown = listings.diff("demo/03_long", "demo/04_far")
    seen, folded = shown.html.split('<details class="w-fold">')
    assert "<summary>The rest of the change: 50 added, 0 removed lines</summary>" in folded
    assert seen.count("<ins") == seen.count("<del") == 1 and folded.count("<ins") == 50
    assert repr(shown).count("] = 0.0f;") == 50
    assert "data-cut" in seen and "data-cut" in folded
    # Where the first changes alone are as long, all of it folds.
    (demo / "demo/05_end.cu").write_text(text.replace("}\n", last + "}\n"), encoding="utf-8")
    (demo / "demo/06_more.cu").write_text(text.replace("}\n", 2 * last + "}\n"), encoding="utf-8")
    seen, folded = listings.diff("demo/03_long", "demo/06_more").html.split("<details ")
    assert "The change: 100 added, 0 removed lines" in folded and "<pre>" not in seen
    assert "Left out" in seen
    assert "<details" not in listings.diff("demo/03_long", "demo/05_end").html


PARTED = """\
// demo/05_parted: with functions of its own.
// Assumes:  nothing
#ifndef TILE
#define TILE 32
#endif
#include "parts.cuh"

// Twice.
/* Always. */
template <int N>
__device__ __forceinline__ float twice(float x)   // why
{
    return N * x;
}

__device__ float thrice(float x) { return 3 * x; }

int unseen;

// The kernel.
extern "C" __global__ void __launch_bounds__(32)
demo_parted(float* x)
{
    x[0] = shared(twice<2>(x[0]));
}
"""
PARTS = """\
// demo/parts: common.

// One.
__device__ float shared(float x) { return x; }
// Two.
__device__ float shared(float x, int n) { return x; }
__device__ float other(float x) { return x; }
"""


@pytest.fixture
def parted(demo):
    """demo/05_parted, whose functions lie in its file and in parts.cuh."""
    (demo / "demo/05_parted.cu").write_text(PARTED, encoding="utf-8")
    (demo / "demo/parts.cuh").write_text(PARTS, encoding="utf-8")
    return "demo/05_parted"


def numbers(html):
    """The line numbers of a listing's first part, with … where it leaves lines out."""
    rows = re.findall(r'data-n="(\d*)"></span>(…?)', re.search("<pre>.*?</pre>", html, re.S)[0])
    return [gap or int(number) for number, gap in rows]


def test_some_functions_stand_with_their_comments_and_line_numbers(parted):
    shown = listings.show(parted, only="twice")
    assert numbers(shown.html) == list(range(8, 15))
    said = "\n".join(PARTED.splitlines()[7:14])
    assert repr(shown) == f"kernels/demo/05_parted.cu: twice\n{said}"
    both = listings.show(parted, only=("demo_parted", "twice"))
    assert numbers(both.html) == [*range(8, 15), "…", *range(20, 26)]
    assert "twice, demo_parted</p>" in both.html and "\n…\n// The kernel." in repr(both)
    assert numbers(listings.show(parted, only=("thrice", "twice")).html) == list(range(8, 17))


def test_the_whole_file_is_folded_below_some_functions(parted):
    shown = listings.show(parted, only="twice")
    _, folded = shown.html.split('<details class="w-fold">')
    assert folded.startswith("<summary>The whole file: 25 lines</summary>")
    assert visible(folded).rstrip() == PARTED.rstrip()
    assert_balanced(shown.html)


def test_a_header_is_no_comment_on_the_kernel_below_it(demo):
    assert numbers(listings.show("demo/01_plain", only="demo_plain").html) == list(range(6, 15))


def test_functions_of_parts_cuh_can_be_shown_where_it_is_included(parted):
    shown = listings.show(parted, only=("shared", "twice"))
    heads = re.findall('<div class="w-head"><p>(.*?)</p>', shown.html)
    assert heads == ["kernels/demo/05_parted.cu: twice", "kernels/demo/parts.cuh: shared"]
    assert repr(shown).endswith("parts.cuh: shared\n" + "\n".join(PARTS.splitlines()[2:6]))
    assert shown.html.count("<summary>") == 2
    assert numbers(listings.show("demo/parts.cuh", only="other").html) == [7]
    with pytest.raises(LookupError, match="no function 'shared'. There are: demo_plain.$"):
        listings.show("demo/01_plain", only="shared")


def test_an_unknown_function_names_those_there_are(parted):
    known = "There are: twice, thrice, demo_parted; in parts.cuh: shared, other"
    with pytest.raises(LookupError, match=f"05_parted.cu has no function 'gone'.*{known}"):
        listings.show(parted, only=("twice", "gone"))


def test_functions_of_python_can_be_shown(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("import a\n\n\n@a.jit\ndef one(x):\n    return x\n", encoding="utf-8")
    shown = listings.show(SimpleNamespace(path=path), only="one")
    assert numbers(shown.html) == [4, 5, 6] and repr(shown).startswith("kernel.py: one\n@a.jit")


def test_every_function_of_the_book_can_be_shown_alone():
    for variant in source.variants():
        path = source.find(variant)
        entry = source.parse(path).entry
        assert entry in repr(listings.show(variant, only=entry)), variant


# The button that copies.

COPIED = """
const done = arguments[arguments.length - 1], copied = [];
navigator.clipboard.writeText = async text => copied.push(text);
document.querySelectorAll('details').forEach(fold => fold.open = true);
document.querySelectorAll('.w-copy').forEach(button => button.click());
setTimeout(() => done([copied, document.querySelector('.w-copy').textContent]), 50);
"""


def open_page(browser, folder, address, *shown):
    once = module(BOOK / "_ext" / "cells.py").once
    html = once("".join(one if isinstance(one, str) else one._repr_html_() for one in shown))
    (folder / "page.html").write_text(
        "<!doctype html><html lang=en><title>x</title><meta charset=utf-8><meta name=viewport "
        f"content='width=device-width'><main style='margin:8px'>{html}</main>",
        encoding="utf-8",
    )
    return look(browser, f"{address}/page.html")


def test_the_button_copies_code_without_numbers_signs_and_costs(
    browser, parted, demo, tmp_path, folder_address
):
    shown = [
        listings.show("demo/01_plain"),
        listings.diff("demo/01_plain", "demo/02_twice"),
        listings.show(parted, only=("demo_parted", "twice")),
        listings.listing("int a;\n", margin={1: "32"}),
        MachineCode("machine code", ("FFMA R1", "EXIT")),
    ]
    open_page(browser, tmp_path, folder_address, *shown)
    copied, said = browser.execute_async_script(COPIED)
    lines = PARTED.splitlines()
    assert said == "Copied"
    assert copied[0] == OLD and copied[3] == PARTED
    assert copied[1] == "\n".join(NEW.splitlines()[11:]) + "\n"
    assert copied[2] == "\n".join([*lines[7:14], "", *lines[19:]]) + "\n"
    assert copied[4:] == ["int a;\n", "FFMA R1\nEXIT\n"]


def test_the_button_works_from_the_keyboard_and_without_a_clipboard(
    browser, demo, tmp_path, folder_address
):
    open_page(browser, tmp_path, folder_address, listings.show("demo/01_plain"))
    button = browser.find_element("css selector", ".w-copy")
    assert button.get_attribute("aria-label") == "Copy the code: kernels/demo/01_plain.cu"
    browser.execute_script(
        "navigator.clipboard.writeText = () => Promise.reject();"
        "document.execCommand = what => window.did = [what, document.activeElement.value]"
    )
    button.send_keys(Keys.ENTER)
    said = WebDriverWait(browser, 5).until(lambda b: b.execute_script("return window.did"))
    assert said == ["copy", OLD]
    assert browser.switch_to.active_element == button
    assert errors(browser) == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_is_folded_opens_in_full_width_and_scrolls_by_itself(
    browser, parted, tmp_path, folder_address, size, dark
):
    wide = f'extern "C" __global__ void wide() {{ int {"x" * 300}; }}\n'
    (tmp_path / "demo/07_wide.cu").write_text(wide, encoding="utf-8")
    open_page(browser, tmp_path, folder_address, listings.show("demo/07_wide", only="wide"))
    show_as(browser, size, dark)
    browser.execute_script("document.querySelector('details').open = true")
    assert browser.execute_script(WIDE) == []
    seen, folded = browser.execute_script(
        "return [...document.querySelectorAll('.w-body')].map(n => [n.clientWidth, "
        "n.scrollWidth > n.clientWidth, getComputedStyle(n).overflowX])"
    )
    assert seen == folded and folded[1:] == [True, "auto"]
    assert violations(browser) == []


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
