"""The book's plots, as SVG that is legible on light and dark pages: ladder and roofline.

Text takes the page's colour, series take theirs from CSS variables, and each figure carries an alt
text that its own data wrote.
"""

import math
import re
import textwrap
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from io import StringIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from warpbook.render import theme
from warpbook.timing import device

# After Okabe and Ito: told apart by colour-blind readers. Each is at least 3:1 on its background.
LIGHT = ("#0072b2", "#c24f00", "#007a5a", "#a8467e", "#7a5c00", "#5a6570")
DARK = ("#56b4e9", "#ff9a4d", "#2fc79b", "#e79ac6", "#e6c84f", "#a9b4bf")
INK, GRID = "#010203", "#040506"  # stand for the page's text colour and for a thin grey
MARKERS = "osD^vPX*"
MISSING = "not measured: needs a GPU"
WIDTH = 480  # px of the drawing: 14 px text in it is still 10 px on a phone 390 px wide

_STYLE = theme(
    ".warp-figure",
    {**{f"s{i}": c for i, c in enumerate(LIGHT)}, "grid": "#8a929b"},
    {**{f"s{i}": c for i, c in enumerate(DARK)}, "grid": "#79838f"},
) + """\
.warp-figure{margin:.8em 0;max-width:580px;color:inherit}
.warp-figure svg{display:block;width:100%;height:auto;overflow:visible}
.warp-figure figcaption{margin:0 0 .4em;color:inherit;font-weight:600;text-align:left}
"""
_ALONE = "svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}"
_RC = {
    "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 14, "axes.labelsize": 14,
    "xtick.labelsize": 13, "ytick.labelsize": 13, "text.color": INK, "axes.labelcolor": INK,
    "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": GRID, "axes.linewidth": 1,
    "xtick.major.width": 1, "ytick.major.width": 1, "axes.spines.top": False,
    "axes.spines.right": False, "hatch.linewidth": 1, "path.simplify": False,
}  # fmt: skip


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

    def save(self, path):
        """Write the drawing as an SVG file that needs no page around it."""
        style = f"<style>{_ALONE}{theme('svg', *_alone())}</style>"
        Path(path).write_text(self.svg.replace(">", f">{style}", 1) + "\n")


def ladder(table, value="gb_per_s", unit="GB/s", bound=None, title=None):
    """Plot one column of a table made by ``bench``, with the hardware's bound as a dashed line.

    An index of contestants gives bars in the table's order; an index (x, contestant), from a
    sweep, gives lines over x. bound: in the unit of the column. Returns a Figure.
    Raises ValueError that names the columns there are, or says what the index must be.
    """
    series = _column(table, value, "ladder")
    bound = None if bound is None or not math.isfinite(bound) else float(bound)
    if series.index.nlevels == 1:
        return _bars(series, unit, bound, title)
    if series.index.nlevels != 2:
        raise ValueError(
            f"ladder: the index has {series.index.nlevels} levels; it takes one (contestant) or "
            "two (x, contestant), as pd.concat({x: bench(...)}, names=['x']) makes them."
        )
    return _lines(series, unit, bound, title)


def roofline(table, title=None):
    """Plot contestants under this GPU's measured rooflines.

    table: from ``bench`` with bytes and flops. The x axis is flops per byte, gflop_per_s over
    gb_per_s; the roofs are ``device()``'s copy bandwidth (sloping) and FMA rate (flat).
    Raises ValueError when the table lacks one of the two columns.
    """
    flops, bandwidth = (_column(table, c, "roofline") for c in ("gflop_per_s", "gb_per_s"))
    names = [_label(name) for name in table.index]
    points = [(n, f / b, f) for n, f, b in zip(names, flops, bandwidth, strict=True) if f > 0 < b]
    copy, fma = device().copy_gb_per_s, device().fma_tflop_per_s * 1e3
    if not points or not math.isfinite(copy * fma):
        return _unmeasured(f"Roofline of {', '.join(names)}", "flops per byte", "GFLOP/s", title)

    def draw(ax):
        ridge = fma / copy
        xs = [x for _, x, _ in points]
        left, right = min(*xs, ridge / 8) / 2, max(*xs, ridge * 4) * 2
        ax.set(xscale="log", yscale="log", xlim=(left, right))
        ax.set(xlabel="flops per byte", ylabel="GFLOP/s")
        ax.plot([left, ridge, right], [copy * left, fma, fma], color=INK, ls="--", lw=1.5)
        ax.set_ylim(min([copy * left, *(y for *_, y in points)]) / 2, fma * 2.5)
        ax.text(right, fma * 1.12, f"FMA {_number(fma / 1e3)} TFLOP/s", ha="right", va="bottom")
        for i, (_, x, y) in enumerate(points):
            ax.plot(x, y, MARKERS[i % len(MARKERS)], color=LIGHT[i % len(LIGHT)], ms=9)
        _decades(ax)
        _slope(ax, left, copy)
        _tags(ax, points)

    said = "; ".join(
        f"{n} at {_number(x)} flops per byte reaches {_number(y)} GFLOP/s, "
        f"{100 * y / min(fma, copy * x):.0f} % of the roof there" for n, x, y in points
    )
    alt = (
        f"Roofline of {len(points)} kernels, GFLOP/s over flops per byte: {said}. The roofs are "
        f"{_number(copy)} GB/s of copy bandwidth and {_number(fma)} GFLOP/s of float32 FMA."
    )
    return figure_of(draw, alt=alt, height=340, title=title)


