"""predict and reveal: what they say, and what a reader meets on a page and in a notebook."""

import json
import re

import numpy as np
import pytest
from helpers import BOOK, DESKTOP, PHONE, WIDE, assert_balanced, errors, look, module, violations
from selenium.webdriver.common.keys import Keys

from warpbook import predict, results, reveal
from warpbook.display import predictions
from warpbook.display.predictions import with_unit
from warpbook.launch.wording import number

QUESTION = "How many times as fast is `float4`?"
NAN = float("nan")
answers = module(BOOK / "_ext" / "answers.py")
ONE, REST = ["a1", "target", "why"], ["free", "between", "end"]  # of the page below


@pytest.fixture(autouse=True)
def empty(monkeypatch, tmp_path):
    """Nothing asked and nothing recorded yet."""
    monkeypatch.setattr(predictions, "_asked", {})
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")


def recorded(gpu, *rows, chapters=1):
    folder = results.folder_of(gpu)
    folder.mkdir(parents=True)
    stamps = {f"chapter{i}": {"gpu": gpu} for i in range(chapters)}
    (folder / "stamps.json").write_text(json.dumps(stamps), encoding="utf-8")
    lines = [f'chapter0,{key},"{question}",times,{value}' for key, question, value in rows]
    (folder / "predictions.csv").write_text(
        "\n".join(["chapter,key,question,unit,value", *lines]) + "\n", encoding="utf-8"
    )


# What they say.


def test_question_and_answer_in_plain_text():
    assert repr(predict("four", QUESTION, "times")) == f"Predict: {QUESTION} In times."
    assert repr(reveal("four", 1.31312)) == "Measured: 1.313 times"


@pytest.mark.parametrize(
    "value, said",
    [
        (0, "0"),
        (32.0, "32"),
        (268435456, "268,435,456"),
        (np.int64(12345), "12,345"),
        (1.31312, "1.313"),
        (0.70649, "0.7065"),
        (3912.04, "3,912"),
        (53712.4, "53,710"),
        (-2.5, "-2.5"),
    ],
)
def test_the_digits_are_those_of_the_tables(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    "number, unit, said",
    [
        ("1", "sectors", "1 sector"),
        ("2", "sectors", "2 sectors"),
        ("1", "ms", "1 ms"),
        ("1", "times", "1 times"),
        ("15", "%", "15 %"),
        ("3", "", "3"),
    ],
)
def test_a_number_has_its_unit(number, unit, said):
    assert with_unit(number, unit) == said


def test_without_a_gpu_the_recording_answers_and_names_its_gpu():
    recorded("NVIDIA H100", ("four", QUESTION, 1.12), ("four", "Another?", 9), chapters=2)
    recorded("Other GPU", ("four", QUESTION, 1.31), ("lost", "Lost?", 1), chapters=3)
    predict("four", QUESTION, "times")
    assert repr(reveal("four", NAN)) == "Measured on Other GPU: 1.31 times"
    assert 'data-value="1.31"' in reveal("four", NAN).html
    (results.FOLDER / "other_gpu" / "predictions.csv").unlink()
    assert repr(reveal("four", NAN)) == "Measured on an NVIDIA H100: 1.12 times"


def test_where_nothing_was_recorded_it_says_so():
    predict("four", QUESTION, "times")
    assert repr(reveal("four", NAN)) == "Not measured: needs a GPU."
    assert "data-reveal" not in reveal("four", NAN).html


def test_a_recording_keeps_the_number_and_reads_none(monkeypatch, tmp_path):
    recorded("Other GPU", ("four", QUESTION, 1.31))
    monkeypatch.setenv(results.RECORDING, str(tmp_path))
    predict("four", QUESTION, "times")
    reveal("four", np.float32(1.25))
    assert "Not measured" in repr(reveal("four", NAN))
    assert results.read(tmp_path / "predictions.csv") == [
        {"key": "four", "question": QUESTION, "unit": "times", "value": 1.25}
    ]


def test_what_is_wrong_is_refused():
    with pytest.raises(LookupError, match=r"run the cell with predict\('four', ...\) first"):
        reveal("four", 1.0)
    predict("three", "How many?", "")
    with pytest.raises(LookupError, match="It was asked for: three"):
        reveal("four", 1.0)
    with pytest.raises(ValueError, match="a key is letters"):
        predict("a b", "How many?", "ms")
    with pytest.raises(ValueError, match="needs a question"):
        predict("four", " ", "ms")


