"""Search that lands on the paragraph: Pagefind indexes the built pages, search.js asks it.

Its index is fetched when somebody searches, in parts. The builder's own search, which a page opened
from disk falls back to, is no longer loaded by every page. Headings get ids, for hits by section.
"""

import re
import subprocess
import sys
from pathlib import Path

# What the theme loads on every page, 95 kB packed; search.js loads it where it is needed.
OWN = re.compile(
    r'<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"[^>]*></script>\n?'
)
HEADING = re.compile(r'(<section id="([^"]+)">\s*(?:<span id="[^"]*"></span>\s*)*<h([1-6]))>')
ARTICLE = '<article class="bd-article"'
NO_TEXT = re.compile(r'<a(?= class="headerlink")|<p(?= class="(?:collapsed|expanded) admonition)')


def setup(app):
    app.connect("html-page-context", only_where_it_searches)
    app.connect("build-finished", index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def only_where_it_searches(app, page, template, context, doctree):
    """The builder puts every script of _static/ on every page."""
    if page != "search":
        files = context["script_files"]  # others add to this list after us
        files[:] = [file for file in files if "search.js" not in str(file.filename)]


def index(app, exception):
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    for path in site.rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        page = path.relative_to(site).with_suffix("").as_posix()
        path.write_text(findable(html, page in app.env.found_docs), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "pagefind", "--site", site, "--silent"], check=True)


def findable(html, is_page=True):
    """A page's HTML with marks for Pagefind, and without the builder's own search."""
    html = OWN.sub("", html)
    if is_page:
        html = html.replace(ARTICLE, f"{ARTICLE} data-pagefind-body", 1)
        html = HEADING.sub(r'\1 id="\2-heading">', html)
        html = NO_TEXT.sub(r"\g<0> data-pagefind-ignore", html)
    return html
