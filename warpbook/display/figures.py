"""Turn a Matplotlib drawing into SVG that is legible on light and dark pages, with an alt text.

Text takes the page's colour; series take theirs from CSS variables.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.layout_engine import ConstrainedLayoutEngine

from warpbook.display.listings import theme

# The colours of series, after Okabe and Ito: told apart by colour-blind readers. On a dark page
# each becomes the one at its place in DARK. Each has a contrast of 3:1 or more to its background.
COLOURS = ("#0072b2", "#c24f00", "#007a5a", "#a8467e", "#7a5c00", "#5a6570")
DARK = ("#56b4e9", "#ff9a4d", "#2fc79b", "#e79ac6", "#e6c84f", "#a9b4bf")
# They stand for two colours that a drawing takes from its page: INK for that of the text, GRID for
# a thin grey.
INK, GRID = "#010203", "#040506"
MARKERS = "osD^vPX*"
WIDTH = 440  # px of the drawing: 13 px text in it is still 10 px on a phone 390 px wide

DAY = {**{f"s{i}": c for i, c in enumerate(COLOURS)}, "grid": "#868e97"}
NIGHT = {**{f"s{i}": c for i, c in enumerate(DARK)}, "grid": "#858f9b"}

_STYLE = (
    theme(".warp-figure", DAY, NIGHT)
    + """\
figure.warp-figure{margin:.8em 0;max-width:540px;color:inherit}
figure.warp-figure svg{display:block;width:100%;height:auto}
figure.warp-figure figcaption{margin:0 0 .4em;color:inherit;font-weight:600;text-align:left}
"""
)
_RC: dict[str, Any] = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 14,
    "axes.labelsize": 14,
    "xtick.labelsize": 13,
    "ytick.labelsize": 13,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": GRID,
    "axes.linewidth": 1,
    "xtick.major.width": 1,
    "ytick.major.width": 1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 1,
    "path.simplify": False,
    "text.parse_math": False,
}


@dataclass(frozen=True, repr=False)
class Figure:
    """A drawing that displays itself: ``svg`` in a notebook, its ``alt`` text everywhere else."""

    svg: str
    alt: str
    title: str | None = None

    def _repr_html_(self):
        caption = f"<figcaption>{escape(self.title)}</figcaption>" if self.title else ""
        return f'<figure class="warp-figure"><style>{_STYLE}</style>{caption}{self.svg}</figure>'

    def __repr__(self):
        return self.alt

    def save(self, path: str | Path) -> None:
        """Write the drawing as an SVG file that needs no page around it."""
        day, night = (";".join(f"--warp-{k}:{v}" for k, v in c.items()) for c in (DAY, NIGHT))
        style = (
            f"<style>svg{{color-scheme:light dark;color:#1f2328;{day}}}"
            f"@media (prefers-color-scheme:dark){{svg{{color:#e6edf3;{night}}}}}</style>"
        )
        Path(path).write_text(self.svg.replace(">", f">{style}", 1) + "\n", encoding="utf-8")


def figure_of(
    draw: Callable[[Axes], None],
    *,
    alt: str,
    width: int = WIDTH,
    height: int = 300,
    title: str | None = None,
) -> Figure:
    """Turn a Matplotlib drawing into a Figure of width x height px.

    draw: a function of one Matplotlib axes. Draw in the colours INK, GRID and COLOURS[i]: they
    become the page's text colour, a thin grey, and the series colours for light and dark pages.
    alt: the drawing in words, with its numbers, for readers who do not see it.
    """
    salt = sha256(alt.encode()).hexdigest()[:8]
    settings: Any = {**_RC, "svg.hashsalt": salt}
    with mpl.rc_context(settings):
        canvas = Canvas(
            figsize=(width / 72, height / 72),
            dpi=72,
            layout=ConstrainedLayoutEngine(w_pad=2 / 72, h_pad=3 / 72),
        )
        draw(canvas.add_subplot())
        out = StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        canvas.savefig(out, format="svg", transparent=True, metadata=nothing)
    return Figure(_page_svg(out.getvalue(), alt, salt, width, height), alt, title)


def _page_svg(svg, alt, salt, width, height):
    """Rewrite Matplotlib's SVG for a page: the page's colours, font and size, and unique ids."""
    svg = re.sub(r"^.*?<svg[^>]*>", "", svg, flags=re.S)
    svg = re.sub(r'<style type="text/css">.*?</style>|<!--.*?-->', "", svg, flags=re.S)
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in used else "", svg)
    for name in used:
        svg = re.sub(rf'(id="|#){re.escape(name)}(?=[")])', rf"\1w{salt}-{name}", svg)
    svg = svg.replace(INK, "currentColor").replace(GRID, "var(--warp-grid)")
    for i, colour in enumerate(COLOURS):
        svg = svg.replace(colour, f"var(--warp-s{i})")
    # White words stand on a filled shape; in the dark its colour is bright.
    svg = re.sub(r'(<text style="[^"]*fill: )#ffffff', r"\1Canvas", svg)
    svg = re.sub(r"font-family: ?[^;\"]*;? ?|font: ([\d.]+px) [^;\"]*", _font, svg)
    svg = re.sub(r"\n\s*", "\n", svg).strip()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(alt)}" '
        f'font-family="system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif">\n{svg}'
    )


def _font(match):
    return f"font-size: {match[1]}" if match[1] else ""
