"""The page 'Figures to play with': a line '% the figure NAME comes here' becomes explore(NAME)."""

import re

from warpbook import explore

PAGE = "figures"
MARK = re.compile(r"^% the figure (\w+) comes here$", re.M)


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    if page == PAGE:
        source[0] = filled(source[0])


def filled(text):
    """The page's text with its figures, as raw HTML."""
    return MARK.sub(lambda mark: f"```{{raw}} html\n{explore(mark[1]).html}\n```", text)
