"""The built site in headless Chromium, as readers meet it: phone and desktop, light and dark."""

import re
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from helpers import DESKTOP, PAGES, PHONE, WIDE, errors, look, show_as, violations
from selenium.webdriver.support.ui import WebDriverWait

LEGIBLE = 4.5  # WCAG AA, for text of any size

CONTRAST = """
const part = text => {
  const n = text.match(/[\\d.]+/g).map(Number);
  return n.length < 4 ? [...n, 1] : n; };
const over = (top, under) =>
  [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 :
  ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = node => { let layers = [];
  for (let n = node; n; n = n.parentElement) layers.push(part(getComputedStyle(n).backgroundColor));
  return layers.reduceRight((under, top) => over(top, under), [255, 255, 255, 1]); };
const colour = node => { const style = getComputedStyle(node), fill = part(style.fill);
  fill[3] *= parseFloat(style.fillOpacity) * parseFloat(style.opacity); return fill; };
const middle = (text, shape) => { const box = text.getBoundingClientRect();
  return new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(
    shape.getScreenCTM().inverse()); };
const solid = (text, shape) => !shape.closest('defs') && shape.getScreenCTM()
  && shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING
  && getComputedStyle(shape).fill.startsWith('rgb') && colour(shape)[3] === 1
  && shape.isPointInFill(middle(text, shape));
return [...document.querySelectorAll('figure.warp-figure svg text')].map(text => {
  const shapes = [...text.closest('svg').querySelectorAll('path, rect, circle')];
  const opaque = shapes.filter(shape => solid(text, shape)).map(colour);
  const back = opaque.length ? opaque.pop() : ground(text), fill = colour(text);
  const [a, b] = [light(over(fill, back)), light(back)].sort((x, y) => y - x);
  return [text.textContent.trim(), (a + 0.05) / (b + 0.05)]; });
"""
UNNAMED = """
const named = n => (n.getAttribute('aria-label') || n.getAttribute('alt')
  || n.querySelector?.('title')?.textContent
  || document.getElementById(n.getAttribute('aria-labelledby'))?.textContent || '').trim();
const article = [...document.querySelectorAll('article img, article svg[role=img]')];
const rest = [...document.querySelectorAll('img:not([alt])')];
return [...article.filter(n => !named(n)), ...rest].map(n => n.outerHTML.slice(0, 200));
"""
UNREACHABLE = """
return [...document.querySelectorAll('article *')].filter(n =>
  n.scrollWidth > n.clientWidth + 1 && n.clientWidth > 0
  && ['auto', 'scroll'].includes(getComputedStyle(n).overflowX)
  && n.tabIndex < 0 && !n.querySelector('a[href], button, [tabindex="0"], summary, input'))
  .map(n => n.outerHTML.slice(0, 200));
"""
# Listings and code, of cells and in the text, whose lines go on beyond their boxes; folded or not.
CLIPPED = """
const folds = [...document.querySelectorAll('article details:not([open])')];
folds.forEach(fold => fold.open = true);
const found = [...document.querySelectorAll('article .highlight pre, .warp-code .w-body')]
  .filter(n => n.scrollWidth > n.clientWidth + 1).map(n => n.textContent.slice(0, 200));
folds.forEach(fold => fold.open = false);
return found;
"""
THEME = "return document.documentElement.dataset.theme"
# Predictions whose answer is not in what they fold, what belongs to an answer and never folds, and
# what is folded and belongs to none; then all answers are shown, for what follows.
ASTRAY = """
const all = selector => [...document.querySelectorAll(selector)];
const astray = all('[data-predict]').filter(box =>
  !box.answer?.parts.some(part => part.querySelector(`[data-reveal="${box.dataset.predict}"]`)));
const seen = all('.tag_answer').filter(n => !n.closest('.warp-answer'));
const folded = all('.warp-answer > :not(.tag_answer)');
window.warpPredict?.show(true);
const words = n => n.textContent.trim().slice(0, 60);
return [...astray.map(box => box.dataset.predict),
  ...seen.map(n => `seen: ${words(n)}`), ...folded.map(n => `folded: ${words(n)}`)];
"""


def faint(browser):
    """Plot texts whose contrast with what is behind them is too small."""
    return [pair for pair in browser.execute_script(CONTRAST) if pair[1] < LEGIBLE]


