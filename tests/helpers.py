"""What several test files share, fixtures apart: places, the builder, browser checks, figures."""

import importlib.util
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import yaml

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
BOOK = ROOT / "book"
CHAPTERS = sorted(BOOK.glob("[0-9][0-9]_*.ipynb"))
NOTES = sorted(BOOK.glob("lab/*.ipynb"))  # lab notes, each of the chapter of the same name
NOTEBOOKS = [*CHAPTERS, *NOTES]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))


def listed(entries):
    """The pages of a list of the contents, and behind each those below it."""
    return [p for entry in entries for p in (entry["file"], *listed(entry.get("sections", [])))]


PAGES = [TOC["root"], *(page for part in TOC["parts"] for page in listed(part["chapters"]))]


def named(path):
    """The page of a notebook: '05_coalescing', or 'lab/05_coalescing'."""
    return path.relative_to(BOOK).with_suffix("").as_posix()


def module(path):
    """Import a Python file that lies in no package, such as an extension of the book's builder."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


# The book's builder.


def build(project, out):
    """Build the book of `project` into `out`, warnings as errors, as `make book` does."""
    command = [Path(sys.executable).parent / "jupyter-book", "build", project / "book"]
    command += ["--config", project / "_config.yml", "--toc", project / "_toc.yml"]
    command += ["--path-output", out, "--all", "-W", "-n", "--keep-going", "-q"]
    return subprocess.run(command, capture_output=True, encoding="utf-8")


def project(folder):
    """Copy what the book is built from, so that a test may change it."""
    shutil.copytree(BOOK, folder / "book", ignore=shutil.ignore_patterns("_build"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def unlinked(text):
    """A page's text without its links to the glossary, which are no part of what it says."""
    return re.sub(r"\[([^\]]*)\]\((?:\.\./)?glossary\.md#[\w-]+\)", r"\1", text)


# Pages in a browser.

DESKTOP, PHONE = (1280, 900), (390, 844)
# axe-core reads the same few colours anew for each of ten thousand elements, a third of its time,
# and writes down the HTML of each element that a rule looks at, a quarter of it.
REMEMBER = """
axe.configure({noHtml: true});
const color = axe.commons.color.Color.prototype, parse = color.parseString, known = new Map();
color.parseString = function (text) {
  const {r, g, b, alpha} = known.get(text) ?? parse.call(this, text);
  known.set(text, {r, g, b, alpha});
  return Object.assign(this, {r, g, b, alpha}); };
"""
# axe-core need not look at every word: of all that have one style on one background it sees the
# first. Words of code that look like an earlier one leave the page until restoreWords() puts them
# back; other words stay, and only the rule on contrast, which takes most of axe's time, passes them
# by. A word that nobody can see (folded, cut off, a figure's text) never stands for a visible one.
ALIKE = """
const grounds = new Map();
const behind = element => {
  if (!grounds.has(element)) {
    const {backgroundColor, backgroundImage, opacity} = getComputedStyle(element);
    const own = [backgroundColor, backgroundImage, opacity].join();
    const above = element.parentElement ? behind(element.parentElement) : "";
    grounds.set(element, own == "rgba(0, 0, 0, 0),none,1" ? above : above + own); }
  return grounds.get(element); };
const alike = selector => {
  const seen = new Set();
  return [...document.querySelectorAll(selector)].filter(element => {
    const {color, fontSize, fontWeight, textShadow} = getComputedStyle(element);
    const style = [color, fontSize, fontWeight, textShadow, behind(element)];
    const said = [...element.childNodes].some(node => node.nodeType == 3 && node.data.trim());
    const seeable = said && element.checkVisibility() && element.getBoundingClientRect().width > 1;
    return seen.size == seen.add([element.tagName, !seeable, ...style].join()).size; }); };
const gone = alike("pre span:not(:has(*))").map(word => [word, new Comment()]);
gone.forEach(([word, place]) => word.replaceWith(place));
window.restoreWords = () => {
  gone.forEach(([word, place]) => place.replaceWith(word));
  document.querySelectorAll("[data-alike]").forEach(one => one.removeAttribute("data-alike")); };
alike("body *").forEach(element => element.setAttribute("data-alike", ""));
axe.configure({rules: [{id: "color-contrast", selector: ":not([data-alike])"}]});
"""
WIDE = """
const limit = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= limit) return [];
return [document.documentElement.scrollWidth + ' px in ' + limit];
"""


def look(browser, address, size=DESKTOP, dark=False):
    """Open a page at a window size and in a colour scheme; its earlier console is dropped."""
    show_as(browser, size, dark)
    browser.get_log("browser")
    browser.get(address)
    return browser


def show_as(browser, size=DESKTOP, dark=False):
    """Give the window a size and a colour scheme, whatever page is open."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {
            "features": [
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ]
        },
    )  # no colour is half way


def errors(browser):
    """What the page's console reports as an error."""
    return [m["message"] for m in browser.get_log("browser") if m["level"] == "SEVERE"]


def violations(browser, *rules):
    """axe-core's serious and critical findings, by all rules or by those named."""
    package = Path(importlib.util.find_spec("selenium_axe_python").origin).parent
    axe = (package / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    there = browser.execute_script("return 'axe' in window")
    browser.execute_script(ALIKE if there else axe + REMEMBER + ALIKE)
    found = axe_finds(browser, {"runOnly": rules} if rules else {})
    browser.execute_script("restoreWords()")
    return found


# What axe-core finds, with the HTML of where.
FINDS = """
const done = arguments[arguments.length - 1];
const html = target => target.length == 1 && document.querySelector(target[0])?.outerHTML;
axe.run(arguments[0]).then(({violations}) => done(violations.flatMap(v => v.nodes.slice(0, 5).map(
  node => [v.impact, v.id, String(html(node.target) || node.target), node.failureSummary]))));
"""


def axe_finds(browser, options):
    """One sentence for each serious or critical finding of axe-core, which is on the page."""
    found = browser.execute_async_script(FINDS, {"resultTypes": ["violations"], **options})
    return [
        f"{rule}: {html[:200]}: {summary[:300]}"
        for impact, rule, html, summary in found
        if impact in ("serious", "critical")
    ]


# What a figure and a listing show.


def contrast(one, other):
    """The contrast ratio of two '#rrggbb' colours, as WCAG 2 defines it."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def assert_balanced(html):
    class Checker(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open = []

        def handle_starttag(self, tag, attrs):
            self.open.append(tag)

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    checker = Checker()
    checker.feed(html)
    assert checker.open == []


RATES = {"naive": 1234.5, "coalesced": 3912.0, "device_copy": 4102.3}  # GB/s


def table(**rates):
    """A table as bench makes it, of rates in GB/s."""
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
