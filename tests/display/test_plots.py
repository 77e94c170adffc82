"""The plots: what they say, that they can be read, that they repeat, and what they refuse."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from test_render import assert_balanced, contrast

from warpbook.display import plots, figures as svg
from warpbook.display.plots import banks, figure_of, ladder, roofline, sectors

PAGES = {"light": ("#ffffff",), "dark": ("#111111", "#14181e", "#383838")}
RATES = {"naive": 1234.5, "coalesced": 3912.0, "device_copy": 4102.3}


def table(**rates):
    rows = {"gb_per_s": list(rates.values())}
    return pd.DataFrame(rows, index=pd.Index(list(rates), name="contestant"))


def sweep(xs, names):
    """A table as pd.concat({x: bench(...)}) makes it: rates of about 4000 / x."""
    tables = {x: table(**{n: 4000 / max(x + i, 1) for i, n in enumerate(names)}) for x in xs}
    return pd.concat(tables, names=["stride"])


def texts(figure):
    """All text of a figure, in the order of drawing; the lines of a wrapped name are joined."""
    root = ElementTree.fromstring(figure.svg)
    return ["".join(t.itertext()).strip() for t in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.fixture
def gpu(monkeypatch):
    """A device with a bandwidth of 4,000 GB/s and 60 TFLOP/s."""
    fake = SimpleNamespace(copy_gb_per_s=4000.0, fma_tflop_per_s=60.0)
    monkeypatch.setattr(plots, "device", lambda: fake)


def all_figures():
    rates = {"gb_per_s": [40.0, 400], "gflop_per_s": [2000.0, 30000]}
    return {
        "bars": ladder(table(**RATES), bound=4311, title="Copy"),
        "lines": ladder(sweep([1, 2, 4, 8], ["naive", "tiled"]), bound=4311),
        "roofline": roofline(pd.DataFrame(rates, index=["a", "b"])),
        "sectors": sectors([8 * i for i in range(32)]),
        "banks": banks([8 * i for i in range(32)]),
        "unmeasured": ladder(sweep([1, 2], ["naive"]) * np.nan),
    }


# ------------------------------------------------------------------------------- how it can be read


@pytest.mark.parametrize("page, palette", [("light", svg.DAY), ("dark", svg.NIGHT)])
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
        assert used <= set(svg.DAY) == set(svg.NIGHT)
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
    text = (tmp_path / "ladder.svg").read_text()
    ElementTree.fromstring(text)
    assert "--warp-s0:#0072b2" in text and "prefers-color-scheme:dark" in text


# ------------------------------------------------------------------------------------------- ladder


def test_the_alt_text_of_a_ladder_says_highest_lowest_and_bound():
    assert ladder(table(**RATES), bound=4311, title="Copy").alt == (
        "Copy: GB/s, 3 bars. Highest: device_copy, 4,102 GB/s; lowest: naive, 1,234 GB/s; "
        "bound: 4,311 GB/s."
    )


def test_bars_are_labelled_with_name_value_and_share_in_the_tables_order():
    said = texts(ladder(table(**RATES), bound=4311))
    names = [t for t in said if t in RATES]
    assert names == list(RATES)
    assert {"1,234 (29 %)", "3,912 (91 %)", "4,102 (95 %)"} <= set(said)
    assert {"bound 4,311 (100 %)", "GB/s"} <= set(said)


def test_one_bar():
    figure = ladder(table(only=7.25))
    assert "7.25" in texts(figure) and figure.alt == "GB/s, 1 bar. Highest: only, 7.25 GB/s."


def test_a_bar_that_was_not_measured_says_why():
    figure = ladder(table(naive=float("nan"), coalesced=100.0), bound=float("nan"))
    assert "not measured: needs a GPU" in texts(figure)
    assert figure.alt.endswith("not measured: needs a GPU: naive.") and "bound" not in figure.alt


def test_nothing_measured():
    bars = ladder(table(naive=float("nan"), tiled=float("nan")))
    assert texts(bars).count("not measured: needs a GPU") == 2 and "nan" not in bars.svg.lower()
    lines = ladder(sweep([1, 2], ["naive"]) * np.nan)
    assert "not measured: needs a GPU" in texts(lines) and "naive" in lines.alt


def test_an_infinite_rate_is_not_drawn():
    assert "not measured: needs a GPU" in texts(ladder(table(broken=float("inf"), fine=1.0)))


def test_ten_contestants_with_long_names_fit():
    names = [f"a_contestant_with_a_very_long_name_{i}" for i in range(10)]
    figure = ladder(table(**{n: 100.0 * (i + 1) for i, n in enumerate(names)}))
    assert {"a_contestant_with_", "a_very_long_name_3"} <= set(texts(figure))
    assert_inside(figure)


def assert_inside(figure):
    """Every text begins inside the drawing."""
    root = ElementTree.fromstring(figure.svg)
    _, _, width, height = map(float, root.get("viewBox").split())
    place = r'<text [^>]*?(?:translate\(|x=")([-\d.]+)[ "]+(?:y=")?([-\d.]+)'
    spots = re.findall(place, figure.svg)
    assert len(spots) >= len(texts(figure)) / 2
    for x, y in spots:
        assert 0 <= float(x) <= width and 0 <= float(y) <= height


def test_a_sweep_names_each_line_at_its_end_without_overlap():
    xs, names = [2**i for i in range(12)], ["naive", "cached", "float4", "shared", "library"]
    figure = ladder(sweep(xs, names), bound=4311)
    said = texts(figure)
    assert {*names, "bound 4,311", "stride", "GB/s", "1", "1 Ki"} <= set(said)
    heights = sorted(label_y(figure, name) for name in [*names, "bound 4,311"])
    assert min(np.diff(heights)) >= 15
    assert_inside(figure)
    assert "over stride from 1 to 2 Ki" in figure.alt
    assert "naive: from 4,000 to 1.95 GB/s, highest 4,000 at 1" in figure.alt


def label_y(figure, name):
    found = re.search(rf'<text [^>]*?y="([-\d.]+)"[^>]*>{name}<', figure.svg)
    return float(found[1])


def test_labels_that_would_overlap_move_apart_and_keep_their_order():
    assert plots._spread([50.0, 50.0, 100.0], [20, 20, 20]) == [40.0, 60.0, 100.0]
    assert plots._spread([0.0, 1.0], [20, 20]) == [10.0, 30.0]
    wanted = list(np.random.default_rng(1).random(12) * 100 + 100)
    at = plots._spread(wanted, [16] * 12)
    assert list(np.argsort(at)) == list(np.argsort(wanted))
    assert np.diff(sorted(at)).min() >= 16 - 1e-9


def test_a_series_of_a_sweep_that_was_not_measured_is_named():
    rows = sweep([1, 2, 4], ["here", "gone"])
    rows.loc[(slice(None), "gone"), "gb_per_s"] = np.nan
    figure = ladder(rows)
    assert "gone: not measured: needs a GPU" in figure.alt
    assert "gone: not measured" in " ".join(texts(figure))


# ----------------------------------------------------------------------------------------- roofline


def test_the_alt_text_of_a_roofline_gives_each_kernels_share_of_its_roof(gpu):
    assert all_figures()["roofline"].alt == (
        "Roofline of 2 kernels, GFLOP/s over flops per byte: a at 50 flops per byte reaches "
        "2,000 GFLOP/s, 3 % of the roof there; b at 75 flops per byte reaches 30,000 GFLOP/s, "
        "50 % of the roof there. The roofs: 4,000 GB/s of copy bandwidth, 60,000 GFLOP/s of "
        "float32 FMA."
    )


def test_a_roofline_labels_roofs_and_points(gpu):
    said = set(texts(all_figures()["roofline"]))
    assert {"copy 4,000 GB/s", "FMA 60 TFLOP/s", "a", "b", "flops per byte", "GFLOP/s"} <= said


def test_a_roofline_without_a_gpu_says_so(gpu):
    rows = pd.DataFrame({"gb_per_s": [np.nan], "gflop_per_s": [np.nan]}, index=["a"])
    assert roofline(rows).alt == "Roofline of a: not measured: needs a GPU."


# --------------------------------------------------------------------------------- planted faults


def test_a_missing_column_names_those_there_are(gpu):
    with pytest.raises(ValueError, match="no column 'gflop_per_s'; it has gb_per_s"):
        ladder(table(**RATES), "gflop_per_s")
    with pytest.raises(ValueError, match="roofline: the table has no column 'gflop_per_s'"):
        roofline(table(**RATES))


@pytest.mark.parametrize("given, message", [
    ([1, 2], "takes the table that bench returns, not a list"),
    (table(), "has no rows"),
    (pd.concat([table(a=1.0), table(a=2.0)]), "names a row twice"),
    (pd.DataFrame({"gb_per_s": ["fast"]}), "not numbers"),
    (pd.concat({"x": sweep([1, 2], ["a"])}), "has 3 levels"),
    (pd.concat({"naive": sweep([1], ["a"]).loc[1]}, names=["name"]), "positive numbers in rising"),
    (sweep([0, 1], ["a"]), "'stride'.* positive numbers"),
    (sweep([4, 1], ["a"]), "rising order"),
], ids=["list", "empty", "twice", "text", "levels", "names", "zero", "falling"])  # fmt: skip
def test_a_wrong_table_is_refused_with_a_reason(given, message):
    with pytest.raises(ValueError, match=message):
        ladder(given)


# ------------------------------------------------------------------------------------- mechanisms


@pytest.mark.parametrize(
    "stride, moved, share", [(1, 4, 100), (2, 8, 50), (4, 16, 25), (32, 32, 12.5)]
)
def test_sectors_counts_as_the_profiler_does(stride, moved, share):
    alt = sectors([4096 + 4 * stride * lane for lane in range(32)]).alt
    assert f"{moved} sectors of 32 bytes, {share} % of the bytes used" in alt
    assert f"32 lanes of a warp ask memory for 4 bytes each, {4 * stride} bytes apart" in alt


def test_sectors_of_a_shifted_a_wide_and_a_broadcast_request():
    assert "5 sectors of 32 bytes, 80 %" in sectors([4 * i + 4 for i in range(32)]).alt
    assert "16 sectors of 32 bytes, 100 %" in sectors([16 * i for i in range(32)], 16).alt
    one = sectors([64] * 32)
    assert "all at one address: 1 sector of 32 bytes, 12.5 %" in one.alt and "0+" in texts(one)


def test_idle_lanes_ask_for_nothing():
    figure = sectors([None] * 24 + [4 * i for i in range(24, 32)])
    assert "8 lanes" in figure.alt and "1 sector of 32 bytes, 100 %" in figure.alt
    assert "24" in texts(figure) and "23" not in texts(figure)


def test_many_lines_are_counted_and_not_all_drawn():
    assert "and 24 more lines" in texts(sectors([128 * i for i in range(32)]))


@pytest.mark.parametrize("stride, wavefronts", [(1, 1), (2, 2), (3, 1), (4, 4), (32, 32), (33, 1)])
def test_banks_counts_as_the_profiler_does(stride, wavefronts):
    alt = banks([4 * stride * lane for lane in range(32)]).alt
    way = "no bank conflict" if wavefronts == 1 else f"{wavefronts}-way bank conflict"
    assert f"{wavefronts} wavefront" in alt and way in alt


@pytest.mark.parametrize("bytes_each, wavefronts", [(4, 1), (8, 2), (16, 4)])
def test_wide_accesses_take_a_pass_for_each_part_of_the_warp(bytes_each, wavefronts):
    alt = banks([bytes_each * lane for lane in range(32)], bytes_each).alt
    assert f"{wavefronts} wavefront" in alt and "no bank conflict" in alt


def test_neighbours_that_share_an_address_halve_the_passes():
    assert "2 wavefronts, no bank" in banks([16 * (lane // 2) for lane in range(32)], 16).alt
    assert "1 wavefront, no bank" in banks([0] * 32).alt


@pytest.mark.parametrize("draw", [sectors, banks])
def test_what_is_no_request_of_a_warp_is_refused(draw):
    with pytest.raises(ValueError, match="1 to 32 addresses, not 33"):
        draw([4 * i for i in range(33)])
    with pytest.raises(ValueError, match="0 are in use"):
        draw([None] * 32)
    with pytest.raises(ValueError, match="multiple of that size"):
        draw([2], 4)


def test_figure_of_turns_any_drawing_into_a_figure():
    figure = figure_of(lambda ax: ax.plot([0, 1], color=svg.LIGHT[1]), alt="a <line>", width=300)
    assert 'viewBox="0 0 300 300"' in figure.svg and "var(--warp-s1)" in figure.svg
    assert 'aria-label="a &lt;line&gt;"' in figure.svg
