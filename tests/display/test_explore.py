"""Figures under the reader's hand: they count as the package does, in words and in the drawing."""

import heapq
import json
import math
import random
import re
import statistics
import sys
from contextlib import contextmanager
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from helpers import (
    BOOK,
    DESKTOP,
    NOTEBOOKS,
    PHONE,
    WIDE,
    assert_balanced,
    contrast,
    errors,
    look,
    module,
    named,
    violations,
)
from hopper_helpers import HEAD
from py_mini_racer import MiniRacer

import warpemu
from warpbook import explore, launch_line, load, occupancy, resources, results, trace
from warpbook.display.explore import Explorable, scripts
from warpbook.display.explore.figures import CAPABILITY, FIGURES, MEASURED
from warpbook.display.explore.scripts import FOLDER, FRAMES, frames, script
from warpbook.display.figures import DAY, NIGHT
from warpbook.measure import bench
from warpbook.profiles import DATA_SHEET, SM_LIMITS
from warpemu import nvrtc, rules
from warpemu.ops import ldmatrix, mma

NAMES = list(FIGURES)


def settings(name, number):
    """Random places of a figure's knobs, with more weight on the ends, and all its starts."""
    rng = random.Random(5)
    knobs = FIGURES[name].knobs
    yield {key: knob.start for key, knob in knobs.items()}
    for _ in range(number):
        yield {key: place(knob, rng) for key, knob in knobs.items()}


def place(knob, rng):
    """A random place of a knob; of a number, often small."""
    choices = list(knob.choices) if isinstance(knob.choices, dict) else knob.choices
    if rng.random() < 0.05:
        return rng.choice([choices[0], choices[-1]])
    if knob.step == 0 or (knob.step and rng.random() < 0.5):
        low = max(1, choices[0])
        return round(low * (choices[-1] / low) ** rng.random())
    return rng.choice(choices)


def found_at(name, **state):
    """What a figure's script finds, the knobs that are not named at their starts."""
    return turned(name, [state])[0][1]


def turned(name, states):
    """What a figure's script finds at each of so many random settings, or at each of these.

    Pairs of a setting, with all its knobs, and what is found there.
    """
    starts = {key: knob.start for key, knob in FIGURES[name].knobs.items()}
    states = settings(name, states) if isinstance(states, int) else states
    full = [starts | state for state in states]
    return list(zip(full, (found for found, _ in frames(name, full)), strict=True))


@cache
def kit():
    """The functions that the scripts share."""
    engine = MiniRacer()
    engine.eval(f"window = {{}};{script('kit')}\n{script('plot')}")
    return engine


def short(value):
    return kit().call("short", value)


def amount(value, unit):
    return kit().call("amount", value, unit)


def drawn(found, *classes):
    """The boxes of a drawing's paths of these classes: arrays of their widths and heights."""
    numbers = [
        (float(width), float(height))
        for name, d in found["paths"]
        if name in classes
        for width, height in re.findall(r"h([\d.]+)v([\d.]+)H", d)
    ]
    return np.array(numbers).reshape(-1, 2).T


# The scripts against the package: the emulator's rules, its counters, occupancy(), bench.