def test_the_html_is_sound_and_small():
    asked = predict("four", "Is `a < b` & 'c'?", "GB/s")
    answer = reveal("four", 2.0)
    for shown in (asked, answer):
        assert_balanced(shown.html)
        assert "\n\n" not in shown.html
        assert not re.search(r"https?://|@import|url\(| src=|fetch\(", shown.html)
    assert "<code>a &lt; b</code> &amp; 'c'?" in asked.html
    assert len(asked.html.encode()) < 12_000 and len(answer.html.encode()) < 3_000


def test_a_reworded_question_is_another_one():
    names = [
        re.search('data-predict="(.*?)"', predict("four", q, "").html)[1]
        for q in ("How many?", "How much?")
    ]
    assert names[0] != names[1] and all(name.startswith("four-") for name in names)


def test_an_installed_package_has_the_script(installed):
    assert (installed / "warpbook" / "display" / "predictions.js").is_file()


# On a page. Its parts stand as the book's builder puts them, its rule for [hidden] is the theme's.


def cell(shown, tag=""):
    return f'<div class="cell {tag}"><div class="cell_output"><div>{shown.html}</div></div></div>'


def marked(html):
    return f"<div class={answers.MARK}>{html}</div>"


def write_page(folder):
    """A page of two steps; the second has two questions. The paragraphs are the ids.

    The first answer goes past the heading below it, and something else stands behind it.
    """
    one = cell(predict("one", "How many sectors?", "sectors"))
    two = cell(predict("two", "How many times?", "times"))
    three = cell(predict("three", "How long?", "ms"))
    body = f"""<section id=top><h1>Title</h1><p>before</p>
      <section id=s1><h2>One</h2>{one}
        {marked("<p id=a1>answer one</p><p id=target>target</p>")}
        {cell(reveal("one", 16), answers.MARK)}
        <section id=s11><h3 class={answers.MARK}>What happened</h3>
          {marked("<p id=why>why</p>")}<p id=free>free</p></section></section>
      <section id=s2><h2>Two</h2>{two}
        {marked("<p id=a2>answer two</p><figure data-key=banks>a figure with a state</figure>")}
        {cell(reveal("two", 1.3), answers.MARK)}<p id=between>between</p>
        {three}{marked("<p id=a3>answer three</p>")}
        {cell(reveal("three", NAN), answers.MARK)}</section>
      <section id=s3><h2>Three</h2><p id=end>end</p></section></section>"""
    style = (
        "<style>:root{color-scheme:light dark}body{margin:16px;font:16px sans-serif}"
        "[hidden]{display:none!important}p{min-height:2em}</style>"
    )
    once = module(BOOK / "_ext" / "cells.py").once
    (folder / "page.html").write_text(
        "<!doctype html><html lang=en><title>x</title><meta charset=utf-8>"
        f"<meta name=viewport content='width=device-width'>{style}"
        f"<main><article>{once(body)}</article></main>",
        encoding="utf-8",
    )


@pytest.fixture
def there(browser, tmp_path, folder_address):
    """The page's address; it is open, and nothing was ever given on it."""
    write_page(tmp_path)
    address = f"{folder_address}/page.html"
    look(browser, address)
    browser.execute_script("localStorage.clear()")
    look(browser, address)
    yield address
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert errors(browser) == []


def seen(browser):
    """Which of the page's paragraphs are there to see."""
    browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
    return browser.execute_script(
        "return [...document.querySelectorAll('p[id]:not(.warp-predict p)')]"
        ".filter(p => p.checkVisibility({contentVisibilityAuto: true}) && p.offsetHeight)"
        ".map(p => p.id)"
    )


def box(browser, number):
    return browser.find_elements("css selector", "[data-predict]")[number]


def type_in(browser, number, text):
    field = box(browser, number).find_element("css selector", "input")
    field.clear()
    field.send_keys(text, Keys.ENTER)


