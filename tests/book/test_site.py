"""The built site in headless Chromium, as readers meet it: phone and desktop, light and dark."""

import importlib.util
from pathlib import Path
from urllib.parse import quote

import pytest
from conftest import PAGES

AXE = Path(importlib.util.find_spec("selenium_axe_python").origin).parent / "axe-core/axe.min.js"
DESKTOP, PHONE = (1280, 900), (390, 844)
LEGIBLE = 4.5  # WCAG AA, for text of any size

CONTRAST = """
const part = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 :
  ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = node => { let layers = [];
  for (let n = node; n; n = n.parentElement) layers.push(part(getComputedStyle(n).backgroundColor));
  return layers.reduceRight((under, top) => over(top, under), [255, 255, 255, 1]); };
return [...document.querySelectorAll('figure.warp-figure svg text')].map(text => {
  const back = ground(text), style = getComputedStyle(text), fill = part(style.fill);
  fill[3] *= parseFloat(style.fillOpacity) * parseFloat(style.opacity);
  const [a, b] = [light(over(fill, back)), light(back)].sort((x, y) => y - x);
  return [text.textContent.trim(), (a + 0.05) / (b + 0.05)]; });
"""
UNNAMED = """
const named = n => (n.getAttribute('aria-label') || n.getAttribute('alt') || n.querySelector?.('title')?.textContent
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
# axe-core reads the same few colours anew for each of ten thousand elements: a third of its time.
REMEMBER = """
const color = axe.commons.color.Color.prototype, parse = color.parseString, known = new Map();
color.parseString = function (text) {
  const {r, g, b, alpha} = known.get(text) ?? parse.call(this, text);
  known.set(text, {r, g, b, alpha});
  return Object.assign(this, {r, g, b, alpha}); };
"""
# Of the words of code that look alike, on backgrounds that do, one speaks for all; the others go.
ALIKE = """
const grounds = new Map(), seen = new Set(), alike = [];
const behind = element => {
  if (!grounds.has(element)) {
    const colour = getComputedStyle(element).backgroundColor, above = element.parentElement;
    grounds.set(element, colour == "rgba(0, 0, 0, 0)" && above ? behind(above) : colour); }
  return grounds.get(element); };
for (const word of document.querySelectorAll("pre span:not(:has(*))")) {
  const {color, fontSize, fontWeight, opacity} = getComputedStyle(word);
  const look = [color, fontSize, fontWeight, opacity, behind(word)].join();
  if (seen.has(look)) alike.push(word); else seen.add(look); }
alike.forEach(word => word.remove());
"""
THEME = "return document.documentElement.dataset.theme"
WIDE = """
const limit = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= limit) return [];
return [document.documentElement.scrollWidth + ' px in ' + limit];
"""


def look(browser, address, size=DESKTOP, dark=False):
    """Open a page at a window size and in a colour scheme; its earlier console is dropped."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"}]})  # no colour is half way
    browser.get_log("browser")
    browser.get(address)
    return browser


def errors(browser):
    """What the page's console reports as an error."""
    return [m["message"] for m in browser.get_log("browser") if m["level"] == "SEVERE"]


def foreign(browser):
    """What the page fetched from another host."""
    names = browser.execute_script(
        "return performance.getEntriesByType('resource').map(e => e.name)")
    home = browser.execute_script("return location.origin")
    return [n for n in names if n.startswith("http") and not n.startswith(home)]


def faint(browser):
    """Plot texts whose contrast with what is behind them is too small."""
    return [pair for pair in browser.execute_script(CONTRAST) if pair[1] < LEGIBLE]


def violations(browser, *rules):
    """axe-core's serious and critical findings, by all rules or by those named."""
    browser.execute_script(AXE.read_text() + REMEMBER + ALIKE)
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = browser.execute_async_script(
        "axe.run(arguments[0]).then(arguments[arguments.length - 1])", options)
    return [f"{v['id']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
            for v in found["violations"] if v["impact"] in ("serious", "critical")
            for node in v["nodes"][:5]]