def figure_of(draw, *, alt, width=WIDTH, height=300, title=None):
    """Turn a Matplotlib drawing into a Figure of width x height px.

    draw: a function of one Matplotlib axes. Draw in the colours INK, GRID and LIGHT[i]: they become
    the page's text colour, a thin grey, and the series colours for light and dark pages.
    alt: the drawing in words, with its numbers, for readers who do not see it.
    """
    salt = sha256(alt.encode()).hexdigest()[:8]
    with mpl.rc_context({**_RC, "svg.hashsalt": salt}):
        canvas = Canvas(figsize=(width / 72, height / 72), dpi=72, layout="constrained")
        canvas.get_layout_engine().set(w_pad=2 / 72, h_pad=3 / 72)
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
    for i, colour in enumerate(LIGHT):
        svg = svg.replace(colour, f"var(--warp-s{i})")
    svg = re.sub(r"font-family: ?[^;\"]*;? ?|font: ([\d.]+px) [^;\"]*", _font, svg)
    svg = re.sub(r"\n\s*", "\n", svg).strip()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(alt)}" '
        f'font-family="system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif">\n{svg}'
    )


def _font(match):
    return f"font-size: {match[1]}" if match[1] else ""


def _alone():
    grey = {"grid": "#808994"}
    return tuple({**{f"s{i}": c for i, c in enumerate(p)}, **grey} for p in (LIGHT, DARK))


# ---------------------------------------------------------------------------------- the two plots


def _bars(series, unit, bound, title):
    names = [_label(name) for name in series.index]
    wrapped = [_wrap(name) for name in names]
    heights = [max(32, 18 * text.count("\n") + 32) for text in wrapped]
    centres = np.cumsum(heights) - np.array(heights) / 2
    top = max([v for v in series if math.isfinite(v)] + [bound or 0]) or 1

    def draw(ax):
        for y, value in zip(centres, series, strict=True):
            if math.isfinite(value):
                ax.barh(y, value, 20, color=LIGHT[0])
            ax.annotate(_said(value, bound), (value if math.isfinite(value) else 0, y), (5, 0),
                        textcoords="offset points", va="center", fontsize=13)  # fmt: skip
        ax.set(xlim=(0, top * 1.38), ylim=(sum(heights), 0), xlabel=unit)
        ax.set_yticks(centres, wrapped)
        ax.tick_params(axis="y", length=0)
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.xaxis.set_major_formatter(lambda v, _: f"{v:,.4g}" if v < 1000 else f"{v:,.0f}")
        if not series.notna().any() and bound is None:
            ax.set_xticks([])
        if bound is not None:
            ax.axvline(bound, color=INK, ls="--", lw=1.5)
            ax.set_title(f"bound {_number(bound)}", x=bound / (top * 1.38), fontsize=13, pad=4)

    alt = f"{_heading(title, unit)} of {len(names)} contestants. {_extremes(series, unit, bound)}"
    return figure_of(draw, alt=alt, height=int(sum(heights)) + 80, title=title)


