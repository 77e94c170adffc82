"""Figures under the reader's hand: they count as the emulator does, in words and in the drawing."""

import random
import re
from urllib.parse import quote

import numpy as np
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
    violations,
)

from warpbook import explore
from warpbook.display.explore import FIGURES, SCRIPTS, paint, tile_addresses
from warpbook.display.figures import DAY, NIGHT
from warpbook.emulator import rules

NAMES = list(FIGURES)
LIMIT = 15_000  # bytes of a figure, with all its script


def settings(name, number):
    """Random places of a figure's knobs, and all its starts."""
    rng = random.Random(5)
    knobs = FIGURES[name].knobs
    yield {key: knob.start for key, knob in knobs.items()}
    for _ in range(number):
        yield {key: rng.choice(list(knob.choices)) for key, knob in knobs.items()}


# The Python side against the emulator's rules.


def test_sectors_are_those_of_the_emulator():
    for state in settings("sectors", 500):
        at = (state["stride"] * np.arange(32) + state["offset"]) * state["width"]
        found = FIGURES["sectors"].model(**state)
        assert found["sectors"] == rules.distinct((at >> rules.SECTOR)[None])[1].sum()
        used = {byte for a in at.tolist() for byte in range(a, a + state["width"])}
        assert found["share"] == pytest.approx(100 * len(used) / (32 * found["sectors"]), rel=5e-3)
        assert found["lines"] == len({byte // 128 for byte in used})


def test_wavefronts_are_those_of_the_emulator():
    for state in settings("banks", 500):
        addresses = tile_addresses(**state)
        (wavefronts,), (passes,) = rules.wavefronts(addresses[None], state["width"])
        found = FIGURES["banks"].model(**state)
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
    ],
)
def test_sectors_of_a_case_worked_by_hand(state, said):
    assert said in repr(explore("sectors", **state))


# What it refuses.


@pytest.mark.parametrize(
    "name, state, error, said",
    [
        ("bank", {}, LookupError, "did you mean 'banks'"),
        ("zzz", {}, LookupError, "one of sectors, banks"),
        ("banks", {"rows": 3}, TypeError, "did you mean 'row'"),
        ("sectors", {"zzz": 3}, TypeError, "one of stride, offset, width"),
        ("banks", {"row": 65}, ValueError, "row is a whole number from 1 to 64, not 65"),
        ("banks", {"row": 1.5}, ValueError, "not 1.5"),
        ("banks", {"access": "colum"}, ValueError, "access is one of 'column', 'row', 'pairs'"),
        ("sectors", {"width": 5}, ValueError, "width is one of 4, 8, 16, not 5"),
        ("sectors", {"width": [4]}, ValueError, "width is one of"),
    ],
)
def test_what_there_is_not_is_refused(name, state, error, said):
    with pytest.raises(error, match=re.escape(said)):
        explore(name, **state)


# The first frame, and what stands in the HTML.


@pytest.mark.parametrize("name", NAMES)
def test_the_first_frame_needs_no_script(name):
    for state in [*settings(name, 20)]:
        html = explore(name, **state)._repr_html_()
        still = html.partition("<script>")[0]
        found = FIGURES[name].model(**state)
        assert still.count(found["said"]) == 2 and paint(found) in still
        assert "<form hidden></form>" in still
        assert_balanced(html)


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_small_and_needs_nothing_from_elsewhere(name):
    sizes = [len(explore(name, **state).html.encode()) for state in settings(name, 300)]
    assert max(sizes) <= LIMIT
    html = explore(name).html
    assert not re.search(r"https?://|@import|url\(| src=|\bimport\b|fetch\(", html)
    assert "\n\n" not in html


def test_numpy_integers_are_taken():
    assert explore("banks", row=np.int64(33)).html == explore("banks", row=33).html


def test_the_colours_of_the_frame_stand_out():
    for colours, page in ((DAY, "#ffffff"), (NIGHT, "#121212")):
        for name in ("s0", "grid"):
            assert contrast(colours[name], page) >= 3


def over(colour, share, page):
    """What a half-transparent colour is on a page."""
    pairs = [[int(c[i : i + 2], 16) for c in (colour, page)] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@pytest.mark.parametrize(
    "colours, ink, page", [(DAY, "#1f2328", "#ffffff"), (NIGHT, "#ced6dd", "#14181e")]
)
def test_lanes_numbers_are_legible_on_what_they_stand(colours, ink, page):
    grey = over(colours["grid"], 0.3, page)
    for ground in (page, grey, over(colours["s0"], 0.25, page), over(colours["s0"], 0.25, grey)):
        assert contrast(ink, ground) >= 4.5


def test_the_page_takes_every_figure_from_the_package():
    text = (BOOK / "figures.md").read_text()
    page = module(BOOK / "_ext" / "figures.py").filled(text)
    assert re.findall(r"% the figure (\w+) comes here", text) == NAMES
    assert all(page.count(explore(name).html) == 1 for name in NAMES)


def test_an_installed_package_has_the_scripts(installed):
    names = sorted(path.name for path in SCRIPTS.glob("*.js"))
    folder = installed / "warpbook" / "display" / "scripts"
    assert sorted(path.name for path in folder.iterdir()) == names and len(names) == 3


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
            f"<main><h1>x</h1>{body}</main>"
        )
        return (tmp_path / "page.html").as_uri()

    return write


