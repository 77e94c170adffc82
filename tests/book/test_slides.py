"""A chapter as slides, in headless Chromium: its own elements, by keyboard, light and dark."""

from urllib.parse import quote

import pytest
from helpers import BOOK, errors, look, violations
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

HALL = (1280, 720)
SCRIPT = (BOOK / "_ext" / "slides.js").read_text(encoding="utf-8")
LOADED = """return performance.getEntriesByType('resource').map(e => e.name)
  .filter(name => name.includes('slides'))"""
NUMBER = "return document.querySelector('.w-bar [role=status]')?.textContent"
SEEN = """
const seen = document.querySelectorAll('.w-stage .w-on');
return [...seen].filter(one => one.checkVisibility()).map(one =>
  one.matches('h1, h2, h3') ? 'heading' : one.matches('figure, img') ? 'picture'
  : one.matches('[data-predict]') ? 'question' : one.querySelector('table') ? 'table'
  : one.matches('.warp-claim, .w-sentence') ? 'sentence' : one.className);
"""
STRAY = """
const box = n => n.getBoundingClientRect();
return [...document.querySelectorAll('body *')].filter(n => n.checkVisibility() && box(n).width
  && !n.closest('.w-on') && !n.matches('.w-way')).map(n => n.outerHTML.slice(0, 80));
"""
CUT = """
return [document.querySelector('article'), ...document.querySelectorAll('.w-big')].filter(n =>
  n.scrollHeight > n.clientHeight + 1 && n.matches('article')
  || n.scrollWidth > n.clientWidth + 1).map(n => n.outerHTML.slice(0, 80));
"""
TEXT = "return document.querySelector('article').textContent"
LEFT = "return document.querySelectorAll('.w-on, .w-way, .w-big, .w-sentence, .w-bar').length"


def press(browser, key):
    ActionChains(browser).send_keys(key).perform()


def begin(browser, address, page, dark=False):
    look(browser, f"{address}/{page}.html", HALL, dark)
    browser.execute_script("localStorage.clear(); warpPredict.show(false)")
    assert browser.execute_script(LOADED) == []
    browser.find_element("id", "warp-slides").click()
    WebDriverWait(browser, 5).until(lambda b: b.execute_script(NUMBER))
    return int(browser.execute_script(NUMBER).split(" of ")[1])


@pytest.mark.parametrize("page, dark", [("05_coalescing", False), ("15_matmul_naive", True)])
def test_the_slides_are_the_pages_own_elements(browser, address, page, dark):
    count = begin(browser, address, page, dark)
    assert len(browser.execute_script(LOADED)) == 1
    kinds = []
    for number in range(1, count + 1):
        assert browser.execute_script(NUMBER) == f"{number} of {count}"
        kinds.append(browser.execute_script(SEEN))
        assert browser.execute_script(STRAY) == [], number
        assert browser.execute_script(CUT) == [], number
        press(browser, Keys.ARROW_RIGHT)
    assert browser.execute_script(NUMBER) == f"{count} of {count}"  # it ends there
    assert kinds[0] == ["heading", "sentence", "picture"]
    assert all(seen[0] == "heading" and len(seen) > 1 for seen in kinds)
    shown = [kind for seen in kinds for kind in seen]
    questions = browser.execute_script(
        "return document.querySelectorAll('.cell_output [data-predict]').length"
    )
    assert shown.count("question") == questions >= 4
    assert shown.count("table") >= 5 and shown.count("picture") >= 5
    assert violations(browser, "color-contrast") == []
    assert errors(browser) == []


def test_a_question_stands_before_its_answer_and_the_next_key_opens_it(browser, address):
    begin(browser, address, "05_coalescing")
    while "question" not in browser.execute_script(SEEN):
        press(browser, Keys.ARROW_RIGHT)
    folded = "return document.querySelectorAll('.warp-answer[hidden]').length"
    before = browser.execute_script(folded)
    assert "table" not in browser.execute_script(SEEN)
    press(browser, Keys.ARROW_RIGHT)
    assert {"table", "sentence"} <= set(browser.execute_script(SEEN))
    assert browser.execute_script(folded) < before
    press(browser, Keys.ARROW_LEFT)
    assert "question" in browser.execute_script(SEEN)


def test_escape_gives_the_page_back(browser, address):
    look(browser, f"{address}/05_coalescing.html", HALL)
    text = browser.execute_script(TEXT)
    begin(browser, address, "05_coalescing")
    for key in (Keys.END, Keys.HOME, Keys.PAGE_DOWN):
        press(browser, key)
    assert browser.execute_script(NUMBER).startswith("2 of ")
    press(browser, Keys.ESCAPE)
    assert browser.execute_script(LEFT) == 0 and browser.execute_script(NUMBER) is None
    assert browser.execute_script(TEXT) == text
    assert browser.execute_script("return document.activeElement.id") == "warp-slides"
    browser.find_element("id", "warp-slides").click()  # and they begin again
    assert browser.execute_script(NUMBER).startswith("1 of ")


def test_keys_in_a_field_move_the_field(browser, address):
    begin(browser, address, "05_coalescing")
    knob = browser.find_element("css selector", ".w-stage input[type=range]")
    value = int(knob.get_attribute("value"))
    knob.send_keys(Keys.ARROW_RIGHT)
    assert int(knob.get_attribute("value")) == value + 1
    assert browser.execute_script(NUMBER).startswith("1 of ")
    press(browser, Keys.ESCAPE)  # leaves the field
    press(browser, Keys.ARROW_RIGHT)
    assert browser.execute_script(NUMBER).startswith("2 of ")


def test_a_heading_alone_is_no_slide_and_a_short_sentence_takes_the_next(browser):
    body = (
        "<section><h1>Title</h1><p>Now the time. It is <b>counted</b> in clocks of an SM. More."
        "</section><section><h2>Only a heading</h2></section>"
        "<section><h2>Last</h2><p>A paragraph.</section>"
    )
    page = f"<!doctype html><button id=warp-slides></button><article class=bd-article>{body}"
    look(browser, "data:text/html," + quote(page), HALL)
    browser.execute_script(SCRIPT)
    assert browser.execute_script(NUMBER) == "1 of 2"
    said = browser.find_element("css selector", ".w-sentence.w-on").get_attribute("innerHTML")
    assert said == "Now the time. It is <b>counted</b> in clocks of an SM."


def test_only_chapters_have_the_button(site):
    has = {p for p in site.rglob("*.html") if "warp-slides" in p.read_text(encoding="utf-8")}
    assert has == set(site.glob("[0-9][0-9]_*.html"))