def press(browser, words, number=0):
    found = browser.find_elements(
        "xpath", f"//*[self::button or self::label][normalize-space()='{words}']"
    )
    [b for b in found if b.is_displayed()][number].click()


def wait_until_stored(browser, *values):
    """Wait until the page has stored these values and no other."""
    from selenium.webdriver.support.wait import WebDriverWait

    def found(browser):
        return browser.execute_script("return Object.values(localStorage).sort()")

    WebDriverWait(browser, 10).until(lambda browser: found(browser) == sorted(values))


def compared(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('[data-reveal]')]"
        ".map(r => r.querySelectorAll('p')[1]?.textContent ?? '')"
    )


def status(browser, number):
    return box(browser, number).find_element("css selector", "[role=status]").text


def score(browser):
    return browser.find_element("css selector", ".warp-score p").text


def test_what_is_marked_is_folded_and_nothing_else(browser, there):
    assert seen(browser) == REST
    assert not browser.find_element("css selector", "#s11 h3").is_displayed()
    assert status(browser, 0) == "The answer below is folded."
    assert len(browser.find_elements("css selector", ".warp-answer[hidden=until-found]")) == 4
    assert score(browser) == "You have given none of the 3 predictions of this page."


def test_a_number_unfolds_its_answer_and_is_compared(browser, there):
    type_in(browser, 0, "9")
    assert seen(browser) == [*ONE, *REST]
    assert status(browser, 0) == "You said 9. The answer is below."
    assert compared(browser) == [
        "You said 9, measured 16: too low by a factor of 1.78, within a factor of two.",
        "",
    ]
    assert score(browser) == "1 of 1 predictions was within a factor of two; 2 not given."
    type_in(browser, 1, "6.5 times")
    assert seen(browser) == [*ONE, "free", "a2", "between", "end"]
    assert compared(browser)[1] == (
        "You said 6.5 times, measured 1.3: too high by a factor of 5, not within a factor of two."
    )
    assert score(browser) == "1 of 2 predictions was within a factor of two; 1 not given."


def test_questions_in_a_row_share_an_answer(browser, there, tmp_path):
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    parts = re.split("(?=<p id=between>)|(?=<p id=a3>)", text)
    assert len(parts) == 3
    asked = parts[1].removesuffix(f"<div class={answers.MARK}>")
    moved = parts[0].replace("<section id=s2><h2>Two</h2>", f"<section id=s2><h2>Two</h2>{asked}")
    rest = f"<div class={answers.MARK}>" + parts[2]
    (tmp_path / "moved.html").write_text(moved + rest, encoding="utf-8")
    look(browser, there.replace("page.html", "moved.html"))  # a page may be kept for a second
    assert seen(browser) == REST[:1] + ["between", "end"]
    type_in(browser, 1, "3")
    assert seen(browser) == ["free", "between", "end"]
    assert status(browser, 1) == "You said 3. The answer is below the other question."
    press(browser, "Skip", 1)
    assert seen(browser) == ["free", "between", "a2", "a3", "end"]


def test_skipping_unfolds_and_gives_nothing(browser, there):
    press(browser, "Skip")
    assert seen(browser) == [*ONE, *REST]
    assert status(browser, 0) == "Skipped. The answer is below."
    assert compared(browser) == ["", ""] and "none of the 3" in score(browser)
    focus = browser.switch_to.active_element.get_attribute("class")
    assert focus == "warp-answer", "reading goes on with the answer"


@pytest.mark.parametrize("text", ["", "many", "1.2.3", "--1"])
def test_what_is_no_number_is_refused_in_words(browser, there, text):
    type_in(browser, 0, text)
    assert status(browser, 0) == "Type a number, such as 2.5."
    assert seen(browser) == REST
    field = browser.switch_to.active_element
    assert field.get_attribute("aria-invalid") == "true"
    field.send_keys("1")
    assert field.get_attribute("aria-invalid") is None


def test_numbers_are_read_as_people_write_them(browser, there):
    texts = {
        "2": 2,
        " 1.5 ": 1.5,
        "1,5": 1.5,
        "0,125": 0.125,
        "3,000": 3000,
        "3 000": 3000,
        "1,234.5 GB/s": 1234.5,
        "15 %": 15,
        "2×": 2,
        "1e9": 1e9,
        "−3": -3,
        ".5": 0.5,
        "12 sectors": 12,
    }
    found = browser.execute_script("return arguments[0].map(warpPredict.number)", list(texts))
    assert dict(zip(texts, found, strict=True)) == texts