def test_sectors_are_those_of_the_emulator():
    for state, found in turned("sectors", 500):
        at = (state["stride"] * np.arange(32) + state["offset"]) * state["width"]
        assert found["sectors"] == rules.distinct((at >> rules.SECTOR)[None])[1].sum()
        used = {byte for a in at.tolist() for byte in range(a, a + state["width"])}
        assert found["share"] == pytest.approx(100 * len(used) / (32 * found["sectors"]), rel=5e-3)
        assert found["lines"] == len({byte // 128 for byte in used})


def tile_addresses(access, row, pad, swizzle, width):
    """The byte address that each of the 32 lanes reads in a row-major tile."""
    lane = rules.LANE
    r, c = {
        "row": (lane // row, lane % row),
        "column": (lane, 0 * lane),
        "pairs": (lane // 2, 0 * lane),
    }[access]
    if swizzle:
        c = c ^ r % (row & -row)
    return width * (r * (row + pad) + c)


def test_wavefronts_are_those_of_the_emulator():
    for state, found in turned("banks", 500):
        addresses = tile_addresses(**state)
        (wavefronts,), (passes,) = rules.wavefronts(addresses[None], state["width"])
        assert (found["wavefronts"], found["conflicts"]) == (wavefronts, wavefronts - passes)


@pytest.mark.parametrize("swizzle", [0, 1])
@pytest.mark.parametrize("row", range(1, 65))
def test_a_swizzle_moves_elements_only_within_their_row(row, swizzle):
    at = tile_addresses("row", row, 0, swizzle, 4) // 4
    lanes = np.arange(32)
    assert sorted(set(at.tolist())) == sorted(at.tolist()) and (at // row == lanes // row).all()


@pytest.mark.parametrize(
    "state, said",
    [
        ({"row": 32}, "32 wavefronts, 32-way bank conflict, 31 more"),
        ({"row": 32, "pad": 1}, "1 wavefront, no bank conflict"),
        ({"row": 32, "swizzle": 1}, "1 wavefront, no bank conflict"),
        ({"access": "row", "width": 16}, "4 wavefronts, no bank conflict"),
        ({"access": "pairs", "row": 1, "width": 16}, "2 wavefronts, no bank conflict"),
    ],
)
def test_banks_of_a_case_worked_by_hand(state, said):
    assert said in repr(explore("banks", **state))


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "1 request moves 4 sectors of 32 bytes, in 1 line of 128 bytes. 100 %"),
        ({"offset": 1}, "5 sectors of 32 bytes, in 2 lines of 128 bytes. 80 %"),
        ({"stride": 8}, "32 sectors of 32 bytes, in 8 lines of 128 bytes. 12.5 %"),
        ({"stride": 0}, "all at one address: 1 request moves 1 sector"),
        ({"width": 1}, "ask for 1 byte each, 1 byte apart: 1 request moves 1 sector of 32 bytes"),
        ({"width": 2, "offset": 1}, "3 sectors of 32 bytes, in 1 line of 128 bytes. 66.7 %"),
        ({"width": 16}, "16 sectors of 32 bytes, in 4 lines of 128 bytes. 100 %"),
    ],
)
def test_sectors_of_a_case_worked_by_hand(state, said):
    assert said in repr(explore("sectors", **state))


def scheduled(blocks, places, slow):
    """Run blocks as the hardware does: a place that is free takes the next. When the last ends."""
    free = [0] * places
    for block in range(blocks):
        heapq.heapreplace(free, free[0] + (slow if block == blocks - 1 else 1))
    return max(free)


def test_a_grid_takes_as_long_as_its_blocks_one_after_the_other():
    for state, found in turned("waves", 500):
        blocks, slow = state["blocks"], state["slow"]
        room = state["sms"] * state["places"]
        assert found["time"] == scheduled(blocks, room, slow)
        assert found["waves"] == scheduled(blocks, room, 1)
        assert found["last"] == blocks - (found["waves"] - 1) * room
        used = 100 * (blocks - 1 + slow) / (room * found["time"])
        assert float(found["share"]) == pytest.approx(used, rel=6e-3)


def test_the_timeline_is_to_scale():
    for state, found in turned("waves", 500):
        room, (blocks, slow) = state["sms"] * state["places"], (state["blocks"], state["slow"])
        widths, heights = drawn(found, "w-used")
        whole = 380 * min(264, 44 * state["sms"])
        assert (widths * heights).sum() / whole == pytest.approx(
            blocks // room / found["time"], abs=2e-3
        )
        if slow == 1 and whole / 380 / room >= 1:  # a place is at least a pixel
            widths, heights = drawn(found, "w-hot", "w-tail")
            share = blocks % room / (room * found["time"])
            assert (widths * heights).sum() / whole == pytest.approx(share, rel=0.15, abs=2e-3)


def asked(state):
    """What the figure's knobs are in occupancy()'s words."""
    capability = CAPABILITY[state["gpu"]][1]
    levels, carveout = SM_LIMITS[capability].levels, state["carveout"]
    level = min((kb for kb in levels if kb >= carveout > 0), default=levels[-1])
    return state["threads"], state["registers"], state["shared"], capability, level


def test_an_sm_is_filled_as_occupancy_says():
    for state, found in turned("sm", 500):
        threads, *rest = asked(state)
        want = occupancy(threads, *rest)
        assert found["blocks"] == want.blocks and found["binding"] == want.binding
        registers, shared = (words for _, _, words, _ in found["texts"][2:4])
        assert "Registers" in registers and "bytes" not in registers and " bytes" in shared
        bold = [
            words.partition(":")[0].lower()
            for _, _, words, name in found["texts"]
            if name == "w-bold"
        ]
        assert [name.partition(" ")[0] for name in bold] == [
            {"threads": "warp", "blocks": "block"}.get(name, name).partition(" ")[0]
            for name in want.binding
        ]
        sizes = range(32, 1025, 32)
        assert found["curve"] == [occupancy(size, *rest).share for size in sizes]
        assert len(drawn(found, "w-used", "w-hot")[0]) == len(
            [share for share in found["curve"] if share]
        ) + (3 + bool(want.limits.get("shared memory"))) * bool(want.blocks)


def test_what_it_says_to_change_is_the_least_that_helps():
    kinds = {"registers a": 0, "bytes of": 0, "would reach": 0, "No one change": 0}
    for state, found in turned("sm", 400):
        threads, registers, shared, *rest = asked(state)
        said = found["said"]
        now = occupancy(threads, registers, shared, *rest)
        kinds = {kind: n + (kind in said) for kind, n in kinds.items()}

        def more(threads=threads, registers=registers, shared=shared, now=now, rest=rest):
            return occupancy(threads, registers, shared, *rest).share > now.share

        fewer = [r for r in range(1, registers) if more(registers=r)]
        told = re.search(r"With (\d+) registers? a thread, (\d+) block", said)
        assert (int(told[1]) if told else None) == max(fewer, default=None), state
        if told:
            assert occupancy(threads, int(told[1]), shared, *rest).blocks == int(told[2])
        told = re.search(r"With ([\d,]+) bytes of shared memory a block, (\d+) block", said)
        if told:
            least = int(told[1].replace(",", ""))
            assert occupancy(threads, registers, least, *rest).blocks == int(told[2])
            assert more(shared=least) and not more(shared=least + 1)
        else:
            assert not any(more(shared=size) for size in range(0, shared, 1024))
        told = re.search(r"Blocks of (\d+) threads would reach", said)
        if told:
            assert more(threads=int(told[1]))
        if "No one change" in said:
            assert not any(more(threads=size) for size in range(32, 1025, 32))
        assert ("It is full." in said) == (now.share == 1)
    assert min(kinds.values()) >= 10, kinds


def test_every_sm_has_a_gpu_by_name():
    assert {capability for _, capability in CAPABILITY.values()} == set(SM_LIMITS)


def test_the_least_time_is_that_of_bench(monkeypatch):
    class Rates:
        pass

    monkeypatch.setattr(bench, "device", Rates)
    for state, found in turned("roofline", 500):
        Rates.copy_gb_per_s, fma = (MEASURED | DATA_SHEET)[state["gpu"]]
        Rates.fma_tflop_per_s = fma / 1e3
        want = bench.bound_ms(state["bytes"], state["flops"])
        assert found["least"] * 1e3 == pytest.approx(want)
        assert found["least"] == max(found["memory"], found["arithmetic"])
        right_of_ridge = state["flops"] / state["bytes"] > fma / Rates.copy_gb_per_s
        assert (found["limit"] == "arithmetic") == right_of_ridge
        (blue,), (orange,) = (drawn(found, name)[0] for name in ("w-used", "w-hot"))
        ratio = found["memory"] / found["arithmetic"]
        assert max(blue, orange) == 250
        assert min(blue, orange) == pytest.approx(250 * min(ratio, 1 / ratio), abs=0.51)


@pytest.mark.parametrize("gpu", MEASURED)
def test_the_rates_of_a_recorded_gpu_are_those_measured_on_it(gpu):
    stamps = [
        stamp
        for folder in sorted(results.FOLDER.iterdir())
        for stamp in results.read_stamps(folder.name).values()
        if gpu in stamp["gpu"]
    ]
    copy, fma = MEASURED[gpu]
    assert copy == pytest.approx(statistics.median(s["copy_gb_per_s"] for s in stamps), rel=0.01)
    assert fma == pytest.approx(
        1e3 * statistics.median(s["fma_tflop_per_s"] for s in stamps), rel=0.01
    )


TILED = (
    [("03_tiled", 64, {"bm": tile, "bn": tile, "bk": tile}) for tile in (1, 2, 4, 8, 16, 32)]
    + [
        ("04_rectangular", 64, dict(zip(("bm", "bn", "bk"), shape, strict=True)))
        for shape in [
            (32, 32, 8),
            (8, 64, 16),
            (64, 8, 2),
            (16, 32, 1),
            (1, 64, 4),
            (4, 4, 64),
            (2, 8, 32),
            (64, 1, 8),
        ]
    ]
    + [
        ("08_thread_2d", 128, dict(zip(("bm", "bn", "bk"), shape, strict=True)))
        for shape in [(128, 128, 8), (64, 128, 16)]
    ]
)


@pytest.mark.parametrize("name, n, shape", TILED, ids=str)
def test_tiles_read_what_the_books_kernels_read(name, n, shape):
    defines = {key.upper(): value for key, value in shape.items()}
    if name == "03_tiled":
        defines = {"TILE": shape["bm"]}
    words = " ".join(f"{key}={value}" for key, value in defines.items())
    line = launch_line(f"matmul/{name} {words} m={n} n={n} k={n} alpha=1 beta=0")
    kernel = line.load()
    counts = trace(kernel, line.grid, line.block, *line.args(), shared_bytes=line.shared_bytes)
    found = found_at("tiles", **shape, n=n)
    assert found["blocks"] == np.prod(line.grid)
    assert found["bytes"] == counts.global_ld_bytes
    assert found["sectors"] == counts.global_ld_sectors
    assert found["shared"] == resources(kernel)["shared_size_bytes"]


def moved(rows, cols, n, lanes):
    """The sectors that requests for a tile move, each for so many neighbours of a row or more."""
    index = np.arange(rows * cols)
    at = 4 * (index // cols * n + index % cols)
    warps = at.repeat(32 // min(lanes, len(at))).reshape(-1, 32)
    return rules.distinct(warps >> rules.SECTOR)[1].sum()


def test_tiles_move_the_sectors_of_their_requests():
    for state, found in turned("tiles", 500):
        bm, bn, bk, n = state.values()
        blocks, steps, lanes = n // bm * (n // bn), n // bk, min(32, bm * bn)
        assert found["blocks"] == blocks
        assert found["bytes"] == 4 * blocks * steps * (bm * bk + bk * bn)
        moves = moved(bm, bk, n, lanes) + moved(bk, bn, n, lanes)
        assert found["sectors"] == blocks * steps * moves, state


def test_tiles_are_drawn_to_scale():
    for state, found in turned("tiles", 500):
        (bm, bn, bk, n), (width, height) = state.values(), drawn(found, "w-used", "w-hot")
        near = [196 / n, min(16, 190 / (bk + max(bm, bn)))]
        sides = [(bk, bm), (bn, bk)], [(bn, bm)]
        want = [(x * s, y * s) for part in sides for s in near for x, y in part]
        assert np.allclose(np.array([width, height]).T, want, atol=0.051)
        assert found["flops_a_byte"] == 2 * n**3 / found["bytes"]


@pytest.mark.parametrize(
    "name, state, said",
    [
        ("waves", {}, "ceil(20 / (8 × 2)) = 2 waves. The last wave has 4 blocks for 16 places."),
        ("waves", {"blocks": 12, "places": 1}, "the grid takes 2 ms; 75 % of the places' time"),
        ("waves", {"blocks": 264, "sms": 132}, "= 1 wave. The last wave has 264 blocks"),
        ("waves", {"blocks": 16, "slow": 4}, "the last one 4, the grid takes 4 ms; 29.7 %"),
        ("sm", {}, "5 blocks of 256 threads on an SM: 40 of 64 warps, an occupancy of 62.5 %"),
        ("sm", {}, "limited by registers. With 40 registers a thread, 6 blocks fit."),
        ("sm", {"registers": 32}, "limited by warp slots and registers. It is full."),
        (
            "sm",
            {"threads": 32, "registers": 32, "shared": 0},
            "Blocks of 64 threads would reach 100 %.",
        ),
        ("sm", {"threads": 1024, "registers": 65}, "Not one block of 1,024 threads fits"),
        ("sm", {"gpu": "T4", "shared": 33792}, "With 32,768 bytes of shared memory a block, 2 bl"),
        ("roofline", {"gpu": "T4"}, "T4 (data sheet: 320 GB/s, 8.1 TFLOP/s) is at 25.3, so arith"),
        ("roofline", {"flops": 2**28, "bytes": 12 * 2**28}, "so memory limits. T = max(4.05 µs of"),
        ("tiles", {}, "256 blocks: every row of A is read 16 times, every column of B 16 times."),
        ("tiles", {"bm": 1, "bn": 1, "bk": 1}, "12.5 % is used: 0.25 flops for each byte."),
        ("tiles", {"bk": 4}, "33.6 MB in 1,572,864 sectors of 32 bytes, of which 66.7 % is used"),
        ("tiles", {"bm": 256, "bn": 256, "bk": 64}, "131,072 bytes of shared memory, more than"),
    ],
)
def test_a_case_worked_by_hand(name, state, said):
    assert said in repr(explore(name, **state))


@pytest.mark.parametrize(
    "value, words",
    [
        (0.0009, "less than 0.001"),
        (0.001, "0.001"),
        (0.12345, "0.123"),
        (9.996, "10"),
        (15.5, "15.5"),
        (99.94, "99.9"),
        (99.96, "100"),
        (683.5, "684"),
        (1234567, "1,234,567"),
    ],
)
def test_numbers_have_three_digits(value, words):
    assert short(value) == words


def test_prefixes_change_before_four_digits():
    assert [amount(v, "B") for v in (1, 999, 999.6, 1e6, 2.5e9)] == [
        "1 B",
        "999 B",
        "1 kB",
        "1 MB",
        "2.5 GB",
    ]
    assert [kit().call("ladderOf", v) for v in (0.1, 1.5, 3, 6, 11, 21, 501)] == [
        1,
        2,
        5,
        10,
        20,
        50,
        1000,
    ]


# What it refuses.


@pytest.mark.parametrize(
    "name, state, error, said",
    [
        ("bank", {}, LookupError, "did you mean 'banks'"),
        ("zzz", {}, LookupError, "one of sectors, banks, waves, sm, roofline, tiles"),
        ("waves", {"blocks": 0}, ValueError, "blocks is a whole number from 1 to 9999, not 0"),
        ("sm", {"gpu": "H10"}, ValueError, "gpu is one of 'P100'"),
        ("roofline", {"flops": 1e12}, ValueError, "flops is a whole number from 1000"),
        ("tiles", {"bm": 24}, ValueError, "bm is one of 1, 2, 4, 8, 16, 32, 64, 128, 256, not 24"),
        ("banks", {"rows": 3}, TypeError, "did you mean 'row'"),
        ("sectors", {"zzz": 3}, TypeError, "one of stride, offset, width"),
        ("banks", {"row": 65}, ValueError, "row is a whole number from 1 to 64, not 65"),
        ("banks", {"row": 1.5}, ValueError, "not 1.5"),
        ("banks", {"access": "colum"}, ValueError, "access is one of 'column', 'row', 'pairs'"),
        ("sectors", {"width": 5}, ValueError, "width is one of 1, 2, 4, 8, 16, not 5"),
        ("sectors", {"width": [4]}, ValueError, "width is one of"),
    ],
)
def test_what_there_is_not_is_refused(name, state, error, said):
    with pytest.raises(error, match=re.escape(said)):
        explore(name, **state)


# The first frame, and what stands in the HTML.


@pytest.mark.parametrize("name", FIGURES)
def test_every_knob_is_documented(name):
    paragraphs = [" ".join(text.split()) for text in explore.__doc__.split("\n\n")]
    said = next(text for text in paragraphs if text.startswith(f"``{name}``: "))
    for knob in FIGURES[name].knobs:
        assert re.search(rf"[.;,] {knob}(, \w+)*: ", said), knob
    assert any(f" '{name}', " in text for text in paragraphs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=named)
def test_a_page_shows_what_the_package_draws(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        call = re.search(r"^explore\(.*", "".join(cell["source"]), re.M | re.S)
        if cell["cell_type"] == "code" and call:
            drawn = eval(call[0], {"explore": explore})
            pages = [output.get("data", {}).get("text/html", "") for output in cell["outputs"]]
            assert "".join(pages[-1]) == drawn.html, cell["id"]


@pytest.mark.parametrize("name", NAMES)
def test_the_first_frame_needs_no_script(name):
    states = list(settings(name, 20))
    for state, (found, svg) in zip(states, frames(name, states), strict=True):
        html = explore(name, **state)._repr_html_()
        still = html.partition("<script>")[0]
        assert still.count(found["said"]) == 2 and svg in still
        assert "<form hidden></form>" in still
        assert_balanced(html)


@contextmanager
def no_engine(monkeypatch):
    """A reader's notebook, where mini-racer is not installed."""
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "py_mini_racer", None)
        scripts._holding.cache_clear()
        scripts._engine.cache_clear()
        yield


def test_a_notebook_without_an_engine_leaves_the_first_frame_to_its_browser(monkeypatch):
    with no_engine(monkeypatch):
        shown = explore("banks", row=7)
        with pytest.raises(ValueError, match="row is a whole number from 1 to 64, not 65"):
            explore("banks", row=65)
    still = shown.html.partition("<script>")[0]
    assert '<p role="status" aria-live="polite"></p><div><noscript>' in still
    assert "<svg" not in still and repr(shown).startswith(FIGURES["banks"].title)
    assert_balanced(shown.html)


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_needs_nothing_from_elsewhere(name):
    html = explore(name).html
    assert not re.search(r"https?://|@import|url\(| src=|\bimport\b|fetch\(", html)
    assert "\n\n" not in html


def test_numpy_integers_are_taken():
    assert explore("banks", row=np.int64(33)).html == explore("banks", row=33).html


def test_the_colours_of_the_frame_stand_out():
    for colours, page in ((DAY, "#ffffff"), (NIGHT, "#121212")):
        for name in ("s0", "s1", "grid"):
            assert contrast(colours[name], page) >= 3


def over(colour, share, page):
    """What a half-transparent colour is on a page."""
    pairs = [[int(c[i : i + 2], 16) for c in (colour, page)] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@pytest.mark.parametrize(
    "colours, ink, page", [(DAY, "#1f2328", "#ffffff"), (NIGHT, "#ced6dd", "#14181e")]
)
def test_words_are_legible_on_what_they_stand(colours, ink, page):
    grey = over(colours["grid"], 0.3, page)
    grounds = [over(colours[name], 0.25, under) for name in ("s0", "s1") for under in (page, grey)]
    for ground in (page, grey, *grounds):
        assert contrast(ink, ground) >= 4.5


def test_the_page_takes_every_figure_from_the_package():
    text = (BOOK / "figures.md").read_text(encoding="utf-8")
    page = module(BOOK / "_ext" / "figures.py").filled(text)
    assert re.findall(r"% the figure (\w+) comes here", text) == NAMES
    assert all(page.count(explore(name).html) == 1 for name in NAMES)


def test_an_installed_package_has_the_scripts(installed):
    names = sorted(path.name for path in FOLDER.glob("*.js"))
    folder = installed / "warpbook" / "display" / "explore"
    assert sorted(path.name for path in folder.glob("*.js")) == names
    used = {name for figure in FIGURES.values() for name in figure.uses}
    assert names == sorted(f"{name}.js" for name in {"kit", *used, *FIGURES})


# In a browser.


@pytest.fixture
def page(tmp_path):
    """A bare page with figures, as a notebook's output has them."""

    def write(*figures):
        body = "".join(figure.html for figure in figures)
        style = (
            "<style>:root{color-scheme:light dark}body{margin:16px;font:16px sans-serif}</style>"
        )
        (tmp_path / "page.html").write_text(
            "<!doctype html><html lang=en><title>x</title><meta charset=utf-8>"
            f"<meta name=viewport content='width=device-width'>{style}"
            f"<main><h1>x</h1>{body}</main>",
            encoding="utf-8",
        )
        return (tmp_path / "page.html").as_uri()

    return write


def test_a_browser_says_and_draws_what_the_engine_does(browser, page):
    look(browser, page(*map(explore, NAMES)))
    for name in NAMES:
        states = list(settings(name, 20))
        found = browser.execute_script(f"return {FRAMES}(...arguments)", name, states)
        # What stands in a drawing, all of it: two builds of V8 may differ in an exp's last digit.
        for state, (there, drawing), (here, svg) in zip(
            states, found, frames(name, states), strict=True
        ):
            assert (there["said"], drawing) == (here["said"], svg), (name, state)
    assert errors(browser) == []


def test_a_browser_draws_the_first_frame_where_there_was_no_engine(browser, page, monkeypatch):
    whole = [explore(name) for name in NAMES]
    with no_engine(monkeypatch):
        bare = [explore(name) for name in NAMES]
    assert not any("<svg" in figure.html.partition("<script>")[0] for figure in bare)
    shown = []
    for figures in (whole, bare):
        look(browser, page(*figures))
        assert errors(browser) == []
        shown.append(
            browser.execute_script(
                "return [...document.querySelectorAll('figure')].map(one => one.innerHTML)"
            )
        )
    assert shown[0] == shown[1] and all("<svg" in one for one in shown[0])
    assert not any("<noscript" in one for one in shown[1])


TURN = """
const figure = document.querySelector(`figure[data-key="${arguments[0]}"]`);
for (const [name, value] of Object.entries(arguments[1])) {
  const control = figure.querySelector('form').elements[name];
  const [, choices] = warpExplore.fields[figure.dataset.explore][name];
  control.value = choices[0] === 'powers' ? Math.log2(value) : value;
  control.dispatchEvent(new Event('input', {bubbles: true})); }
return [figure.querySelector('[role=status]').textContent,
        figure.querySelector('svg').getAttribute('aria-label'),
        figure.querySelectorAll('svg text').length];
"""
# The same for one state after the other, at once: between two calls the browser draws.
TURNS = f"""
const turn = function () {{{TURN}}};
return arguments[1].map(state => turn(arguments[0], state));
"""


def status(browser, key):
    return browser.find_element("css selector", f'[data-key="{key}"] [role=status]').text


@pytest.mark.parametrize("name", NAMES)
def test_the_controls_change_what_is_said(browser, page, name):
    look(browser, page(explore(name)))
    states = list(settings(name, 20))
    found = browser.execute_script(TURNS, name, states)
    for (said, label, words), (want, svg) in zip(found, frames(name, states), strict=True):
        assert said == label == want["said"]
        assert words == svg.count("<text")
    browser.find_element("css selector", f'[data-key="{name}"] button').click()
    assert status(browser, name) == repr(explore(name)).partition(". ")[2]
    assert "#" not in browser.current_url and errors(browser) == []


def box_of(browser, name):
    """A number's box, and the slider beside it."""
    box = browser.find_element("css selector", f"form [name={name}]")
    return box, box.find_element("xpath", "..").find_element("css selector", "[type=range]")


def test_a_number_has_a_slider_beside_it(browser, page):
    from selenium.webdriver.common.keys import Keys

    look(browser, "about:blank")
    look(browser, page(explore("roofline", bytes=10**6)))
    box, slider = box_of(browser, "bytes")
    assert (slider.get_attribute("value"), box.get_attribute("value")) == ("6", "1000000")
    slider.send_keys(Keys.ARROW_RIGHT * 3)
    assert box.get_attribute("value") == "1400000"  # 10 ** 6.15, in two digits
    assert browser.current_url.endswith("#roofline.bytes=1400000")
    assert slider.get_property("ariaValueText") == "1,400,000"
    assert status(browser, "roofline") in repr(explore("roofline", bytes=1400000))
    browser.execute_script(TURN, "roofline", {"bytes": 12345678})
    assert slider.get_attribute("value") == "7.1"


def test_a_number_out_of_range_says_so_and_changes_nothing(browser, page):
    look(browser, "about:blank")
    look(browser, page(explore("waves")))
    said, label, _ = browser.execute_script(TURN, "waves", {"sms": 999})
    assert said == "SMs: a whole number from 1 to 160."
    assert label in repr(explore("waves")) and "#" not in browser.current_url
    for value in ("", "1.5", "-3"):
        assert browser.execute_script(TURN, "waves", {"blocks": value, "sms": 8})[0] == (
            "Blocks of the grid: a whole number from 1 to 9,999."
        )
    said, *_ = browser.execute_script(TURN, "waves", {"blocks": 21})
    assert said in repr(explore("waves", blocks=21)) and errors(browser) == []


def test_figures_share_the_address_without_a_fight(browser, page):
    there = page(explore("sectors"), explore("banks"), explore("banks", row=7))
    look(browser, there)
    browser.execute_script(TURN, "banks", {"row": 33})
    browser.execute_script(TURN, "sectors", {"stride": 2})
    browser.execute_script(TURN, "banks-2", {"access": "row"})
    assert browser.current_url.partition("#")[2].split("&") == [
        "banks.row=33",
        "sectors.stride=2",
        "banks-2.access=row",
    ]
    linked = browser.current_url
    look(browser, "about:blank")
    look(browser, linked)
    assert status(browser, "banks") in repr(explore("banks", row=33))
    assert status(browser, "sectors") in repr(explore("sectors", stride=2))
    assert status(browser, "banks-2") in repr(explore("banks", row=7, access="row"))
    browser.execute_script("location.hash = '#banks.pad=1'")
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert status(browser, "banks") in repr(explore("banks", pad=1))
    assert status(browser, "sectors") in repr(explore("sectors"))


@pytest.mark.parametrize(
    "bad",
    [
        "banks.row=99",
        "banks.row=x",
        "banks.row",
        "banks.zzz=1",
        "banks.access=<b>",
        "top",
        "%",
        "waves.blocks=0",
        "waves.blocks=x",
        "waves.sms=1.5",
        "tiles.bm=24",
        "tiles.bk=x",
        "sm.gpu=x",
    ],
)
def test_an_address_that_means_nothing_changes_nothing(browser, page, bad):
    name = bad.partition(".")[0] if "." in bad else "banks"
    look(browser, "about:blank")
    look(browser, page(explore(name)) + "#" + bad)
    assert status(browser, name) in repr(explore(name))
    assert errors(browser) == []


def test_the_keyboard_alone_works_it(browser, page):
    from selenium.webdriver.common.keys import Keys

    look(browser, "about:blank")
    look(browser, page(explore("banks")))
    order = []
    for _ in range(6):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        here = browser.switch_to.active_element
        order.append(here.get_attribute("name") or here.tag_name)
        if order[-1] == "row":
            here.send_keys(Keys.ARROW_RIGHT)
        if order[-1] == "swizzle":
            here.send_keys(Keys.ARROW_DOWN)
    assert order == [*FIGURES["banks"].knobs, "button"]
    assert status(browser, "banks") in repr(explore("banks", row=33, swizzle=1))
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert status(browser, "banks") in repr(explore("banks"))


def test_the_keyboard_alone_works_powers_and_numbers(browser, page):
    from selenium.webdriver.common.keys import Keys

    look(browser, "about:blank")
    look(browser, page(explore("tiles"), explore("sm")))
    order = []
    for _ in range(13):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        here = browser.switch_to.active_element
        order.append(here.get_attribute("name") or here.get_attribute("type"))
        if order[-1] == "bm":
            here.send_keys(Keys.ARROW_RIGHT)
        if order[-1] == "registers":
            here.send_keys(Keys.ARROW_DOWN)
    assert order == [
        *FIGURES["tiles"].knobs,
        "button",
        "gpu",
        "range",
        "threads",
        "range",
        "registers",
        "range",
        "shared",
        "carveout",
    ]
    assert status(browser, "tiles") in repr(explore("tiles", bm=64))
    assert status(browser, "sm") in repr(explore("sm", registers=40))


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_is_accessible_and_fits(browser, page, size, dark):
    look(browser, "about:blank")
    look(browser, page(*(explore(name) for name in NAMES)), size, dark)
    assert browser.execute_script(WIDE) == []
    assert violations(browser) == []
    for name in NAMES:
        line = browser.find_element("css selector", f'[data-key="{name}"] [role=status]')
        assert line.get_attribute("aria-live") == "polite"


def test_it_works_where_a_notebook_puts_it_in_later(browser, page):
    look(browser, "about:blank")
    look(browser, page())
    for name in NAMES:
        browser.execute_script(
            "const host = document.createElement('div'); document.body.append(host);"
            "host.innerHTML = arguments[0];"
            "for (const old of host.querySelectorAll('script')) {"
            "  const script = document.createElement('script'); script.text = old.text;"
            "  old.replaceWith(script); }",
            explore(name).html,
        )
    for name in NAMES:
        (state,) = list(settings(name, 1))[1:]
        assert browser.execute_script(TURN, name, state)[0] in repr(explore(name, **state))
    assert errors(browser) == []


def test_it_works_in_a_frame_that_may_not_touch_its_address(browser, page):
    look(browser, "about:blank")
    look(browser, page())
    browser.execute_script(
        "const frame = document.createElement('iframe'); frame.sandbox = 'allow-scripts';"
        "frame.srcdoc = '<!doctype html><html lang=en>' + arguments[0];"
        "document.body.append(frame);",
        "".join(explore(name).html for name in NAMES),
    )
    browser.execute_async_script("setTimeout(arguments[0], 300)")
    browser.switch_to.frame(browser.find_element("css selector", "iframe"))
    try:
        for name in NAMES:
            (state,) = list(settings(name, 1))[1:]
            assert browser.execute_script(TURN, name, state)[0] in repr(explore(name, **state))
    finally:
        browser.switch_to.default_content()
    assert errors(browser) == []


def test_without_a_script_the_first_frames_stand(browser, page):
    stills = [explore(name).html.partition("<script>")[0] for name in NAMES]
    look(browser, page(*(Explorable(still, "") for still in stills)))
    for figure in browser.find_elements("css selector", "figure"):
        assert figure.find_element("css selector", "svg").is_displayed()
        assert not figure.find_element("css selector", "form").is_displayed()


# The tree of chapter 24.

TREE = """
extern "C" __global__ void tree(int* held, int levels) {
    __shared__ int sums[1024];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = lane == warp;   // warp w follows the value of lane w
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int level = 1; level <= levels; ++level) {
        int apart = KIND == 0 ? 1 << (level - 1) : 32 >> level;
        if (KIND == 0 && lane % (2 * apart) == 0 || KIND == 1 && lane < apart)
            sums[threadIdx.x] += sums[threadIdx.x + apart];
        if (KIND == 2) value += __shfl_down_sync(~0u, value, apart);
        if (KIND == 3) value += __shfl_xor_sync(~0u, value, apart);
        __syncthreads();
    }
    held[threadIdx.x] = KIND < 2 ? sums[threadIdx.x] : value;
}"""


@pytest.mark.parametrize("kind, tree", list(enumerate(FIGURES["tree"].knobs["tree"].choices)))
def test_a_tree_adds_what_the_emulator_adds(kind, tree):
    program = warpemu.compile(nvrtc.ptx(TREE, options=(f"-DKIND={kind}",)), "tree")
    for levels in range(6):
        held = np.full((32, 32), -1, np.int32)  # [of, lane]
        program.launch((1,), (1024,), (held, np.int32(levels)))
        for lane in range(32):
            found = found_at("tree", tree=tree, levels=levels, lane=lane)
            assert found["counts"] == held[:, lane].tolist()
            assert found["values"] == (held[:, lane] > 0).sum()
            often = "more than once" in found["said"] or " times." in found["said"]
            assert often == (held[:, lane] > 1).any()


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "after 5 levels of 5, lane 0 holds the sum of 32 values. At level 5, 1 lane of 32"),
        ({"levels": 0, "lane": 3}, "after 0 levels of 5, lane 3 holds its own value."),
        ({"levels": 1}, "the sum of 2 values. At level 1, 16 lanes of 32 add, each with two load"),
        ({"tree": "down", "lane": 31}, "lane 31 holds its own value, 32 times."),
        ({"tree": "down", "lane": 17}, "some of them more than once. At level 5, 32 lanes of 32"),
        ({"tree": "xor", "lane": 17}, "lane 17 holds the sum of 32 values. At level 5, 32 lanes"),
    ],
)
def test_a_tree_worked_by_hand(state, said):
    assert said in repr(explore("tree", **state))


# The fragments of chapter 19.

KINDS = {"m16n8k16": (16, "bf16"), "m16n8k8": (8, "tf32"), "m16n8k32": (32, "s8")}


def test_fragments_lie_where_the_emulator_has_them():
    for state, found in turned("fragments", 500):
        got = [tuple(place) for register in found["registers"] for place in register]
        (k, kind), matrix, lane = KINDS[state["product"]], state["matrix"], state["lane"]
        if matrix in ("ldmatrix", "trans"):
            row, col = ldmatrix.pattern(matrix == "trans")
        else:
            rows, cols = {"a": (16, k), "b": (k, 8), "c": (16, 8)}[matrix]
            row, col = mma.places(matrix, rows, cols, kind)
            row, col = np.broadcast_arrays(row, col)
        assert got == list(zip(row[lane].tolist(), col[lane].tolist(), strict=True)), state


def test_the_lanes_of_a_warp_hold_every_element_once():
    for product, (k, _) in KINDS.items():
        sizes = {"a": 16 * k, "b": 8 * k, "c": 128, "ldmatrix": 64, "trans": 64}
        for matrix, size in sizes.items():
            held = [
                tuple(e)
                for lane in range(32)
                for r in found_at("fragments", product=product, matrix=matrix, lane=lane)[
                    "registers"
                ]
                for e in r
            ]
            assert len(held) == len(set(held)) == size


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "4 registers of A, 2 elements in each: r0 row 1, columns 2 and 3; r1 row 9, col"),
        ({"matrix": "b"}, "2 registers of B, 2 elements in each: r0 column 1, rows 2 and 3; r1"),
        ({"matrix": "c"}, "1 element in each: r0 row 1, column 2; r1 row 1, column 3; r2 row 9"),
        ({"product": "m16n8k32"}, "r0 row 1, columns 4 to 7; r1 row 9, columns 4 to 7; r2 row 1"),
        ({"matrix": "trans"}, "lane 5 receives column 1, rows 2 and 3, in one register."),
        ({"matrix": "ldmatrix", "lane": 13}, "it gives the address of row 5 of matrix 1."),
    ],
)
def test_fragments_of_a_case_worked_by_hand(state, said):
    assert said in repr(explore("fragments", **state))