@pytest.mark.parametrize("name", NAMES)
def test_the_script_says_and_draws_what_python_does(browser, page, name):
    look(browser, page(explore(name)))
    given = list(settings(name, 700))
    found = browser.execute_script(
        "return arguments[0].map(state => { const found = warpExplore.model(arguments[1], state);"
        " return [found, warpExplore.paint(found)]; })",
        given,
        name,
    )
    for state, (there, svg) in zip(given, found, strict=True):
        want = FIGURES[name].model(**state)
        assert there == want, state
        assert svg == paint(want), state
    assert errors(browser) == []


TURN = """
const figure = document.querySelector(`figure[data-key="${arguments[0]}"]`);
for (const [name, value] of Object.entries(arguments[1])) {
  const control = figure.querySelector('form').elements[name];
  control.value = value;
  control.dispatchEvent(new Event('input', {bubbles: true})); }
return [figure.querySelector('[role=status]').textContent,
        figure.querySelector('svg').getAttribute('aria-label'),
        figure.querySelectorAll('svg text').length];
"""


def status(browser, key):
    return browser.find_element("css selector", f'[data-key="{key}"] [role=status]').text


@pytest.mark.parametrize("name", NAMES)
def test_the_controls_change_what_is_said(browser, page, name):
    look(browser, page(explore(name)))
    for state in settings(name, 20):
        want = FIGURES[name].model(**state)
        said, label, words = browser.execute_script(TURN, name, state)
        assert said == label == want["said"]
        assert words == paint(want).count("<text")
    browser.find_element("css selector", f'[data-key="{name}"] button').click()
    assert status(browser, name) == repr(explore(name)).partition(". ")[2]
    assert "#" not in browser.current_url and errors(browser) == []


def test_figures_share_the_address_without_a_fight(browser, page):
    there = page(explore("sectors"), explore("banks"), explore("banks", row=7))
    look(browser, there)
    browser.execute_script(TURN, "banks", {"row": 33})
    browser.execute_script(TURN, "sectors", {"stride": 2})
    browser.execute_script(TURN, "banks-2", {"access": "row"})
    assert browser.current_url.partition("#")[2].split("&") == [
        "banks.row=33", "sectors.stride=2", "banks-2.access=row"]  # fmt: skip
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
    ["banks.row=99", "banks.row=x", "banks.row", "banks.zzz=1", "banks.access=<b>", "top", "%"],
)
def test_an_address_that_means_nothing_changes_nothing(browser, page, bad):
    look(browser, "about:blank")
    look(browser, page(explore("banks", row=7)) + "#" + bad)
    assert status(browser, "banks") in repr(explore("banks", row=7))
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
    for name in ("sectors", "banks"):
        browser.execute_script(
            "const host = document.createElement('div'); document.body.append(host);"
            "host.innerHTML = arguments[0];"
            "for (const old of host.querySelectorAll('script')) {"
            "  const script = document.createElement('script'); script.text = old.text;"
            "  old.replaceWith(script); }",
            explore(name).html,
        )
    said, *_ = browser.execute_script(TURN, "banks", {"pad": 1})
    assert said in repr(explore("banks", pad=1)) and errors(browser) == []


def test_it_works_in_a_frame_that_may_not_touch_its_address(browser, page):
    look(browser, "about:blank")
    look(browser, page())
    browser.execute_script(
        "const frame = document.createElement('iframe'); frame.sandbox = 'allow-scripts';"
        "frame.srcdoc = '<!doctype html><html lang=en>' + arguments[0];"
        "document.body.append(frame);",
        explore("banks").html,
    )
    browser.execute_async_script("setTimeout(arguments[0], 300)")
    browser.switch_to.frame(browser.find_element("css selector", "iframe"))
    try:
        said, *_ = browser.execute_script(TURN, "banks", {"pad": 1})
        assert said in repr(explore("banks", pad=1))
    finally:
        browser.switch_to.default_content()
    assert errors(browser) == []


def test_without_a_script_the_first_frame_stands(browser):
    still = explore("banks").html.partition("<script>")[0]
    look(browser, "data:text/html," + quote(f"<!doctype html><html lang=en>{still}"))
    assert browser.find_element("css selector", "svg").is_displayed()
    assert not browser.find_element("css selector", "form").is_displayed()