def hits(browser, address, word):
    """The titles that the site's search finds."""
    from selenium.webdriver.support.wait import WebDriverWait

    look(browser, f"{address}/search.html?q={word}")
    done = "return document.querySelector('.search-summary')?.textContent.length > 0"
    WebDriverWait(browser, 10).until(lambda b: b.execute_script(done))
    return browser.execute_script(
        "return [...document.querySelectorAll('ul.search li a')].map(a => a.textContent)"
    )


def themed(browser, name):
    """Whether the page is light or dark, or soon is: its script settles that after loading."""
    end = time.monotonic() + 5
    while browser.execute_script(THEME) != name:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("page", [*PAGES, "search"])
def test_page_is_sound_and_legible_everywhere(browser, address, page):
    """One visit for all, because loading is dear: a desktop in the light, a phone in the dark."""
    look(browser, f"{address}/{page}.html")
    assert themed(browser, "light")
    assert browser.execute_script(ASTRAY) == []
    assert errors(browser) == []
    assert browser.execute_script(UNNAMED) == []
    assert browser.execute_script(CLIPPED) == []
    assert faint(browser) == []
    assert violations(browser) == []
    show_as(browser, PHONE, dark=True)
    assert themed(browser, "dark")
    assert browser.execute_script(WIDE) == []
    WebDriverWait(browser, 5).until(  # the theme looks at a page's boxes a moment after a resize
        lambda browser: browser.execute_script(UNREACHABLE) == [],
        "the keyboard does not reach what scrolls",
    )
    assert faint(browser) == []
    assert violations(browser, "color-contrast") == []


@pytest.mark.parametrize("page", [PAGES[0], PAGES[1], "search"])
def test_what_a_phone_leaves_out_is_legible_in_the_dark(browser, address, page):
    """The bars beside a page; they are the same on all."""
    look(browser, f"{address}/{page}.html", dark=True)
    assert themed(browser, "dark")
    browser.execute_script(ASTRAY)
    assert violations(browser, "color-contrast") == []


@pytest.mark.parametrize(
    "words, first",
    [
        ("coalescing", "5. Coalescing"),
        ("bank conflict", "8. Bank conflicts"),
        ("how to run", "How to run it"),
    ],
)
def test_search_finds_the_page_of_a_subject_first(browser, address, words, first):
    assert hits(browser, address, words)[0] == first
    assert errors(browser) == []


def test_search_says_that_there_is_nothing(browser, address):
    assert hits(browser, address, "zyzzyva") == []


def test_a_result_leads_to_the_words(browser, address):
    titles = hits(browser, address, "bank conflict")
    place = titles.index("The bound")
    browser.find_elements("css selector", "ul.search li a")[place].click()
    WebDriverWait(browser, 10).until(lambda b: b.execute_script("return scrollY > 0"))
    assert "08_bank_conflicts.html#the-bound" in browser.current_url


def test_from_disk_the_builders_own_search_answers(browser, site):
    assert "5. Coalescing" in hits(browser, Path(site).as_uri(), "coalescing")


HEAVY = re.compile("fontawesome|fa-solid|searchindex|searchtools|pagefind|/search[.]js")


def test_a_page_fetches_neither_a_font_of_signs_nor_an_index(browser, address):
    look(browser, f"{address}/{PAGES[1]}.html")
    loaded = browser.execute_script(
        "return performance.getEntriesByType('resource').map(entry => entry.name)"
    )
    assert loaded and [name for name in loaded if HEAVY.search(name)] == []


@pytest.mark.parametrize("page", PAGES)
def test_nor_does_it_ask_for_one(site, page):
    html = (Path(site) / f"{page}.html").read_text(encoding="utf-8")
    assert (
        HEAVY.findall(re.sub(r"data-pagefind-\w+", "", "".join(re.findall("<[^>]*>", html)))) == []
    )


# Planted faults.


def planted(browser, body, size=DESKTOP, dark=False):
    page = f"<!doctype html><html lang=en><title>x</title><main><article>{body}</article></main>"
    return look(browser, "data:text/html," + quote(page), size, dark)


def test_an_answer_that_is_not_folded_is_seen(browser):
    body = "<p data-predict=a></p><p data-predict=b id=b><p id=c data-reveal=b>"
    planted(browser, body)
    browser.execute_script(
        "document.getElementById('b').answer = {parts: [document.querySelector('main')]}"
    )
    assert browser.execute_script(ASTRAY) == ["a"]


def test_an_answer_in_sight_and_what_is_folded_without_being_one_are_seen(browser):
    planted(browser, "<p class=tag_answer>one<div class=warp-answer hidden><p>two</p></div>")
    assert browser.execute_script(ASTRAY) == ["seen: one", "folded: two"]