def _lines(series, unit, bound, title):
    wide = series.unstack()[list(dict.fromkeys(series.index.get_level_values(1)))]
    wide = wide.loc[list(dict.fromkeys(series.index.get_level_values(0)))]
    what = series.index.names[0] or "x"
    xs = _abscissae(wide.index, what)
    if not series.notna().any():
        about = f"{_heading(title, unit)} of {', '.join(map(str, wide))} over {what}"
        return _unmeasured(about, what, unit, title)

    def draw(ax):
        ends = []
        for i, name in enumerate(wide):
            colour, mark = LIGHT[i % len(LIGHT)], MARKERS[i % len(MARKERS)]
            ax.plot(xs, wide[name], color=colour, marker=mark, ms=7, lw=2, clip_on=False)
            there = wide[name].to_numpy()[np.isfinite(wide[name])]
            ends.append((str(name), there[-1] if len(there) else 0.0, colour))
        if bound is not None:
            ax.axhline(bound, color=INK, ls="--", lw=1.5)
            ends.append((f"bound {_number(bound)}", bound, INK))
        ax.set_xscale("log", base=2)
        ax.set_xticks(*_ticks(xs), minor=False)
        ax.minorticks_off()
        ax.set(xlabel=what, ylabel=unit, ylim=(0, 1.08 * max(series.max(), bound or 0) or 1))
        ax.yaxis.set_major_formatter(lambda v, _: f"{v:,.4g}" if v < 1000 else f"{v:,.0f}")
        _end_labels(ax, ends)

    alt = (
        f"{_heading(title, unit)} over {what} from {xs[0]:,g} to {xs[-1]:,g}. "
        + " ".join(f"{name}: {_course(wide[name], xs, unit)}." for name in wide)
        + (f" The bound is {_number(bound)} {unit}." if bound is not None else "")
    )
    return figure_of(draw, alt=alt, height=340, title=title)


def _unmeasured(about, xlabel, ylabel, title):
    def draw(ax):
        ax.set(xlabel=xlabel, ylabel=ylabel, xticks=[], yticks=[])
        ax.text(0.5, 0.5, MISSING, ha="center", va="center")

    return figure_of(draw, alt=f"{about}: {MISSING}.", height=160, title=title)


# ------------------------------------------------------------------------------- labels and words


def _end_labels(ax, ends):
    """Write each line's name at its right end, moved up or down where two would overlap."""
    texts = [ax.text(1.04, 0, _wrap(name), transform=ax.transAxes, va="center", fontsize=13)
             for name, *_ in ends]  # fmt: skip
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    wanted = [(ax.transData.transform((1, y))[1] - box.y0) for _, y, _ in ends]
    heights = [16 * (1 + t.get_text().count("\n")) for t in texts]
    for text, at, y, (*_, colour) in zip(texts, _spread(wanted, heights), wanted, ends, strict=True):
        text.set_y(at / box.height)
        ax.plot([1.0, 1.035], [y / box.height, at / box.height], transform=ax.transAxes,
                color=colour, lw=1, clip_on=False)  # fmt: skip


def _spread(wanted, heights):
    """Move centres apart until labels of these heights do not overlap, keeping their order."""
    order = np.argsort(wanted, kind="stable")
    blocks = []  # of labels that touch: [indices, centre of the block]
    for i in order:
        blocks.append([[i], wanted[i]])
        while len(blocks) > 1 and _bottom(blocks[-1], heights) < _top(blocks[-2], heights):
            upper, lower = blocks.pop(), blocks.pop()
            both = lower[0] + upper[0]
            blocks.append([both, float(np.mean([wanted[j] for j in both]))])
    at = [0.0] * len(wanted)
    for block in blocks:
        y = _bottom(block, heights)
        for i in block[0]:
            at[i] = y + heights[i] / 2
            y += heights[i]
    return at


def _bottom(block, heights):
    return block[1] - sum(heights[i] for i in block[0]) / 2


def _top(block, heights):
    return block[1] + sum(heights[i] for i in block[0]) / 2


def _tags(ax, points):
    """Name the points of a roofline, to their right or, in the right half, to their left."""
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    spots = [ax.transData.transform((x, y)) for _, x, y in points]
    ats = _spread([y for _, y in spots], [17] * len(points))
    for (name, *_), (x, y), at in zip(points, spots, ats, strict=True):
        side = -1 if x > (box.x0 + box.x1) / 2 else 1
        ax.annotate(name, (x, y), (x + 14 * side, at), xycoords="figure pixels",
                    textcoords="figure pixels", va="center", ha="left" if side > 0 else "right",
                    fontsize=13, arrowprops={"arrowstyle": "-", "color": GRID, "lw": 1},
                    annotation_clip=False)  # fmt: skip


