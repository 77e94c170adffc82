"""How cells stand on a page: what several outputs carry alike stands there once.

In a notebook every output has to stand alone. On a page the first of equal <style> blocks serves
all, and of equal scripts that say data-once the first. The fold of a cell's code loses a label that
hides its words from screen readers.
"""

import re

ALIKE = re.compile(r"<(style)>.*?</style>\n?|<(script) data-once>.*?</script>\n?", re.S)
LABEL = ' aria-label="Toggle hidden content"'


def setup(app):
    app.connect("html-page-context", change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def change(app, page, template, context, doctree):
    if "body" in context:
        context["body"] = once(context["body"]).replace(LABEL, "")


def once(html):
    """The page's HTML without what stood in it before."""
    seen = set()

    def first(found):
        new = found[0] not in seen
        seen.add(found[0])
        return found[0] if new else ""

    return ALIKE.sub(first, html)