def test_an_error_in_the_console_is_seen(browser):
    assert errors(planted(browser, "<script>nothing.here()</script>"))


def test_a_script_from_another_host_is_seen(browser, address, site):
    elsewhere = address.replace("127.0.0.1", "localhost")
    (site / "planted.html").write_text(
        f"<script src='{elsewhere}/x.js'></script>", encoding="utf-8"
    )
    assert "Content Security Policy" in errors(look(browser, f"{address}/planted.html"))[0]


@pytest.mark.parametrize(
    "body",
    ["<img src='data:,'>", "<img src='data:,' alt=' '>", "<svg role=img><title> </title></svg>"],
)
def test_a_picture_without_words_is_seen(browser, body):
    assert planted(browser, body).execute_script(UNNAMED)


@pytest.mark.parametrize("fold", ["{}", "<details><summary>Hint</summary>{}</details>"])
def test_clipped_code_is_seen(browser, fold):
    body = '<div class="highlight"><pre style="overflow:auto;width:600px">{}</pre></div>'
    planted(browser, fold.format(body.format("x" * 200)))
    assert len(browser.execute_script(CLIPPED)) == 1
    planted(browser, fold.format(body.format("x" * 20)))
    assert browser.execute_script(CLIPPED) == []


def test_a_page_too_wide_is_seen(browser):
    page = "<meta name=viewport content='width=device-width'><pre>" + "x" * 200
    assert planted(browser, page, PHONE).execute_script(WIDE)


def test_a_box_out_of_the_keyboards_reach_is_seen(browser):
    box = "<meta name=viewport content='width=device-width'><pre style='overflow-x: auto' {}>"
    text = "x" * 200
    # Chromium lets the keyboard reach any scroller; other browsers do not: tabindex is asked for.
    assert planted(browser, box.format("") + text, PHONE).execute_script(UNREACHABLE)
    assert not planted(browser, box.format("tabindex=0") + text, PHONE).execute_script(UNREACHABLE)


def test_faint_text_is_seen(browser):
    figure = (
        "<figure class=warp-figure style='background: {}'><svg><text y=9>a</text></svg></figure>"
    )
    assert faint(planted(browser, figure.format("#222")))
    assert not faint(planted(browser, figure.format("white")))


@pytest.mark.parametrize("shape, legible", [("#0072b2", True), ("#56b4e9", False), ("none", False)])
def test_a_word_is_compared_with_the_shape_behind_it(browser, shape, legible):
    body = (
        "<figure class=warp-figure><svg width=100 height=40>"
        f"<path d='M0 0H100V40H0z' fill='{shape}'/>"
        "<text x=20 y=25 fill=white>now</text></svg></figure>"
    )
    assert (not faint(planted(browser, body))) == legible


def test_a_violation_is_seen(browser):
    assert violations(planted(browser, "<button></button>"))
    assert violations(planted(browser, "<p style='color: #999'>faint words</p>"), "color-contrast")
    for word in (
        "<b style='background: #222'><span>dark</span></b>",  # the colour of the plain word
        "<span style='color: #999'>faint</span>",
    ):
        code = f"<pre><span>plain</span> <span>again</span> {word}</pre>"
        assert violations(planted(browser, code), "color-contrast")


@pytest.mark.parametrize("rules", [(), ("color-contrast",)])
@pytest.mark.parametrize("style", ["background: #333", "background: white; opacity: 0.4"])
def test_a_word_on_another_background_is_looked_at(browser, style, rules):
    """Though others of its style are not."""
    part = "<div style='{}'><p style='color: #222'>word</p></div>"
    page = f"<h1 id=h>words</h1>{3 * part.format('background: white')}"
    found = violations(planted(browser, page), *rules)
    more = violations(planted(browser, page + part.format(style)), *rules)
    assert len(more) == len(found) + 1 and any("color-contrast" in words for words in more)


@pytest.mark.parametrize("word", ["<p>faint</p>", "<pre><span>faint</span></pre>"])
@pytest.mark.parametrize(
    "unseen",
    [
        "<details><summary style='color: #222'>Hint</summary>{}</details>",
        "<p style='position: absolute; width: 1px; height: 1px; overflow: hidden'>faint</p>",
        "<svg><text y=9>faint</text></svg>",
    ],
)
def test_a_hidden_word_does_not_stand_for_a_visible_one(browser, unseen, word):
    page = f"<div style='color: #999'>{unseen.format(word)}{word}</div>"
    assert len(violations(planted(browser, page), "color-contrast")) == 1