def _decades(ax):
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda v, _: f"{v:,g}" if v < 1e6 else f"{v:g}")
    ax.minorticks_off()


def _slope(ax, left, copy):
    """Write the bandwidth along the sloping roof."""
    ax.figure.draw_without_rendering()
    (x0, y0), (x1, y1) = ax.transData.transform([(left, copy * left), (2 * left, 2 * copy * left)])
    ax.annotate(f"copy {_number(copy)} GB/s", (left, copy * left), (4, 6),
                textcoords="offset points", rotation_mode="anchor", fontsize=13,
                rotation=math.degrees(math.atan2(y1 - y0, x1 - x0)))  # fmt: skip


def _ticks(xs):
    """Choose at most seven of the x values, and write thousands short."""
    step = -(-len(xs) // 7)
    return xs[::step], [_short(x) for x in xs[::step]]


def _short(x):
    for size, letter in ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki")):
        if x >= size and x % size == 0:
            return f"{x / size:g} {letter}"
    return f"{x:,g}"


def _said(value, bound):
    if not math.isfinite(value):
        return MISSING
    return _number(value) + (f" ({100 * value / bound:.0f} %)" if bound else "")


def _number(value):
    """Three figures, and all of a large number: 0.0123, 4.56, 78.9, 3,912."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _extremes(series, unit, bound):
    known = series.dropna()
    if known.empty:
        return f"{', '.join(map(_label, series.index))}: {MISSING}."
    high, low = known.idxmax(), known.idxmin()
    parts = [f"Highest: {_label(high)}, {_number(known.max())} {unit}"]
    if len(known) > 1:
        parts.append(f"lowest: {_label(low)}, {_number(known.min())} {unit}")
    if bound is not None:
        parts.append(f"bound: {_number(bound)} {unit}")
    missing = [_label(name) for name in series.index[series.isna()]]
    if missing:
        parts.append(f"{MISSING}: {', '.join(missing)}")
    return "; ".join(parts) + "."


def _course(column, xs, unit):
    known = [(x, v) for x, v in zip(xs, column, strict=True) if math.isfinite(v)]
    if not known:
        return MISSING
    (_, first), (_, last) = known[0], known[-1]
    at, most = max(known, key=lambda pair: pair[1])
    return (
        f"from {_number(first)} to {_number(last)} {unit}, highest {_number(most)} at {_short(at)}"
    )


def _heading(title, unit):
    return f"{title}: {unit}" if title else unit


def _label(name):
    return ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _wrap(name):
    """Break a long name into lines of 20 after its underscores and spaces, or where it must."""
    lines = [""]
    for piece in re.findall(r"[^_ ]{1,20}[_ ]?|[_ ]", name):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > 20:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


# ------------------------------------------------------------------------------- what was given


def _column(table, name, plot):
    """Return a numeric column of ``table``, or raise ValueError with the remedy."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"{plot} takes the table that bench returns, not a {type(table).__name__}.")
    if name not in table:
        raise ValueError(
            f"{plot}: the table has no column '{name}'; it has {', '.join(map(str, table))}. "
            "gb_per_s appears when bench is given bytes, gflop_per_s when it is given flops."
        )
    if table.empty or not table.index.is_unique:
        what = "has no rows" if table.empty else "names a row twice"
        raise ValueError(f"{plot}: the table {what}; each contestant needs one row.")
    if not pd.api.types.is_numeric_dtype(table[name]):
        raise ValueError(f"{plot}: column '{name}' holds {table[name].dtype}, not numbers.")
    return table[name].astype(float)


def _abscissae(index, what):
    """Return the x values of a sweep as floats. Raises ValueError unless all are positive."""
    try:
        xs = [float(x) for x in index]
    except (TypeError, ValueError):
        xs = [0.0]
    if min(xs) <= 0 or xs != sorted(xs):
        raise ValueError(
            f"ladder: the first index level ('{what}') must hold positive numbers in rising order, "
            f"for the axis; it holds {', '.join(map(str, index))}. "
            "The contestant is the second level."
        )
    return xs
