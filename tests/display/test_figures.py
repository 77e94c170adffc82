"""Every figure: it can be read on any page and any phone, it repeats, it stands alone."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from helpers import RATES, assert_balanced, contrast, sweep, table

from warpbook.display import figures
from warpbook.display.figures import figure_of
from warpbook.display.plots import ladder, roofline
from warpbook.display.requests import draw_banks, draw_sectors

PAGES = {"light": ("#ffffff",), "dark": ("#111111", "#14181e", "#383838")}


def all_figures():
    rates = {"gb_per_s": [40.0, 400], "gflop_per_s": [2000.0, 30000]}
    return {
        "bars": ladder(table(**RATES), bound=4311, title="Copy"),
        "lines": ladder(sweep([1, 2, 4, 8], ["naive", "tiled"]), bound=4311),
        "roofline": roofline(pd.DataFrame(rates, index=["a", "b"])),
        "sectors": draw_sectors([8 * i for i in range(32)]),
        "banks": draw_banks([8 * i for i in range(32)]),
        "unmeasured": ladder(sweep([1, 2], ["naive"]) * np.nan),
    }


@pytest.mark.parametrize("page, palette", [("light", figures.DAY), ("dark", figures.NIGHT)])
def test_every_series_stands_out_from_the_page(page, palette):
    low = {(n, b): contrast(c, b) for n, c in palette.items() for b in PAGES[page]}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 3} == {}


def test_each_figure_is_an_image_with_its_alt_text_and_no_colour_of_its_own(gpu):
    for name, figure in all_figures().items():
        html, root = figure._repr_html_(), ElementTree.fromstring(figure.svg)
        assert root.get("role") == "img" and root.get("aria-label") == figure.alt == repr(figure)
        assert root.get("viewBox") and root.get("width") is None, name
        assert "currentColor" in figure.svg and 'class="warp-figure"' in html
        assert not re.findall(r"#[0-9a-f]{6}\b", figure.svg), f"{name}: a colour no page can set"
        used = set(re.findall(r"var\(--warp-(\w+)\)", figure.svg))
        assert used <= set(figures.DAY) == set(figures.NIGHT)
        assert_balanced(re.sub(r"<(\w+)([^<>]*)/>", r"<\1\2></\1>", html))


def test_ids_are_unique_on_a_page_and_point_at_something(gpu):
    page = "".join(f.svg for f in all_figures().values())
    ids = re.findall(r'\bid="([^"]+)"', page)
    targets = re.findall(r'(?:url\(|href=")#([^")]+)', page)
    assert len(ids) == len(set(ids)) and set(targets) == set(ids)


def test_the_same_data_give_the_same_bytes(gpu):
    once, again = all_figures(), all_figures()
    assert {n: f._repr_html_() for n, f in once.items()} == {
        n: f._repr_html_() for n, f in again.items()
    }
    other = ladder(table(**{**RATES, "naive": 999.0}))
    assert other.svg != once["bars"].svg


def test_text_is_large_enough_for_a_phone(gpu):
    """A column of 358 px shows the SVG at 358 over its own width."""
    for name, figure in all_figures().items():
        width = float(ElementTree.fromstring(figure.svg).get("viewBox").split()[2])
        sizes = [float(s) for s in re.findall(r"font-size: ([\d.]+)px", figure.svg)]
        words = [s for s in sizes if s not in (9, 7)]  # the lane numbers inside the cells
        assert words and min(words) * 358 / width >= 9.5, name


def test_a_saved_figure_stands_alone(tmp_path):
    ladder(table(**RATES), bound=4311).save(tmp_path / "ladder.svg")
    text = (tmp_path / "ladder.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert "--warp-s0:#0072b2" in text and "prefers-color-scheme:dark" in text


def test_figure_of_turns_any_drawing_into_a_figure():
    figure = figure_of(
        lambda ax: ax.plot([0, 1], color=figures.COLOURS[1]), alt="a <line>", width=300
    )
    assert 'viewBox="0 0 300 300"' in figure.svg and "var(--warp-s1)" in figure.svg
    assert 'aria-label="a &lt;line&gt;"' in figure.svg
