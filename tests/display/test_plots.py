"""The plots: what they say, and what they refuse."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from helpers import RATES, sweep, table, texts

from warpbook.display import plots
from warpbook.display.plots import ladder, roofline

# ------------------------------------------------------------------------------------------- ladder


def test_the_alt_text_of_a_ladder_says_every_bar_and_the_bound():
    assert ladder(table(**RATES), bound=4311, title="Copy").alt == (
        "Copy: GB/s, 3 bars. naive 1,234 (29 %), 1×; coalesced 3,912 (91 %), 3.17×; "
        "device_copy 4,102 (95 %), 3.32×. The bound is 4,311 GB/s, 100 %. ×: speedup over naive."
    )


def test_bars_are_labelled_with_name_value_and_share_in_the_tables_order():
    said = texts(ladder(table(**RATES), bound=4311))
    names = [t for t in said if t in RATES]
    assert names == list(RATES)
    assert {"1,234 (29 %)", "3,912 (91 %)", "4,102 (95 %)"} <= set(said)
    assert {"bound 4,311 (100 %)", "GB/s"} <= set(said)


def test_beside_each_bar_stands_its_speedup_over_the_first():
    said = texts(ladder(table(**RATES), bound=4311))
    assert [t for t in said if t.endswith("×")] == ["1×", "3.17×", "3.32×"]
    assert "×: speedup over naive" in said


def test_a_time_speeds_up_by_falling_and_its_share_is_that_of_the_tables():
    rows = pd.DataFrame({"ms": [8.0, 2.0, 10.0]}, index=["naive", "tiled", "worse"])
    said = texts(ladder(rows, "ms", "ms", bound=1.0))
    assert {"8 (12 %)", "2 (50 %)", "10 (10 %)", "1×", "4×", "0.8×"} <= set(said)


def test_a_speedup_is_left_out_where_it_would_say_nothing():
    def times(figure):
        return [t for t in texts(figure) if "×" in t] + re.findall("×", figure.alt)

    assert times(ladder(table(**RATES), speedup=False)) == []
    assert times(ladder(table(naive=float("nan"), tiled=1.0))) == []
    errors = pd.DataFrame({"error": [1e-3, 2e-3]}, index=["half", "float"])
    assert times(ladder(errors, "error", "relative error")) == []
    assert "2×" in texts(ladder(errors, "error", "results a clock", speedup=True))


def test_one_bar():
    figure = ladder(table(only=7.25), speedup=False)
    assert "7.25" in texts(figure) and figure.alt == "GB/s, 1 bar. only 7.25."


@pytest.mark.parametrize("bound", [None, 900.0, 120_000.0])
@pytest.mark.parametrize("name", ["a", "a_contestant_with_a_very_long_name"])
def test_labels_of_bars_keep_out_of_each_others_way(name, bound):
    rates = {name: 967.0, "b": 53_320.0, "c": 99_999.0, "d": 51_110.0}
    figure = ladder(table(**rates), bound=bound)
    root = ElementTree.fromstring(figure.svg)
    lines = [t for t in root.iter("{http://www.w3.org/2000/svg}text")]
    at = {"".join(t.itertext()): place(t) for t in lines}
    for value, gain in [
        ("967", "1×"),
        ("53,320", "55.1×"),
        ("99,999", "103×"),
        ("51,110", "52.9×"),
    ]:
        ((x, anchor),) = [spot for text, spot in at.items() if text.split(" ")[0] == value]
        end, side = at[gain]
        assert (anchor, side) == ("start", "end")
        text = next(text for text in at if text.split(" ")[0] == value)
        assert x + 7.4 * len(text) <= end - 7.4 * len(gain)


def place(text):
    """(x, the side that is there) of a text in an SVG."""
    found = re.search(r"translate\(([-\d.]+)", text.get("transform", ""))
    anchor = re.search(r"text-anchor: (\w+)", text.get("style", ""))
    return float(found[1] if found else text.get("x")), anchor[1] if anchor else "start"


def test_a_bar_that_was_not_measured_says_why():
    figure = ladder(table(naive=float("nan"), coalesced=100.0), bound=float("nan"))
    assert "not measured: needs a GPU" in texts(figure)
    assert figure.alt == "GB/s, 2 bars. naive not measured: needs a GPU; coalesced 100."


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
    ends = ["naive 1×", "cached 1×", "float4 0.999×", "shared 0.999×", "library 0.998×"]
    assert {*ends, "bound 4,311", "stride", "GB/s", "1", "1 Ki"} <= set(said)
    heights = sorted(label_y(figure, name) for name in [*ends, "bound 4,311"])
    assert min(np.diff(heights)) >= 15
    assert_inside(figure)
    assert "over stride from 1 to 2 Ki" in figure.alt
    assert "naive: from 4,000 to 1.95 GB/s, highest 4,000 at 1" in figure.alt
    assert figure.alt.endswith(f"Speedup at 2 Ki: {', '.join(ends)}.")
    assert "×" not in ladder(sweep(xs, ["alone"])).alt + ladder(sweep(xs, names), speedup=False).alt


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


def two_points():
    rates = {"gb_per_s": [40.0, 400], "gflop_per_s": [2000.0, 30000]}
    return roofline(pd.DataFrame(rates, index=["a", "b"]))


def test_the_alt_text_of_a_roofline_gives_each_kernels_share_of_its_roof(gpu):
    assert two_points().alt == (
        "Roofline of 2 kernels, GFLOP/s over flops per byte: a at 50 flops per byte reaches "
        "2,000 GFLOP/s, 3 % of the roof there; b at 75 flops per byte reaches 30,000 GFLOP/s, "
        "50 % of the roof there. The roofs: 4,000 GB/s of copy bandwidth, 60,000 GFLOP/s of "
        "float32 FMA."
    )


def test_a_roofline_labels_roofs_and_points(gpu):
    said = set(texts(two_points()))
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


@pytest.mark.parametrize(
    "given, message",
    [
        ([1, 2], "takes the table that bench returns, not a list"),
        (table(), "has no rows"),
        (pd.concat([table(a=1.0), table(a=2.0)]), "names a row twice"),
        (pd.DataFrame({"gb_per_s": ["fast"]}), "not numbers"),
        (pd.concat({"x": sweep([1, 2], ["a"])}), "has 3 levels"),
        (
            pd.concat({"naive": sweep([1], ["a"]).loc[1]}, names=["name"]),
            "positive numbers in rising",
        ),
        (sweep([0, 1], ["a"]), "'stride'.* positive numbers"),
        (sweep([4, 1], ["a"]), "rising order"),
    ],
    ids=["list", "empty", "twice", "text", "levels", "names", "zero", "falling"],
)
def test_a_wrong_table_is_refused_with_a_reason(given, message):
    with pytest.raises(ValueError, match=message):
        ladder(given)