def hits(browser, address, word):
    """The titles that the site's search finds."""
    from selenium.webdriver.support.wait import WebDriverWait

    look(browser, f"{address}/search.html?q={word}")
    done = "return document.querySelector('.search-summary')?.textContent.length > 0"
    WebDriverWait(browser, 10).until(lambda b: b.execute_script(done))
    return browser.execute_script(
        "return [...document.querySelectorAll('ul.search li a')].map(a => a.textContent)")


@pytest.mark.parametrize("page", [*PAGES, "search"])
def test_page_is_sound(browser, address, page):
    look(browser, f"{address}/{page}.html")
    assert browser.execute_script(THEME) == "light"
    assert errors(browser) == []
    assert foreign(browser) == []
    assert browser.execute_script(UNNAMED) == []
    assert faint(browser) == []
    assert violations(browser) == []


@pytest.mark.parametrize("page", PAGES)
def test_page_is_legible_in_the_dark(browser, address, page):
    look(browser, f"{address}/{page}.html", dark=True)
    assert browser.execute_script(THEME) == "dark"
    assert faint(browser) == []
    assert violations(browser, "color-contrast") == []


@pytest.mark.parametrize("page", PAGES)
def test_phone_scrolls_one_way_and_the_keyboard_reaches_what_scrolls(browser, address, page):
    look(browser, f"{address}/{page}.html", PHONE)
    assert browser.execute_script(WIDE) == []
    assert browser.execute_script(UNREACHABLE) == []


def test_search_finds_coalescing(browser, address):
    assert any("oalescing" in title for title in hits(browser, address, "coalescing"))
    assert hits(browser, address, "zyzzyva") == []


# Planted faults: each check can fail.


def planted(browser, body, size=DESKTOP, dark=False):
    page = f"<!doctype html><html lang=en><title>x</title><main><article>{body}</article></main>"
    return look(browser, "data:text/html," + quote(page), size, dark)


def test_an_error_in_the_console_is_seen(browser):
    assert errors(planted(browser, "<script>nothing.here()</script>"))


def test_a_script_from_another_host_is_seen(browser, address, site):
    page = site / "planted.html"
    page.write_text(f"<script src='{address.replace('127.0.0.1', 'localhost')}/x.js'></script>")
    assert foreign(look(browser, f"{address}/planted.html"))


@pytest.mark.parametrize("body", ["<img src='data:,'>", "<img src='data:,' alt=' '>",
                                  "<svg role=img><title> </title></svg>"])
def test_a_picture_without_words_is_seen(browser, body):
    assert planted(browser, body).execute_script(UNNAMED)


def test_a_page_too_wide_is_seen(browser):
    page = "<meta name=viewport content='width=device-width'><pre>" + "x" * 200
    assert planted(browser, page, PHONE).execute_script(WIDE)


def test_a_box_out_of_the_keyboards_reach_is_seen(browser):
    box = "<meta name=viewport content='width=device-width'><pre style='overflow-x: auto' {}>"
    text = "x" * 200
    # Chromium lets the keyboard reach any scroller; other browsers do not, so tabindex is asked for.
    assert planted(browser, box.format("") + text, PHONE).execute_script(UNREACHABLE)
    assert not planted(browser, box.format("tabindex=0") + text, PHONE).execute_script(UNREACHABLE)


def test_faint_text_is_seen(browser):
    figure = "<figure class=warp-figure style='background: {}'><svg><text y=9>a</text></svg></figure>"
    assert faint(planted(browser, figure.format("#222")))
    assert not faint(planted(browser, figure.format("white")))


def test_a_violation_is_seen(browser):
    assert violations(planted(browser, "<button></button>"))
    assert violations(planted(browser, "<p style='color: #999'>faint words</p>"), "color-contrast")
    for word in ("<b style='background: #222'><span>dark</span></b>",  # the colour of the plain word
                 "<span style='color: #999'>faint</span>"):
        code = f"<pre><span>plain</span> <span>again</span> {word}</pre>"
        assert violations(planted(browser, code), "color-contrast")
