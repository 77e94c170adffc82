"""How cells stand on a page: what several outputs carry alike stands there once.

In a notebook every output has to stand alone. On a page the first of equal <style> blocks serves
all, and of equal scripts that say data-once the first. The fold of a cell's code loses a label that
hides its words from screen readers. On a phone, a table's heads break inside of long names, and
what is printed in columns scrolls instead of breaking its lines. In the text a number and its unit
stay on one line, and so does a compiler's option.
"""

import re
from html import unescape

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from warpbook.launch.wording import UNIT

ALIKE = re.compile(r"<(style)>.*?</style>\n?|<(script) data-once>.*?</script>\n?", re.S)
LABEL = ' aria-label="Toggle hidden content"'
PRINTED = re.compile(r'(<div class="output (?:stream|text_plain))(?= .*?<pre>(.*?)</pre>)', re.S)
COLUMNS = re.compile(r"^.*\S {3,}\S.*$", re.M)
WIDTH = 92
OPTION = re.compile(r'(?<=<span class="pre)(?=">-[^<]{1,24}</span>)')
HEAD = re.compile(r"(?<=<th>)[^<>]*(?=</th>)")


def setup(app):
    app.connect("html-page-context", change)
    app.add_post_transform(Units)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def change(app, page, template, context, doctree):
    if "body" in context:
        html = once(context["body"]).replace(LABEL, "")
        context["body"] = columns(breakable(OPTION.sub(" warp-option", html)))


def columns(html):
    """The page's HTML in which what is printed in columns that fit into a desk's page says so."""

    def marked(found):
        lines = unescape(re.sub("<.*?>", "", found[2])).splitlines()
        narrow = max(map(len, lines), default=0) <= WIDTH
        return found[1] + " warp-columns" * (narrow and len(COLUMNS.findall(found[2])) >= 3)

    return PRINTED.sub(marked, html)


def breakable(html):
    """The page's HTML with places in the names of tables' heads at which a line may end."""
    return HEAD.sub(lambda head: re.sub(r"(?<=[_/])(?=\w)", "<wbr>", head[0]), html)


class Units(SphinxPostTransform):
    """A no-break space between a number and its unit."""

    default_priority = 900

    def run(self):
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.raw):
                kept = UNIT.sub("\N{NO-BREAK SPACE}", text)
                if kept != text:
                    text.parent.replace(text, nodes.Text(kept))


def once(html):
    """The page's HTML without what stood in it before."""
    seen = set()

    def first(found):
        new = found[0] not in seen
        seen.add(found[0])
        return found[0] if new else ""

    return ALIKE.sub(first, html)