# A scan that looks back.


def scanned(tiles, places, window, load, look, late, slow):
    """Run the tiles moment by moment: (when all is done, looks, the sum before each tile)."""
    clock, looks, before, state = 0, 0, {}, {}
    published = [None] * tiles  # ("alone" or "all", its sum), by tile
    while len(before) < tiles or any(s[0] != "gone" for s in state.values()):
        for tile in sorted(state):
            kind, until = state[tile][:2]
            if until != clock:
                continue
            if kind == "load":
                published[tile] = ("alone", 1 << tile) if tile else ("all", 1)
                state[tile] = ("look", clock, tile, 0, None) if tile else ("store", clock + load)
                before |= {} if tile else {0: 0}
            elif kind == "store":
                state[tile] = ("gone", -1)
        for tile in sorted(state):
            kind, until, *more = state[tile]
            if kind != "look" or until != clock:
                continue
            end, total, then = more
            ready = then is not None
            for back in range(1, window + 1):
                if not ready or end - back < 0:
                    break
                if then[end - back] is None:
                    ready = False
                elif then[end - back][0] == "all":
                    before[tile] = total + sum(then[end - k][1] for k in range(1, back + 1))
                    published[tile] = ("all", before[tile] + (1 << tile))
                    state[tile] = ("store", clock + load)
                    break
            if tile not in before:
                if ready:
                    total += sum(then[k][1] for k in range(end - window, end))
                    end -= window
                looks += 1
                state[tile] = ("look", clock + look, end, total, None)
        # A look that begins now sees what is published now.
        for tile in range(tiles):
            running = sum(s[0] != "gone" for s in state.values())
            if tile not in state and running < places and all(t in state for t in range(tile)):
                state[tile] = ("load", clock + load * (late if tile == slow else 1))
        for tile, (kind, until, *more) in state.items():
            if kind == "look" and more[2] is None and until > clock:
                state[tile] = (kind, until, more[0], more[1], list(published))
        clock += 1
    return clock - 1, looks, [before[tile] for tile in range(tiles)]


