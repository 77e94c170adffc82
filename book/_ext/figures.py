"""The page 'Figures to play with': a line '% the figure NAME comes here' becomes explore(NAME)."""

import re

from warpbook import explore

PAGE = "figures"
MARK = re.compile(r"^% the figure (\w+) comes here$", re.M)


# An address with a figure's setting, such as #banks.row=33, leads to that figure.
LEAD = """
```{raw} html
<script>
const lead = () => {
  const name = location.hash.includes("=") && location.hash.slice(1).split(".")[0];
  const figure = name && document.querySelector(`[data-explore="${name}"]`);
  if (!figure) return;
  figure.style.scrollMarginTop = "4rem";  // below the bar at the top
  figure.scrollIntoView();
};
addEventListener("load", lead);
addEventListener("hashchange", lead);
</script>
```
"""


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}


def fill(app, page, source):
    if page == PAGE:
        source[0] = filled(source[0])


def filled(text):
    """The page's text with its figures, as raw HTML."""
    return MARK.sub(lambda mark: f"```{{raw}} html\n{explore(mark[1]).html}\n```", text) + LEAD
