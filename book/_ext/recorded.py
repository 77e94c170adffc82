"""A page's GPU is one small line, which opens; a page that is stale says so below it."""

import re
from html import escape

from warpbook.recording import chapters

MEASURED_ON = re.compile(r'<p class="warp-device">.*?</p>', re.S)
DEVICE = re.compile(
    r'<p class="warp-device">(<strong>.*?</strong> [^:<]+): ([^<]*), ([\d-]{10})\.</p>'
)
TITLE = re.compile(r"</h1>")


def setup(app):
    app.connect("html-page-context", change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def change(app, page, template, context, doctree):
    path = app.srcdir / f"{page}.ipynb"
    if "body" in context and re.match(r"(lab/)?\d\d_", page) and path.is_file():
        context["body"] = told(context["body"], chapters.changed(path))
    if "body" in context:
        context["body"] = brief(context["body"])


def told(html, what):
    """The page's HTML with a line on what has changed since it was recorded, if anything has."""
    if not what:
        return html
    words = escape(chapters.since(what))
    line = f'<p class="warp-stale">This page was {words}: its numbers may be out of date.</p>'
    place = MEASURED_ON.search(html) or TITLE.search(html)
    end = place.end() if place else 0
    return html[:end] + line + html[end:]


def brief(html):
    """The page's HTML, in which the GPU and the day are seen, and its clocks and versions open."""
    return DEVICE.sub(
        r'<details class="warp-device"><summary>\1, \3</summary><p>\2.</p></details>', html
    )