def test_the_factor_is_the_same_both_ways(browser, there):
    pairs = [(2, 1), (1, 2), (16, 16), (0, 0), (-2, -4), (0, 5)]
    found = browser.execute_script(
        "return arguments[0].map(([a, b]) => String(warpPredict.factor(a, b)))", pairs
    )
    assert found == ["2", "2", "1", "1", "2", "Infinity"]


def test_what_was_given_is_remembered_and_can_be_forgotten(browser, there):
    type_in(browser, 0, "9")
    press(browser, "Skip")
    wait_until_stored(browser, "9", "-")
    look(browser, there)
    assert seen(browser) == [*ONE, "free", "a2", "between", "end"]
    assert compared(browser)[0].startswith("You said 9")
    assert box(browser, 0).find_element("css selector", "input").get_attribute("value") == "9"
    press(browser, "Forget my predictions")
    assert seen(browser) == REST and compared(browser) == ["", ""]
    wait_until_stored(browser)
    look(browser, there)
    assert seen(browser) == REST


def test_a_switch_shows_all_answers_and_is_remembered(browser, there):
    everything = [*ONE, "free", "a2", "between", "a3", "end"]
    press(browser, "Show all answers", 1)
    assert seen(browser) == everything
    wait_until_stored(browser, "yes")
    look(browser, there)
    assert seen(browser) == everything
    switches = browser.find_elements("css selector", "[type=checkbox]")
    assert len(switches) == 4 and all(switch.is_selected() for switch in switches)
    press(browser, "Show all answers")
    assert seen(browser) == REST


def test_one_switch_serves_all_pages_and_works_by_keyboard(browser, there, tmp_path):
    (tmp_path / "other.html").write_bytes((tmp_path / "page.html").read_bytes())
    browser.find_element("css selector", "[type=checkbox]").send_keys(Keys.SPACE)
    wait_until_stored(browser, "yes")
    look(browser, there.replace("page.html", "other.html"))
    assert seen(browser) == [*ONE, "free", "a2", "between", "a3", "end"]
    browser.find_elements("css selector", "[type=checkbox]")[-1].send_keys(Keys.SPACE)
    wait_until_stored(browser)
    look(browser, there)
    assert seen(browser) == REST


def test_a_link_opens_the_answer_it_leads_into(browser, there):
    look(browser, "about:blank")
    look(browser, f"{there}#target")
    assert seen(browser) == [*ONE, *REST]
    browser.execute_script("location.hash = '#a3'")
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert seen(browser) == [*ONE, "free", "between", "a3", "end"]
    look(browser, "about:blank")
    look(browser, f"{there}#s11")
    assert seen(browser) == [*ONE, *REST], "the heading is folded, and its section is not"
    look(browser, "about:blank")
    look(browser, f"{there}#banks.row=33")
    assert seen(browser) == ["free", "a2", "between", "end"]
    look(browser, "about:blank")
    look(browser, f"{there}#%")
    assert seen(browser) == REST


def test_a_search_in_the_page_opens_the_answer_it_finds(browser, there):
    browser.execute_script(
        "for (const fold of document.querySelectorAll('.warp-answer[hidden=until-found]'))"
        "  if (fold.textContent.includes('answer three'))"
        "    fold.dispatchEvent(new Event('beforematch'));"
    )
    assert seen(browser) == ["free", "between", "a3", "end"]


def test_paper_has_everything(browser, there):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert seen(browser) == [*ONE, "free", "a2", "between", "a3", "end"]
    assert not box(browser, 0).find_element("css selector", "input").is_displayed()


