"""The theme's signs as drawings in the page, in place of a font and a script of 0.7 MB.

The theme writes <i class="fa-solid fa-NAME"></i>, and Font Awesome's script puts a drawing there.
Here the drawing stands in the page itself, and the script is not loaded.
"""

import re
from pathlib import Path

from sphinx.errors import ExtensionError

# 24 x 24, a line of 2 wide; what begins with * is filled.
SHAPES = {
    "angle-left": ["M15 5l-7 7 7 7"],
    "angle-right": ["M9 5l7 7-7 7"],
    "arrow-up": ["M12 20V4", "M5 11l7-7 7 7"],
    "bars": ["M3 6h18", "M3 12h18", "M3 18h18"],
    "chevron-down": ["M5 9l7 7 7-7"],
    "circle-half-stroke": ["M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18z", "*M12 3a9 9 0 0 1 0 18z"],
    "download": ["M12 3v12", "M6 10l6 6 6-6", "M4 21h16"],
    "file": ["M6 2h8l5 5v15H6z", "M14 2v5h5"],
    "file-pdf": ["M7 9V3h10v6", "M7 18H4v-7h16v7h-3", "M7 15h10v6H7z"],  # it prints
    "github": ["M9 6l-6 6 6 6", "M15 6l6 6-6 6"],  # a repository: code
    "lightbulb": ["M9 18h6", "M10 21h4", "M9 15a6 6 0 1 1 6 0v3H9z"],
    "list": ["M9 6h12", "M9 12h12", "M9 18h12", "M3 6h1", "M3 12h1", "M3 18h1"],
    "magnifying-glass": ["M10 4a6 6 0 1 0 0 12 6 6 0 1 0 0-12z", "M14.5 14.5L21 21"],
    "moon": ["M20 14.5A8.5 8.5 0 1 1 9.5 4 7 7 0 0 0 20 14.5z"],
    "rocket": ["M12 2c4 3 5 8 3 13H9C7 10 8 5 12 2z", "M9 15l-3 5 6-3 6 3-3-5"],
    "sun": [
        "M12 8a4 4 0 1 0 0 8 4 4 0 1 0 0-8z",
        "M12 1v3m0 16v3M1 12h3m16 0h3M4.2 4.2l2.1 2.1m11.4 11.4l2.1 2.1M4.2 19.8l2.1-2.1"
        "M17.7 6.3l2.1-2.1",
    ],
}
FILLED = ' fill="currentColor"'
SIGN = re.compile(r'<(i|span) class="([^"]*\bfa[bs]?(?:-solid|-brands)? [^"]*)"([^>]*)></\1>')
SCRIPT = re.compile(r"<(?:script|link)[^>]*fontawesome[^>]*>(?:</script>)?\n?")


def setup(app):
    app.connect("build-finished", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def draw(app, exception):
    if exception or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        html = path.read_text(encoding="utf-8")
        path.write_text(drawn(html), encoding="utf-8")


def drawn(html):
    """A page with drawings in place of the theme's signs, and without the script for them."""
    return SCRIPT.sub("", SIGN.sub(_drawing, html))


def _drawing(sign):
    _, classes, rest = sign.groups()
    words = classes.split()
    name = next((w[3:] for w in words if w[3:] in SHAPES), None)
    if name is None:
        raise ExtensionError(f"book/_ext/icons.py has no drawing for {classes}")
    own = " ".join(["warp-icon", *(w for w in words if not w.startswith("fa"))])
    lines = "".join(
        f'<path d="{shape.lstrip("*")}"{FILLED * shape.startswith("*")}/>' for shape in SHAPES[name]
    )
    return f'<svg class="{own}" viewBox="0 0 24 24" aria-hidden="true"{rest}>{lines}</svg>'