def test_tiles_that_look_back_know_what_stands_before_them():
    for state, found in turned("lookback", 500):
        later, tiles = state.pop("waits") == "later", state["tiles"]
        slow = min(2, tiles - 1)
        assert found["hangs"] == (later and state["places"] < tiles)
        if found["hangs"]:
            continue
        if later:  # as if the last tile were the first, and all began at once
            state["places"], slow = tiles, tiles - 1 - slow
        time, looks, before = scanned(**state, slow=slow)
        assert before == [(1 << tile) - 1 for tile in range(state["tiles"])]
        assert (found["time"], found["looks"]) == (time, looks), state


LATER = """
extern "C" __global__ void k(volatile int* flag) {
    if (threadIdx.x == 0) {
        int next = blockIdx.x + WAY;
        if (next >= 0 && next < gridDim.x)
            while (flag[next] == 0) { }
        flag[blockIdx.x] = 1;
    }
}"""


@pytest.mark.parametrize("waits, way", [("earlier", "-1"), ("later", "1")])
def test_a_grid_that_waits_for_later_blocks_hangs_in_both(waits, way):
    program = warpemu.compile(nvrtc.ptx(LATER.replace("WAY", way)), "k")
    knobs = {"tiles": 8, "load": 2, "waits": waits}
    hangs = found_at("lookback", **knobs, places=3)["hangs"]
    assert hangs == (waits == "later")
    try:
        program.launch((8,), (32,), [np.zeros(8, np.int32)])
    except warpemu.Finding as finding:
        assert (
            hangs and finding.kind == "endless wait" and "Blocks from number 2 on" in str(finding)
        )
    else:
        assert not hangs
    assert not found_at("lookback", **knobs, places=8)["hangs"]


# The phases of chapter 20.
PHASES = (
    HEAD
    + """
extern "C" __global__ void phases(const int* settings, int* goes, int count) {
    __shared__ u64 bar;
    for (int i = 0; i < count; i++) {
        const int* s = settings + 6 * i;
        init(&bar, s[0]);
        for (int k = 0; k < s[4]; k++)
            asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" :: "r"(at(&bar)), "r"(s[0]));
        if (s[2]) asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
                               :: "r"(at(&bar)), "r"(1024 * s[2]));
        if (s[1]) asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;"
                               :: "r"(at(&bar)), "r"(s[1]));
        if (s[3]) asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;"
                               :: "r"(at(&bar)), "r"(1024 * s[3]));
        goes[i] = test(&bar, s[5]);
        asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at(&bar)));
    }
}"""
)


def test_phases_are_those_of_the_emulator():
    states, found = zip(*turned("phases", 500), strict=True)
    given = np.array(
        [
            [
                s["threads"],
                min(s["arrived"], s["threads"]),
                s["expected"],
                min(s["landed"], s["expected"]),
                s["phase"],
                s["parity"],
            ]
            for s in states
        ],
        "i4",
    )
    goes = np.full(len(states), -1, "i4")
    program = warpemu.compile(nvrtc.ptx(PHASES), "phases")
    program.launch((1,), (1,), [given, goes, np.int32(len(states))])
    assert [one["passes"] for one in found] == goes.tolist()
    assert 100 < goes.sum() < 400


@pytest.mark.parametrize(
    "state, said",
    [
        (
            {},
            "Phase 1 (parity 1) lacks 1 arrival and 2 KiB. A wait for parity 1 stands still until",
        ),
        ({"parity": 0}, "A wait for parity 0 goes on at once: phase 0 is over."),
        ({"arrived": 4, "landed": 4}, "4 arrivals came and 4 KiB landed. Phase 2 (parity 0) has"),
        ({"phase": 0}, "goes on at once, as if a phase before the first were over."),
    ],
)
def test_phases_worked_by_hand(state, said):
    assert said in repr(explore("phases", **state))


# The online softmax of chapter 25.

ONLINE = """
extern "C" __global__ void online(const float* row, float2* parts) {
    const float LOWEST = -3.402823466e38f, NONE = __int_as_float(0xff800000);
    __shared__ float2 all[4];
    int thread = threadIdx.x, each = 12 / blockDim.x, left = blockIdx.x - each;
    float max = WAY == 0 ? LOWEST : WAY == 1 ? NONE : 0, sum = 0;
    for (int k = 0; k < min(each, blockIdx.x); ++k) {
        float x = row[thread * each + k];
        if (WAY < 2 && x > max) {
            sum *= expf(max - x);
            max = x;
        }
        sum += expf(x - max);
    }
    all[thread] = {max, sum};
    __syncthreads();
    for (int n = blockDim.x; n > 1 && left > 0; n /= 2, --left) {
        float2 a = all[min(2 * thread, n - 2)], b = all[min(2 * thread + 1, n - 1)];
        __syncthreads();
        float top = WAY == 2 ? a.x : fmaxf(a.x, b.x);
        if (thread < n / 2)
            all[thread] = {top, a.y * expf(a.x - top) + b.y * expf(b.x - top)};
        __syncthreads();
    }
    parts[blockIdx.x * 4 + thread] = all[thread];
}"""


def numbers(found, height):
    """The numbers of a drawing's texts at a height, but for what names them at the left."""
    texts = [words for x, y, words, _ in found["texts"] if y == height and x > 30]
    return [float(words.replace("−", "-").replace("∞", "inf")) for words in texts]


@pytest.mark.parametrize("way", range(3))
def test_an_online_softmax_is_what_the_emulator_computes(way):
    program = warpemu.compile(nvrtc.ptx(ONLINE, options=(f"-DWAY={way}",)), "online")
    knobs = FIGURES["online"].knobs
    for row in knobs["row"].choices:
        for threads in (1, 2, 4):
            state = {"row": row, "way": list(knobs["way"].choices)[way], "threads": threads}
            drawings = turned("online", [state | {"done": done} for done in range(13)])
            values = np.array(numbers(drawings[0][1], 102), np.float32)
            parts = np.full((13, 4, 2), np.nan, np.float32)
            program.launch((13,), (threads,), (values, parts))
            for (_, found), want in zip(drawings, parts, strict=True):
                got = np.array(found["parts"], np.float64)
                np.testing.assert_allclose(got, want[: len(got)], rtol=1e-6)