def test_the_keyboard_alone_works_it(browser, there):
    order = []
    for _ in range(4):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        here = browser.switch_to.active_element
        order.append(here.text or here.get_attribute("type"))
        if order[-1] == "Skip":
            here.send_keys(Keys.SHIFT, Keys.TAB)
            browser.switch_to.active_element.send_keys(Keys.SHIFT, Keys.TAB)
            browser.switch_to.active_element.send_keys("16", Keys.ENTER)
            break
    assert order == ["text", "Show the answer", "Skip"]
    assert compared(browser)[0] == "You said 16, measured 16: right."
    assert browser.switch_to.active_element.get_attribute("value") == "16"
    browser.switch_to.active_element.send_keys(Keys.TAB, Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("type") == "checkbox"
    browser.switch_to.active_element.send_keys(Keys.SPACE)
    assert "a3" in seen(browser)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_is_accessible_and_fits(browser, there, size, dark):
    type_in(browser, 0, "9")
    wait_until_stored(browser, "9")
    look(browser, there, size, dark)
    assert browser.execute_script(WIDE) == []
    assert violations(browser) == []
    for line in browser.find_elements("css selector", "[role=status]"):
        assert line.get_attribute("aria-live") == "polite"
    field = box(browser, 1).find_element("css selector", "input")
    assert field.accessible_name == "Your prediction"
    described = browser.execute_script(
        "return arguments[0].getAttribute('aria-describedby').split(' ')"
        ".map(id => document.getElementById(id).textContent).join(' ')",
        field,
    )
    assert described == "Predict. How many times? times"


def test_without_a_script_nothing_is_folded(browser, there):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        look(browser, there)
        shown = browser.find_element("css selector", "article").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    for text in ("How many sectors?", "answer one", "Measured: 16 sectors", "answer three"):
        assert text in shown
    assert "Your prediction" not in shown


# In a notebook.


PUT = """
const host = document.createElement('div'); document.body.append(host);
host.innerHTML = arguments[0];
for (const old of host.querySelectorAll('script')) {
  const script = document.createElement('script');
  script.text = old.text;
  old.replaceWith(script); }
"""


@pytest.fixture
def bare(tmp_path, folder_address):
    """The address of a page with nothing on it."""
    (tmp_path / "bare.html").write_text(
        "<!doctype html><html lang=en><p id=end>x", encoding="utf-8"
    )
    return f"{folder_address}/bare.html"


def test_a_notebooks_outputs_share_a_page(browser, there, bare):
    asked, answer = predict("four", QUESTION, "times"), reveal("four", 1.3)
    look(browser, bare)
    browser.execute_script(PUT, asked.html)
    assert [b.text for b in browser.find_elements("css selector", "button")] == ["Predict", ""]
    type_in(browser, 0, "2")
    assert status(browser, 0) == "You said 2. The answer is below."
    browser.execute_script(PUT, answer.html)
    right = "You said 2, measured 1.3: too high by a factor of 1.54, within a factor of two."
    assert compared(browser) == [right]
    browser.execute_script("document.querySelector('[data-reveal]').parentElement.remove()")
    browser.execute_script(PUT, answer.html)  # the cell is run again
    assert compared(browser) == [right]
    assert not browser.find_elements("css selector", ".warp-answer, .warp-score, [type=checkbox]")


def test_outputs_that_colab_isolates_have_question_and_answer_alone(
    browser, there, tmp_path, folder_address
):
    both = predict("four", QUESTION, "times").html + reveal("four", 1.3).html
    (tmp_path / "frame.html").write_text(
        f"<!doctype html><html lang=en><script>window.google = {{colab: {{}}}}</script>{both}",
        encoding="utf-8",
    )
    look(browser, f"{folder_address}/frame.html")
    shown = browser.find_element("css selector", "body").text
    assert shown == "Predict. How many times as fast is float4?\nMeasured: 1.3 times"


def test_it_works_in_a_frame_that_may_keep_nothing(browser, there, bare):
    both = predict("four", QUESTION, "times").html + reveal("four", 1.3).html
    look(browser, bare)
    browser.execute_script(
        "const frame = document.createElement('iframe'); frame.sandbox = 'allow-scripts';"
        "frame.srcdoc = '<!doctype html><html lang=en>' + arguments[0];"
        "document.body.append(frame);",
        both,
    )
    browser.execute_async_script("setTimeout(arguments[0], 300)")
    browser.switch_to.frame(browser.find_element("css selector", "iframe"))
    try:
        type_in(browser, 0, "1.3")
        assert compared(browser) == ["You said 1.3, measured 1.3: right."]
    finally:
        browser.switch_to.default_content()