@pytest.mark.parametrize(
    "state, said",
    [
        ({"done": 2}, "greater than its maximum 1. It rescales its sum: 1 × exp(1 − 3) + 1 = 1.14"),
        ({"done": 0}, "Nothing is read yet: the maximum is lowest, the sum 0."),
        ({"row": "large", "way": "plain", "done": 12}, "= ∞. The results add up to NaN."),
        ({"row": "masked", "way": "infinite", "done": 1}, "0 + exp(−∞ − −∞) = NaN."),
        ({"row": "masked", "done": 12}, "The results add up to 1."),
        ({"row": "empty", "done": 12}, "The results add up to NaN."),
        ({"threads": 2, "done": 12}, "Step 7 of 7, a merge:"),
    ],
)
def test_an_online_softmax_worked_by_hand(state, said):
    assert said in repr(explore("online", **state))


# The swizzled tiles, the ring of stages and the order of tiles of chapter 22.

BOXES = """
struct alignas(64) TensorMap { unsigned long long words[16]; };
extern "C" __global__ void boxes(const __grid_constant__ TensorMap map, unsigned* raw, int wide) {
    __shared__ alignas(1024) unsigned tile[256];
    __shared__ unsigned long long barrier;
    unsigned at = __cvta_generic_to_shared(tile), bar = __cvta_generic_to_shared(&barrier), done;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" :: "r"(bar));
        for (int col = 0; col < 64; col += wide)
            asm volatile(
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                " [%0], [%1, {%2, %3}], [%4];"
                :: "r"(at + 16 * col), "l"(&map), "r"(col), "r"(0), "r"(bar) : "memory");
    }
    do asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;"
                    " selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar) : "memory"); while (!done);
    for (int k = threadIdx.x; k < 256; k += blockDim.x) raw[k] = tile[k];
}"""


def test_pieces_lie_where_a_tensor_copy_puts_them():
    from warpemu import tensor_map as maps

    program = warpemu.compile(nvrtc.ptx(BOXES, options=("-arch=sm_90a",)), "boxes")
    tile = np.arange(8 * 64, dtype=np.uint16).reshape(8, 64)
    placed = {}
    for swizzle in FIGURES["swizzles"].knobs["swizzle"].choices:
        name, wide = (
            (swizzle, int(swizzle[:-1]))
            if swizzle[0].isdigit()
            else ("none", int(swizzle[4:] or 128))
        )
        raw = np.zeros(256, np.uint32)
        tensor = maps.of(tile, (8, wide // 2), swizzle=name)
        program.launch((1,), (32,), (tensor, raw, np.int32(wide // 2)))
        placed[swizzle] = raw.view(np.uint16)
    for state, found in turned("swizzles", 500):
        first = placed[state["swizzle"]][found["place"] // 2 :][:8]
        assert (first == tile[state["row"], 8 * state["column"] :][:8]).all(), state
        read = [
            (state["row"], k) if state["access"] == "row" else (k, state["column"])
            for k in range(8)
        ]
        at = [
            16 * (np.flatnonzero(placed[state["swizzle"]] == tile[r, 8 * c])[0] // 8)
            for r, c in read
        ]
        rows = np.array([at + [at[0]] * 24])
        (wavefronts,), (passes,) = rules.wavefronts(rows, 16, rules.LANE[None] < 8)
        assert (found["wavefronts"], passes) == (wavefronts, 1), state


def rounds(stages, latency, gap, product, tiles):
    """Run a ring moment by moment: when copies begin, when products end, moments of waiting."""
    asked, done, full, waited = [], [], [], 0
    free, clock, ready, busy = stages, 0, 0, None
    while len(done) < tiles:
        if busy is not None and clock == busy + product:
            done.append(clock)
            free, busy = free + 1, None
        if len(asked) < tiles and clock >= ready:
            if free:
                asked.append(clock)
                full.append(clock + latency)
                free, ready = free - 1, clock + gap
            else:
                waited += 1
        if busy is None and len(done) < tiles and full and full[0] <= clock:
            busy = clock
            del full[0]
        clock += 1
    return asked, done, waited


def in_the_long_run(state, stages):
    """What a tile takes once the ring is full: a turn of it, by its stages."""
    _, done, _ = rounds(**state | {"stages": stages, "tiles": 5 * stages + 40})
    return (done[-1] - done[-1 - stages]) / stages


def test_a_ring_turns_as_its_stages_fill_and_empty():
    waits = dict.fromkeys(("wait for nothing", "come no faster", "is taken for"), 0)
    for state, found in turned("ring", 500):
        assert (found["asked"], found["done"], found["waited"]) == rounds(**state), state
        time, products = found["done"][-1], state["tiles"] * state["product"]
        assert found["share"] == pytest.approx(100 * products / time, abs=0.51)
        said = next(words for words in waits if words in found["said"])
        waits[said] += 1
        assert f"a tile takes {short(in_the_long_run(state, state['stages']))}:" in found["said"]
        reached = in_the_long_run(state, state["stages"]) == state["product"]
        assert reached == (said == "wait for nothing")
        slowest = max(state["gap"], state["product"])
        assert in_the_long_run(state, found["need"]) == slowest
        assert found["need"] == 1 or in_the_long_run(state, found["need"] - 1) > slowest
    assert min(waits.values()) >= 20, waits


def piped(wait, order, groups, head, tiles=48):
    """When each group has made the weights of each tile; and when the tensor cores multiply.

    Every group is a generator that says what it waits for. Time goes on to whatever ends first.
    """
    clocks = {name: Fraction(str(number)) for name, number in FIGURES["pipeline"].data.items()}
    late = {"qk": clocks["scores"], "pv": clocks["outputs"]}
    turn, queue, ends, softly, marks, multiplied = [0], [], {}, {}, {}, []
    now = Fraction(0)

    def soft(me, *names):
        softly[me] = sum(clocks[name] for name in names)
        yield lambda: me not in softly

    def seen(me, name):
        yield lambda: (me, name) in ends and ends[me, name] + late[name] <= now

    def ask(me, name):
        ends.pop((me, name), None)
        queue.append([me, name, Fraction(4 * head)])

    def group(me):
        ask(me, "qk")
        yield from seen(me, "qk")
        yield from soft(me, "maxima")
        yield from soft(me, "powers", "rest")
        marks[me] = [now]
        while True:
            if order == "turns":
                yield lambda: turn[0] == me
            ask(me, "qk")
            if wait == "each":
                yield from seen(me, "qk")
            ask(me, "pv")
            turn[0] = (me + 1) % groups
            yield from seen(me, "qk")
            if wait in ("each", "both"):
                yield from seen(me, "pv")
            yield from soft(me, "maxima")
            if wait == "behind":
                yield from soft(me, "powers")
                yield from seen(me, "pv")
                yield from soft(me, "apart")
            else:
                yield from seen(me, "pv")
                yield from soft(me, "powers", "rest")
            marks[me].append(now)

    running = {me: group(me) for me in range(groups)}
    wanted = {me: next(running[me]) for me in range(groups)}
    while len(marks.get(0, ())) < tiles:
        moved = True
        while moved and len(marks.get(0, ())) < tiles:
            moved = False
            for me in range(groups):
                while wanted[me]():
                    moved, wanted[me] = True, next(running[me])
        slow = (clocks["beside"] if queue else 1) * (1 + clocks["crowd"] * (len(softly) - 1))
        steps = [left * slow for left in softly.values()]
        steps += [queue[0][2]] if queue else []
        seen_at = [end + late[name] for (_, name), end in ends.items()]
        steps += [then - now for then in seen_at if then > now]
        step = min(steps)
        if queue:
            multiplied.append((now, now + step))
        now += step
        for me in list(softly):
            softly[me] -= step / slow
            if not softly[me]:
                del softly[me]
        if queue:
            queue[0][2] -= step
            if not queue[0][2]:
                me, name, _ = queue.pop(0)
                ends[me, name] = now
    return marks[0], multiplied


def test_groups_share_the_tensor_cores_as_their_waits_and_turns_say():
    for state, found in turned("pipeline", settings("pipeline", 40)):
        marks, multiplied = piped(**state)
        assert found["done"] == pytest.approx([float(mark) for mark in marks]), state
        assert found["period"] == pytest.approx(float(marks[-1] - marks[15]) / 32)
        long_run = [
            (max(a, marks[15]), min(b, marks[-1]))
            for a, b in multiplied
            if b > marks[15] and a < marks[-1]
        ]
        busy = sum(b - a for a, b in long_run) / (marks[-1] - marks[15])
        assert abs(found["share"] - 100 * busy) <= 0.51, state
        products = 8 * state["head"] * state["groups"]
        assert found["period"] >= products - 1e-6


def curve(side):
    """Hilbert's curve by its definition: four smaller ones, two of them turned."""
    if side == 1:
        return [(0, 0)]
    half, part = side // 2, curve(side // 2)
    return (
        [(c, r) for r, c in part]
        + [(r, half + c) for r, c in part]
        + [(half + r, half + c) for r, c in part]
        + [(side - 1 - c, half - 1 - r) for r, c in part]
    )


def in_order(order, group, down, across):
    """The tiles, one after the other."""
    if order == "hilbert":
        return [(r, c) for r, c in curve(max(down, across)) if r < down and c < across]
    high = group if order == "groups" else 1
    return [
        (row, col)
        for top in range(0, down, high)
        for col in range(across)
        for row in range(top, min(top + high, down))
    ]


def test_a_wave_reads_the_rows_and_columns_of_its_tiles():
    for state, found in turned("order", 500):
        order, group, n, bm, bn, sms, wave = state.values()
        tiles = in_order(order, group, n // bm, n // bn)
        waves = [tiles[first : first + sms] for first in range(0, len(tiles), sms)]
        assert found["waves"] == len(waves)
        mine = waves[min(wave, len(waves)) - 1]
        assert list(map(tuple, found["tiles"])) == mine, state
        read = [2 * n * (bm * len({r for r, _ in w}) + bn * len({c for _, c in w})) for w in waves]
        assert (found["read"], found["total"]) == (read[min(wave, len(waves)) - 1], sum(read))
        assert found["alone"] == 2 * n * (bm + bn) * len(mine)


@pytest.mark.parametrize(
    "name, state, said",
    [
        ("swizzles", {}, "piece 3 of row 2 (columns 24 to 31) lies at byte 272, in line 2, banks"),
        ("swizzles", {"swizzle": "none"}, "all 8 rows takes 8 wavefronts: 8-way bank conflict."),
        ("swizzles", {"swizzle": "64B", "access": "row"}, "of row 2 takes 2 wavefronts: 2-way ban"),
        ("swizzles", {"swizzle": "32B"}, "Swizzle of 32 bytes, 4 boxes: piece 3 of row 2"),
        ("pipeline", {"groups": 1}, "it takes a tile of keys in 2,205 clocks. In 46 % of them"),
        ("pipeline", {"wait": "behind"}, "in 2,368 clocks. In 86 % of them the tensor cores multi"),
        ("pipeline", {"head": 64, "groups": 3}, "Some group always has its softmax: that is the l"),
        ("ring", {}, "a tile takes 4.5: each stage is taken for 6 + 3 = 9."),
        ("ring", {"stages": 4}, "The producer waits for a free stage, and 3 stages would do."),
        ("ring", {"gap": 9}, "a tile takes 9: copies come no faster."),
        ("order", {}, "wave 1 of 16 has 132 tiles, in 5 rows and 32 columns of tiles."),
        ("order", {"order": "groups"}, "in 8 rows and 17 columns of tiles. What it reads is 88.1"),
        ("order", {"order": "hilbert", "sms": 128}, "8 rows and 16 columns"),
        ("order", {"n": 1024, "wave": 9}, "wave 1 of 1 has 32 tiles, in 8 rows and 4 columns"),
    ],
)
def test_a_case_of_chapter_22_worked_by_hand(name, state, said):
    assert said in repr(explore(name, **state))


# The merge of two attentions of chapter 26.


def attended(scores, values):
    """The log-sum-exp and the result of an attention over some keys."""
    weights = np.exp(scores)
    return np.log(weights.sum()), (weights * values).sum() / weights.sum()


@pytest.mark.parametrize("row", FIGURES["merge"].knobs["row"].choices)
def test_two_parts_merge_as_the_kernel_of_the_chapter_does(row):
    states = [{"row": row, "first": first} for first in range(13)]
    drawings = [found for _, found in turned("merge", states)]
    scores, values = (np.array(numbers(drawings[0], height)) for height in (92, 108))
    parts = np.array([found["parts"] for found in drawings], np.float64)
    for first, (a, b, _, whole) in enumerate(parts):
        for part, of in ((a, slice(first)), (b, slice(first, 12)), (whole, slice(12))):
            if np.isfinite(scores[of]).any():
                np.testing.assert_allclose(part, attended(scores[of], values[of]))
            else:
                assert part.tolist() == [-np.inf, 0]
    got, got_lse = load("attention/23_merge").run(
        np.repeat(parts[:, :2, 1, None], 128, axis=2).astype(np.float32),
        parts[:, :2, 0].astype(np.float32),
        np.full((13, 128), np.nan, np.float32),
        np.full(13, np.nan, np.float32),
        13,
        2,
    )
    np.testing.assert_allclose(got_lse, parts[:, 2, 0], rtol=1e-5)
    np.testing.assert_allclose(got[:, 7], parts[:, 2, 1], rtol=1e-5)
    np.testing.assert_allclose(parts[:, 2], parts[:, 3])
    lses, results = parts[:, :2].transpose(2, 0, 1)
    for way, want in (
        ("mean", (parts[:, 3, 0], results.mean(axis=1))),
        ("max", (lses.max(axis=1), parts[:, 3, 1])),
    ):
        found = [one["parts"][2] for _, one in turned("merge", [s | {"way": way} for s in states])]
        np.testing.assert_allclose(np.array(found, np.float64).T, want)


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "They weigh 12 % and 88 %: the result is 5.46, as over all keys at once."),
        ({"first": 0}, "has 0 of 12 keys, log-sum-exp −∞ and result 0, the second 4.71 and 5.46."),
        ({"way": "mean"}, "the result is 3.89, and 5.46 would be right."),
        ({"way": "max"}, "The log-sum-exp should be 4.71: the next merge will be wrong."),
        ({"row": "masked", "first": 8}, "They weigh 100 % and 0 %: the result is 5.31,"),
    ],
)
def test_two_parts_merged_by_hand(state, said):
    assert said in repr(explore("merge", **state))


# The ring of chapter 28.


def shares(deal, gpus, length):
    """The tokens of each GPU, in its order."""
    tokens = np.arange(gpus * length)
    if deal == "striped":
        return tokens.reshape(length, gpus).T
    if deal == "plain":
        return tokens.reshape(gpus, length)
    chunks = tokens.reshape(2 * gpus, -1)
    return np.concatenate([chunks[:gpus], chunks[: -1 - gpus : -1]], axis=1)


def test_gpus_of_a_ring_compute_what_the_mask_leaves():
    for state, found in turned("rotation", 500):
        gpus, full = state["gpus"], state["attention"] == "full"
        here = list(shares(state["deal"], gpus, 40))
        there, mean, time = list(here), 0, 0
        for step in range(gpus):
            met = [np.mean(full | (q[:, None] >= k)) for q, k in zip(here, there, strict=True)]
            assert np.allclose(found["work"][step], 100 * np.array(met), atol=1.3), state
            work = [round(2 * share) / 2 for share in met]
            mean += sum(work) / gpus
            time += max(work) if step == gpus - 1 else max(*work, state["transfer"] / 100)
            there = [there[-1], *there[:-1]]  # each hands on what it has
        assert sum(found["steps"]) == pytest.approx(100 * time)
        assert found["share"] == pytest.approx(100 * mean / time, abs=0.51)
        assert ("Nobody waits" in found["said"]) == (mean == time)
        idle = [float(words[:-2]) for *_, words, _ in found["texts"] if words.endswith(" %")]
        assert len(idle) == gpus
        assert sum(idle) / gpus == pytest.approx(100 * (1 - mean / time), abs=0.51)


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "4 steps take as long as 3.5 whole blocks. A GPU works for 2 of that on average, wh"),
        ({}, "is 57 % of the ideal. In 3 steps some wait for the GPU that has the most to do."),
        ({"deal": "zigzag"}, "as long as 2 whole blocks. A GPU works for 2 of that on average,"),
        ({"deal": "zigzag"}, "which is 100 % of the ideal. Nobody waits."),
        ({"deal": "zigzag", "transfer": 100}, "take as long as 3.5 whole blocks."),
        ({"deal": "striped", "transfer": 51}, "In 3 steps all wait for the transfer. It would hid"),
        ({"attention": "full", "transfer": 101}, "It would hide up to 100 % of a block."),
        ({"gpus": 8, "transfer": 150}, "In 7 steps some wait for the GPU that has the most to do"),
        ({"gpus": 8, "transfer": 150}, "and in 7 steps all for the transfer. It would hide up to"),
    ],
)
def test_a_ring_of_gpus_worked_by_hand(state, said):
    assert said in repr(explore("rotation", **state))


# Attention in tiles, as in chapter 27.


def test_tiles_of_scores_are_those_that_a_mask_leaves():
    states = [state | {"n": 16 + state["n"] % 900} for state in settings("scores", 500)]
    for state, found in turned("scores", states):
        length = state["n"]
        rows, cols = state["rows"], state["cols"]
        counts = np.ones((length, length), bool)
        if state["attention"] == "causal":
            counts = np.tril(counts)
        tiles = [
            [counts[row : row + rows, col : col + cols] for col in range(0, length, cols)]
            for row in range(0, length, rows)
        ]
        computed = [[tile for tile in block if tile.any()] for block in tiles]
        assert found["visited"] == [len(block) for block in computed], state
        # A tile is whole if every query of the block counts every one of its keys.
        whole = sum(tile.all() and tile.shape[1] == cols for block in computed for tile in block)
        assert found["cut"] == sum(map(len, computed)) - whole, state
        assert found["computed"] == sum(map(len, computed)) * rows * cols
        assert found["counting"] == counts.sum()
        exist = sum(1 <= state["step"] <= len(block) for block in computed)
        assert found["held"] == 4 * exist * rows * cols, state
        assert amount(4 * length * length, "B") in found["said"]
        # What is drawn has the area of what is there.
        scale = 384 / max(len(tiles) * rows, len(tiles[0]) * cols)
        for names, area in (
            (["w-used"], exist),
            (["w-idle"], sum(min(max(state["step"] - 1, 0), len(block)) for block in computed)),
            (["w-over"], found["cut"]),
        ):
            width, height = drawn(found, *names)
            assert np.sum(width * height) == pytest.approx(
                area * rows * cols * scale**2, rel=0.02, abs=40
            ), state


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "8 blocks of 128 queries visit 36 of 64 tiles, and 8 of them are cut by the mask"),
        ({}, "589,824 scores, 1.12 for each that counts. To write all scores down takes 4.19 MB"),
        ({}, "In step 4 the 5 tiles that exist take 328 kB."),
        ({"step": 0}, "Before the first step there are none."),
        ({"step": 8}, "In step 8 the 1 tile that exists takes 65.5 kB."),
        ({"step": 257}, "After 8 steps all are gone."),
        ({"attention": "full"}, "visit 64 of 64 tiles, and 0 of them are cut by the mask or the"),
        ({"attention": "full", "n": 1000}, "and 8 of them are cut by the mask or the end."),
        ({"n": 16}, "1 block of 128 queries visits 1 of 1 tile, and 1 of them is cut by"),
        ({"cols": 256}, "visit 20 of 32 tiles, and 8 of them are cut by the mask"),
    ],
)
def test_tiles_of_scores_worked_by_hand(state, said):
    assert said in repr(explore("scores", **state))


# The timeline of chapter 30.


def moments(streams, chunks, order, copy, kernel, engines, takes):
    """Run the engines moment by moment: {(step, chunk): when it begins}."""
    steps = [(step, chunk) for chunk in range(chunks) for step in range(3)]
    if order == "breadth":
        steps.sort(key=lambda operation: operation[0])  # and by chunk, as before
    engine = {0: "up", 1: "compute", 2: "down" if engines == 2 else "up"}
    before = {  # of the same stream
        (step, chunk): {other for other in steps[:at] if (other[1] - chunk) % streams == 0}
        for at, (step, chunk) in enumerate(steps)
    }
    begun, ended, busy, now = {}, set(), {}, 0
    while len(ended) < len(steps):
        for name, (operation, end) in list(busy.items()):
            if end == now:
                ended.add(operation)
                del busy[name]
        waiting, passed = [other for other in steps if other not in begun], set()
        for operation in waiting:
            step, _ = operation
            if engine[step] not in busy and before[operation] <= ended:
                begun[operation] = now
                busy[engine[step]] = operation, now + (kernel if step == 1 else copy)
            elif takes == "issue":  # whoever comes later waits, on every engine behind it
                passed.add(engine[step])
                if len(passed) == len(set(engine.values())):
                    break
                busy.setdefault(engine[step], (None, -1))
        for name in [name for name, (operation, _) in busy.items() if operation is None]:
            del busy[name]
        now = min((end for _, end in busy.values()), default=now)  # until then nothing changes
    return begun


def test_streams_overlap_as_engines_do_moment_by_moment():
    for state, found in turned("timeline", 500):
        begun = moments(**state)
        assert {(step, chunk): at for step, chunk, at in found["begins"]} == begun, state
        lasts = (state["copy"], state["kernel"], state["copy"])
        assert found["time"] == max(at + lasts[step] for (step, _), at in begun.items())
        assert found["bound"] * state["chunks"] <= found["time"]
        assert found["time"] <= found["serial"] * state["chunks"]
        # What is drawn, twice, is to scale.
        for step, name in enumerate(("w-used", "w-hot", "w-moved")):
            width, _ = drawn(found, name)
            assert len(width) == 2 * state["chunks"]
            assert width == pytest.approx(362 * lasts[step] / found["time"], abs=0.1)


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "2 streams, 6 chunks, issued chunk by chunk: all is back after 5 ms."),
        ({"streams": 3}, "after 4 ms. One after the other it takes 9 ms, so this is 2.25 times"),
        ({"streams": 3}, "Each engine is busy for 3 ms, which is the bound: 75 % of it is reached"),
        ({"streams": 1}, "after 9 ms. One after the other it takes 9 ms, so this is 1 times as"),
        ({"streams": 1}, "which is the bound: nothing overlaps."),
        ({"streams": 3, "kernel": 24, "chunks": 24}, "The kernel is busy for 24 ms"),
        ({"engines": 1, "takes": "issue", "streams": 8}, "after 9 ms."),
        ({"engines": 1, "takes": "issue", "streams": 8, "order": "breadth"}, "after 6 ms."),
        ({"engines": 1, "streams": 8, "kernel": 1}, "The copy engine is busy for 6 ms"),
    ],
)
def test_a_timeline_worked_by_hand(state, said):
    assert said in repr(explore("timeline", **state))


# The bits of chapter 9.


def written(text):
    """The number that the figure writes, read back."""
    text = text.replace("−", "-").replace(",", "").replace("∞", "inf")
    digits, _, ten = text.partition(" · 10")
    return float(digits) * 10.0 ** int(exponent_of(ten) if ten else 0)


def exponent_of(raised):
    return raised.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))


def test_bits_stand_for_what_numpy_reads():
    for state, found in turned("bits", 500):
        word = state["word"]
        words = np.array([word, word + 1 if word % 32768 < 32767 else word], np.uint16)
        halves = words.view(np.float16).tolist()
        floats = (words.astype(np.uint32) << 16).view(np.float32).tolist()
        assert found["int"] == words.view(np.int16)[0]
        for name, numbers, fraction_bits in (("half", halves, 10), ("bfloat16", floats, 7)):
            shown, exponent, fraction = found[name]
            digits = 5e-6 if 1e-3 <= abs(numbers[0]) < 1e7 else 6e-3
            assert written(shown) == pytest.approx(numbers[0], rel=digits, abs=0, nan_ok=True)
            assert word % 32768 == exponent * 2**fraction_bits + fraction
            part = found["said"].partition(f"As a {name} ")[2].partition(". ")[0]
            told = re.search(r"2([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+) apart", part)
            assert bool(told) == np.isfinite(numbers[0])
            if np.isfinite(numbers).all() and word % 32768 < 32767:
                assert abs(numbers[1] - numbers[0]) == 2.0 ** int(exponent_of(told[1]))
        cells, (width, height) = f"{word:016b}", drawn(found, "w-used", "w-hot", "w-idle")
        assert (height == 20).sum() == 48 and (width[height == 20] == 25.8).all()
        texts = [text for _, _, text, name in found["texts"] if name == "w-mid"][:48]
        assert "".join(texts) == 3 * cells


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "As a half these bits are 12.25; numbers of this size are 2⁻⁷ apart."),
        ({}, "As a bfloat16 these bits are 2,621,440; numbers of this size are 2¹⁴ apart."),
        ({}, "As an int of 16 bits they are 18,976."),
        ({"word": 0x7BFF}, "As a half these bits are 65,504; numbers of this size are 2⁵ apart."),
        ({"word": 0x7C00}, "As a half these bits are ∞. "),
        ({"word": 0xFC00}, "As a half these bits are −∞. "),
        ({"word": 0x7C01}, "As a half these bits are NaN. "),
        ({"word": 1}, "As a half these bits are 5.96 · 10⁻⁸; numbers of this size are 2⁻²⁴ apart."),
        ({"word": 0x7F7F}, "As a bfloat16 these bits are 3.39 · 10³⁸; numbers"),
        ({"word": 0x8000}, "As a bfloat16 these bits are −0; numbers"),
        ({"word": 0xFFFF}, "As an int of 16 bits they are −1."),
    ],
)
def test_bits_worked_by_hand(state, said):
    assert said in repr(explore("bits", **state))


def test_a_switch_turns_a_bit_over(browser, page):
    from selenium.webdriver.common.keys import Keys

    look(browser, "about:blank")
    look(browser, page(explore("bits")))
    switches = browser.find_elements("css selector", "[role=switch]")
    assert "".join(switch.text for switch in switches) == f"{0x4A20:016b}"
    for k, key in ((0, Keys.SPACE), (5, Keys.ENTER)):  # the sign, and the exponent's last bit
        browser.execute_script("arguments[0].focus()", switches[k])
        browser.switch_to.active_element.send_keys(key)
        assert browser.switch_to.active_element == switches[k]
    word = 0x4A20 ^ 0x8400
    assert status(browser, "bits") in repr(explore("bits", word=word))
    assert "As a half these bits are −24.5" in status(browser, "bits")
    assert browser.current_url.endswith(f"#bits.word={word}")
    assert [switch.get_attribute("aria-checked") for switch in switches] == [
        "true" if bit == "1" else "false" for bit in f"{word:016b}"
    ]
    browser.find_element("css selector", '[data-key="bits"] button').click()
    assert "".join(switch.text for switch in switches) == f"{0x4A20:016b}"
    assert errors(browser) == []


# The lanes of chapter 13.


def test_lanes_touch_the_lines_and_sectors_of_their_addresses():
    for state, found in turned("lanes", 500):
        wide, i = state["wide"], state["step"]
        pairs = [(lane % wide, lane // wide) for lane in range(32)]
        if state["mapping"] == "column":
            pairs = [pair[::-1] for pair in pairs]
        by_columns = state["layout"] == "columns"
        floats = {
            "a": {32 * row + i for row, _ in pairs},
            "b": {32 * col + i if by_columns else 32 * i + col for _, col in pairs},
            "c": {32 * row + col for row, col in pairs},
        }
        assert found["lines"] == {k: len({at // 32 for at in v}) for k, v in floats.items()}
        assert found["sectors"] == {k: len({at // 8 for at in v}) for k, v in floats.items()}
        row, col = pairs[state["lane"]]
        lane = state["lane"]
        assert found["said"].endswith(f"Lane {lane} multiplies a[{row}, {i}] by b[{i}, {col}].")
        widths, heights = drawn(found, "w-hot")
        assert ((widths == 6) & (heights == 6)).sum() >= sum(map(len, floats.values()))
        for name, boxes in (("w-idle", "lines"), ("w-used", "sectors")):
            assert len(drawn(found, name)[0]) == sum(found[boxes].values())


@pytest.mark.parametrize("mapping, name", [("row", "01_naive"), ("column", "02_coalesced")])
@pytest.mark.parametrize("wide", FIGURES["lanes"].knobs["wide"].choices)
def test_lanes_move_what_the_books_kernels_move(wide, mapping, name):
    kernel, a = load(f"matmul/{name}"), np.ones((32, 32), np.float32)
    args = (a, a, np.zeros_like(a), 32, 32, 32, 1.0, 0.0)
    seen = trace(kernel, (1, 1), (wide, 32 // wide), *args)
    steps = [{"wide": wide, "mapping": mapping, "step": step} for step in range(32)]
    found = [one for _, one in turned("lanes", steps)]
    moved = sum(f["sectors"]["a"] + f["sectors"]["b"] for f in found)
    assert seen.global_ld_sectors == moved and seen.global_ld_requests == 64
    assert seen.global_st_sectors == found[0]["sectors"]["c"]


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "A warp covers 32 rows and 1 column of c. In step 9 its load of a touches 32 lines"),
        ({}, "its load of b 1 line and 1 sector: 33 lines for 32 multiply-adds."),
        ({"mapping": "column"}, "1 line and 1 sector, its load of b 1 line and 4 sectors: 2 lines"),
        ({"wide": 8}, "load of a touches 8 lines and 8 sectors, its load of b 1 line and 1 sector"),
        ({"wide": 4, "layout": "columns"}, "its load of b 8 lines and 8 sectors: 12 lines"),
    ],
)
def test_lanes_worked_by_hand(state, said):
    assert said in repr(explore("lanes", **state))


# The grid of chapter 1.


def takers(kernel, n, threads, blocks):
    """{element: (block, thread, turn)}, as each thread of a grid would go about it."""
    taken, idle = {}, 0
    for block in range(blocks):
        for thread in range(threads):
            i, turn = block * threads + thread, 0
            idle += i >= n
            while i < n:
                assert i not in taken
                taken[i] = block, thread, turn
                i, turn = i + blocks * threads, turn + 1
                if kernel == "guard":
                    break
    return taken, idle


def test_a_grid_takes_what_its_threads_take():
    kinds = {"belongs": 0, "not launched": 0, "guard sends": 0, "loop of": 0, "no thread": 0}
    for state, found in turned("grid", 500):
        *launch, follow = state.values()
        taken, idle = takers(*launch)
        n, threads, blocks = launch[1:]
        total, said = threads * blocks, found["said"]
        assert found["left"] == n - len(taken)
        assert found["turns"] == 1 + max(turn for *_, turn in taken.values())
        assert f"{total:,} thread" in said and f"for {n} element" in said
        if found["turns"] == 1:
            assert found["spare"] == idle
        else:
            least = found["turns"] * total - len(taken)
            assert found["spare"] == least and ("one fewer" in said) == (least > 0)
        assert ("Nobody takes" in said) == (len(taken) < n)
        kinds = {kind: number + (kind in said) for kind, number in kinds.items()}
        if follow in taken:
            block, thread, turn = taken[follow]
            assert f"Element {follow} belongs to thread {thread} of block {block}" in said
            assert (f"in turn {turn + 1}." in said) == (turn > 0)
        else:
            assert ("There is no element" in said) == (follow >= n)
        # Drawn: a box for each element, in which stands the thread, and grey ones behind the end.
        counted = [len(drawn(found, *names)[0]) for names in (("w-used", "w-hot"), ("w-over",))]
        assert counted == [len(taken), found["left"]]
        assert len(drawn(found, "w-idle")[0]) == min(found["spare"], 128 - n)
        inside = [t for x, y, t, name in found["texts"] if name == "" and t.isdigit()]
        assert inside[: len(taken)] == [str(taken[i][1]) for i in sorted(taken)]
    assert min(kinds.values()) >= 5, kinds


@pytest.mark.parametrize("kernel, file", [("guard", "03_grid"), ("stride", "04_grid_stride")])
def test_a_grid_leaves_out_what_the_books_kernels_leave_out(kernel, file):
    compiled, a = load(f"vector_add/{file}"), np.ones(120, np.float32)
    for n, threads, blocks in [(50, 16, 4), (50, 16, 3), (120, 32, 2), (1, 1, 1), (120, 7, 16)]:
        out = np.full(n, np.nan, np.float32)
        compiled(blocks, threads, a[:n], a[:n], out, n)
        found = found_at("grid", kernel=kernel, n=n, threads=threads, blocks=blocks)
        assert np.flatnonzero(np.isnan(out)).tolist() == list(range(n - found["left"], n))


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "4 blocks of 16 threads: 64 threads for 50 elements. 14 threads find nothing to do."),
        ({}, "to do. Element 37 belongs to thread 5 of block 2."),
        ({"blocks": 3}, "Each thread takes one element. Nobody takes the last 2 elements. Elem"),
        ({"blocks": 3, "follow": 49}, "Element 49 is for thread 1 of block 3, which was not laun"),
        ({"follow": 60}, "There is no element 60: the guard sends thread 12 of block 3 away."),
        ({"follow": 64}, "There is no element 64, and no thread for it."),
        ({"kernel": "stride", "blocks": 2}, "at most 2 turns, and 14 threads one fewer. Element"),
        ({"kernel": "stride", "blocks": 2}, "to thread 5 of block 0, in turn 2."),
        ({"kernel": "stride", "threads": 1, "blocks": 1}, "at most 50 turns. Element 37 belongs"),
        ({"kernel": "stride", "follow": 63}, "the loop of thread 15 of block 3 ends."),
        ({"n": 63}, "1 thread finds nothing to do."),
    ],
)
def test_a_grid_worked_by_hand(state, said):
    assert said in repr(explore("grid", **state))


def test_the_index_of_a_grid_moves_by_the_arrow_keys(browser, page):
    from selenium.webdriver.common.keys import Keys

    look(browser, "about:blank")
    look(browser, page(explore("grid")))
    slider = browser.find_element("css selector", "[name=follow]")
    slider.send_keys(Keys.ARROW_RIGHT * 11)
    assert "Element 48 belongs to thread 0 of block 3." in status(browser, "grid")
    slider.send_keys(Keys.END)
    assert "There is no element 127" in status(browser, "grid")
    assert status(browser, "grid") in repr(explore("grid", follow=127)) and errors(browser) == []


# The cache of chapters 10 and 12.


def elements(order, rows):
    """The (row, column) of each read of the cache's array, as loops would write them."""
    high = {"tile8": 8, "tile4": 4}.get(order, rows)
    wide = {"strip8": 8, "tile8": 8, "strip4": 4, "tile4": 4}.get(order, 16)
    for top in range(0, rows, high):
        for left in range(0, 16, wide):
            for turn in range(4):
                down, across = range(top, min(top + high, rows)), range(left, left + wide)
                if order == "columns":
                    yield from ((row, col) for col in across for row in down)
                elif order == "back" and turn % 2:
                    yield from ((row, col) for row in reversed(down) for col in reversed(across))
                else:
                    yield from ((row, col) for row in down for col in across)


def found_near(state):
    """Which reads hit: those of a line, if so few others that may stay came in between that it is
    still among the latest ones; of one that may not stay, if nothing came in between.
    """
    walk = elements(state["order"], state["rows"])
    lines = [(16 * row + col) // state["line"] for row, col in walk]
    staying = math.ceil(16 * state["rows"] / state["line"] * state["stay"] / 8)
    before = {}
    for k, here in enumerate(lines):
        since = lines[before[here] + 1 : k] if here in before else None
        before[here] = k
        if since is None:
            yield False
        elif here < staying:
            yield len({other for other in since if other < staying}) < state["lines"]
        else:
            yield not since


def test_a_cache_hits_where_few_other_lines_came_between():
    kinds = {
        "row by row": 0,
        "which is enough": 0,
        "too little": 0,
        "may stay": 0,
        "and fits": 0,
        "does not fit either": 0,
        "A tile of 4 × 4": 0,
        "A strip of 8": 0,
    }
    states = list(settings("cache", 700))
    for state in states[1::2]:  # more caches that are too small
        state |= {"stay": 8, "lines": (state["lines"] + 3) // 4}
    for state, found in turned("cache", states):
        rows = state["rows"]
        hits, order = list(found_near(state)), list(elements(state["order"], rows))
        done, said = len(hits) * state["step"] // 256, found["said"]
        assert (found["hits"], found["misses"]) == (sum(hits[:done]), done - sum(hits[:done]))
        assert len(hits) == 64 * rows and f"{found['hits']:,} hit" in said
        slices = [hits[:done][k : k + rows] for k in range(0, len(hits), rows)]
        assert found["missed"] == [len(part) - sum(part) for part in slices]
        assert len(found["kept"]) <= state["lines"]
        kinds = {kind: number + (kind in said) for kind, number in kinds.items()}
        # What is read round and round and fits comes in once.
        if "The whole array" in said and "which is enough" in said and state["stay"] == 8:
            assert done < len(hits) or said.endswith(" 1 for each line.")
        # Drawn: each element that was read has the colour of its last read.
        last = dict(zip(order[:done], hits, strict=False))
        for name, kind in (("w-used", True), ("w-hot", False)):
            width, height = drawn(found, name)
            assert (width * height).sum() / (27 * 15) == sum(hit == kind for hit in last.values())
        framed = len(drawn(found, "w-frame")[0]) + len(drawn(found, "w-over")[0])
        assert framed == len(found["kept"])
        assert (len(drawn(found, "w-over")[0]) == 1) == (framed == state["lines"])
    assert min(kinds.values()) >= 5, kinds


def test_a_cache_keeps_what_the_loop_of_chapter_10_keeps():
    # Of six lines in turn there is room for four: all may stay, or only four of them.
    for stay, misses in ((8, 24), (5, 12)):
        state = {"order": "rows", "rows": 6, "line": 16, "lines": 4, "stay": stay, "step": 256}
        assert found_at("cache", **state)["misses"] == misses


@pytest.mark.parametrize(
    "state, said",
    [
        (
            {},
            "The whole array is read four times, row by row. It takes 64 lines of 4 elements, and",
        ),
        (
            {},
            "the cache has room for 16, which is too little. After all 1,024 reads: 768 hits and ",
        ),
        ({"lines": 63}, "256 misses, 4 for each line."),
        ({"lines": 64}, "which is enough. After all 1,024 reads: 960 hits and 64 misses, 1 for"),
        (
            {"order": "columns"},
            "a column takes 16 lines, and fits. After all 1,024 reads: 768 hits",
        ),
        ({"order": "columns", "lines": 15}, "does not fit either. After all 1,024 reads: 0 hits"),
        (
            {"order": "strip4"},
            "A strip of 4 columns is read four times, row by row, before the nex",
        ),
        (
            {"order": "strip4"},
            "takes 16 lines of 4 elements, and the cache has room for 16, which ",
        ),
        ({"order": "strip4"}, "960 hits and 64 misses, 1 for each line."),
        ({"order": "strip4", "lines": 15}, "too little. After all 1,024 reads: 768 hits and 256"),
        ({"order": "strip4", "line": 8, "lines": 15}, "768 hits and 256 misses, 8 for each line."),
        ({"order": "tile4", "lines": 4}, "A tile of 4 × 4 is read four times, row by row, before "),
        ({"order": "tile4", "lines": 4}, "960 hits and 64 misses, 1 for each line."),
        (
            {"rows": 4, "line": 1, "lines": 48},
            "64 lines of 1 element, and the cache has room for 4",
        ),
        (
            {"rows": 4, "line": 1, "lines": 48},
            "all 256 reads: 0 hits and 256 misses, 4 for each li",
        ),
        ({"rows": 4, "line": 1, "lines": 48, "stay": 6}, "of which 48 may stay, and the cache has"),
        ({"rows": 4, "line": 1, "lines": 48, "stay": 6}, "144 hits and 112 misses, 1.75 for each"),
        ({"rows": 4, "line": 1, "lines": 48, "order": "back"}, "144 hits and 112 misses"),
        ({"rows": 1, "line": 16, "step": 4}, "It takes 1 line of 16 elements"),
        ({"rows": 1, "line": 16, "step": 4}, "After 1 of 64 reads: 0 hits and 1 miss."),
        ({"step": 0}, "After 0 of 1,024 reads: 0 hits and 0 misses."),
    ],
)
def test_a_cache_worked_by_hand(state, said):
    assert said in repr(explore("cache", **state))


def test_the_keyboard_alone_takes_a_line_from_a_cache(browser, page):
    from selenium.webdriver.common.keys import Keys

    look(browser, "about:blank")
    look(browser, page(explore("cache", order="columns")))
    order = []
    for _ in range(7):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        here = browser.switch_to.active_element
        order.append(here.get_attribute("name") or here.tag_name)
        if order[-1] == "lines":
            here.send_keys(Keys.ARROW_LEFT)
            assert "0 hits and 1,024 misses" in status(browser, "cache")
        if order[-1] == "step":
            here.send_keys(Keys.HOME)
    assert order == [*FIGURES["cache"].knobs, "button"]
    state = {"order": "columns", "lines": 15, "step": 0}
    assert status(browser, "cache") in repr(explore("cache", **state)) and errors(browser) == []


# The made-up measurements of chapter 3.


def test_statistics_of_made_up_runs_are_what_numpy_makes_of_them():
    for state, found in turned("repeats", 500):
        series = np.array(found["series"])
        runs, said = state["runs"], found["said"]
        when, true, usual, ns = series.transpose(2, 0, 1)
        # Each moment has one run, in turns or one kernel after the other.
        assert sorted(when.ravel()) == list(range(2 * runs))
        assert (when[0, 1:] - when[0, :-1] == (2 if state["order"] == "turns" else 1)).all()
        # Without scatter: B takes its share less, and both grow evenly by the drift.
        a = 24_000 * (1 + state["drift"] / 1000 * when / (2 * runs - 1))
        b = a * (1 - state["difference"] / 1000)
        assert np.allclose(true, [a[0], b[1]], rtol=0, atol=1.01)
        assert (abs(usual - true) <= 2.06 * 24 * state["scatter"] + 1).all()
        late = ns[ns != usual] - usual[ns != usual]
        assert len(late) == 0 or (state["outliers"] and late.min() >= 2400 and late.max() < 14_400)
        functions = {"minimum": np.min, "median": np.median, "mean": np.mean}
        over = {"minimum": 1, "median": 2, "mean": runs}
        for name, of_a, of_b in found["ranked"]:
            want_a, want_b = functions[name](ns, axis=1)
            assert (of_a, of_b) == pytest.approx((want_a * over[name], want_b * over[name]))
            if of_a == of_b:
                assert f"by the {name} neither is faster" in said
                continue
            who, times = re.search(rf"by the {name} (.) is ([\d.]+) times as fast", said).groups()
            assert who == ("A" if want_a < want_b else "B")
            ratio = max(want_a, want_b) / min(want_a, want_b)
            assert float(times) == pytest.approx(ratio, abs=5.001e-4)
        # Drawn: a box for each run of A, and a diamond for each of B.
        dots = dict(map(tuple, found["paths"]))
        assert dots["w-used"].count("M") == dots["w-hot"].count("M") == runs
        assert found["above"] <= len(late)


def test_made_up_runs_scatter_as_far_as_asked():
    seeds = [{"runs": 60, "outliers": 10, "seed": seed} for seed in range(1, 100)]
    days = [found["series"] for _, found in turned("repeats", seeds)]
    when, true, usual, ns = np.concatenate(days, axis=1).transpose(2, 0, 1)
    for one in usual - true:  # 1 % of 24 us are 240 ns
        low, middle, high = np.quantile(one, (0.2, 0.5, 0.8))
        assert high - low == pytest.approx(240, rel=0.04) and abs(middle) < 5
        assert abs(np.corrcoef(one[:-1], one[1:])[0, 1]) < 0.03
    assert abs(np.corrcoef(usual - true)[0, 1]) < 0.03
    assert (ns > usual).mean() == pytest.approx(0.1, abs=0.01)


def test_the_order_and_the_number_of_runs_change_no_luck():
    many = np.array(found_at("repeats", drift=0)["series"])
    for changed in ({"runs": 12}, {"order": "after"}):
        few = np.array(found_at("repeats", drift=0, **changed)["series"])
        assert (few[:, :, 1:] == many[:, : few.shape[1], 1:]).all()


def right_days(name, days=99, **state):
    """On how many of the first days a statistic calls B faster."""
    states = [state | {"seed": seed} for seed in range(1, days + 1)]
    found = [found["ranked"] for _, found in turned("repeats", states)]
    return sum(b < a for day in found for stat, a, b in day if stat == name)


def test_what_made_up_runs_are_to_show():
    assert right_days("median") == 99 and right_days("median", order="after") == 0
    assert right_days("mean", outliers=10) < 65 and right_days("median", outliers=10) > 95
    apart = {"difference": 2, "drift": 0}
    assert right_days("median", runs=3, **apart) < 65 and right_days("median", **apart) > 80
    # Chapter 3 gives these numbers.
    assert right_days("mean", 10, outliers=10) == 6 and right_days("median", 10, outliers=10) == 10
    assert (right_days("median", 10, runs=3, **apart), right_days("median", 10, **apart)) == (6, 8)


@pytest.mark.parametrize(
    "state, said",
    [
        ({}, "B takes 1 % less time than A. After 30 runs of each in turns, by the minimum B is"),
        ({}, "by the median B is 1.011 times as fast, by the mean B is 1.012 times as fast."),
        ({"order": "after"}, "30 runs of A and then 30 of B, by the minimum A is 1.002 times"),
        ({"order": "after"}, "median A is 1.001 times as fast, by the mean A is 1.003 times"),
        ({"scatter": 0, "drift": 0, "runs": 1}, "After 1 run of each in turns, by the mini"),
        ({"scatter": 0, "drift": 0, "runs": 1}, "1.010 times as fast, by the median B is 1.010 ti"),
        ({"scatter": 0, "drift": 0, "difference": 0}, "B takes as long as A. After 30 runs"),
        ({"scatter": 0, "drift": 0, "difference": 0}, "by the median neither is faster, by the me"),
        ({"difference": 2}, "B takes 0.2 % less time than A."),
    ],
)
def test_made_up_runs_worked_by_hand(state, said):
    assert said in repr(explore("repeats", **state))
