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
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle
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
        left, right = min(*xs, ridge / 8) / 2, max(*xs, ridge * 2)
        right *= (right / left) ** 0.45  # room for the names
        ax.set(xscale="log", yscale="log", xlim=(left, right))
        ax.set(xlabel="flops per byte", ylabel="GFLOP/s")
        ax.plot([left, ridge, right], [copy * left, fma, fma], color=INK, ls="--", lw=1.5)
        ax.set_ylim(min([copy * left, *(y for *_, y in points)]) / 2, fma * 2.5)
        ax.text(right, fma * 1.12, f"FMA {_number(fma / 1e3)} TFLOP/s", ha="right", va="bottom")
        for i, (_, x, y) in enumerate(points):
            ax.plot(x, y, MARKERS[i % len(MARKERS)], color=LIGHT[i % len(LIGHT)], ms=9)
        _decades(ax)
        _slope(ax, ridge, copy)
        _tags(ax, points, fma)

    said = "; ".join(
        f"{n} at {_number(x)} flops per byte reaches {_number(y)} GFLOP/s, "
        f"{100 * y / min(fma, copy * x):.0f} % of the roof there" for n, x, y in points
    )
    alt = (
        f"Roofline of {_count(len(points), 'kernel')}, GFLOP/s over flops per byte: {said}. The roofs are "
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
        ax.set(xlim=(0, top * 1.38), ylim=(sum(heights), 0), xlabel=unit)
        ax.set_yticks(centres, wrapped)
        ax.tick_params(axis="y", length=0)
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.xaxis.set_major_formatter(lambda v, _: f"{v:,.4g}" if v < 1000 else f"{v:,.0f}")
        if not series.notna().any() and bound is None:
            ax.set_xticks([])
        if bound is not None:
            ax.axvline(bound, color=INK, ls="--", lw=1.5)
            ax.set_title(f"bound {_number(bound)} (100 %)", x=bound / (top * 1.38), fontsize=13, pad=4)
        for y, value in zip(centres, series, strict=True):
            _bar_label(ax, y, value, bound)

    alt = f"{_heading(title, unit)}, {_count(len(names), 'bar')}. {_extremes(series, unit, bound)}"
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
        f"{_heading(title, unit)} over {what} from {_short(xs[0])} to {_short(xs[-1])}. "
        + " ".join(f"{name}: {_course(wide[name], xs, unit)}." for name in wide)
        + (f" The bound is {_number(bound)} {unit}." if bound is not None else "")
    )
    return figure_of(draw, alt=alt, height=340, title=title)


def _unmeasured(about, xlabel, ylabel, title):
    def draw(ax):
        ax.set(xlabel=xlabel, ylabel=ylabel, xticks=[], yticks=[])
        ax.text(0.5, 0.5, MISSING, ha="center", va="center")

    return figure_of(draw, alt=f"{about}: {MISSING}.", height=160, title=title)


# ------------------------------------------------------------------------- the two mechanisms


def sectors(addresses, bytes_each=4, title=None):
    """Draw which 32-byte sectors of global memory one warp's request moves, and what it uses.

    addresses: the byte address that each of up to 32 lanes reads, None for a lane that is idle.
    bytes_each: bytes a lane reads there. Returns a Figure whose alt text counts the sectors.
    """
    lanes = _lanes(addresses, bytes_each, "sectors")
    used = {byte for at in lanes.values() for byte in range(at, at + bytes_each)}
    moved = sorted({byte // 32 for byte in used})
    lines = sorted({sector // 4 for sector in moved})
    shown = lines[:8]
    share = f"{100 * len(used) / (32 * len(moved)):.3g} %"
    said = f"{_count(len(moved), 'sector')} of 32 bytes, {share} of the bytes used"

    def draw(ax):
        for row, line in enumerate(shown):
            y = 1.35 * row
            for at in sorted({at for at in lanes.values() if at // 128 == line}):
                _word(ax, at % 128 / 4, y, bytes_each / 4, _who(lanes, at))
            for sector in range(4 * line, 4 * line + 4):
                _sector(ax, y, sector, used if sector in moved else None)
            ax.text(-0.5, y + 0.5, f"+{128 * (line - lines[0]):,}", ha="right", va="center",
                    fontsize=12)  # fmt: skip
        bottom = 1.35 * len(shown)
        if len(lines) > len(shown):
            rest = _count(len(lines) - len(shown), "more line")
            ax.text(0, bottom + 0.3, f"and {rest} like these", va="center", fontsize=13)
            bottom += 1.2
        ax.text(-0.5, -0.5, "byte", ha="right", va="center", fontsize=12)
        ax.text(16, -0.9, said, ha="center", va="center", fontsize=13)
        _key(ax, bottom + 0.3)
        ax.set(xlim=(-4.2, 32.1), ylim=(bottom + 1.4, -2))
        ax.axis("off")

    alt = (
        f"{title + ': ' if title else ''}{_request(lanes, bytes_each, 'memory')}: {said}, in "
        f"{_count(len(lines), 'line')} of 128 bytes."
    )
    rows = 1.35 * len(shown) + (1.2 if len(lines) > len(shown) else 0) + 3.4
    return figure_of(draw, alt=alt, height=round(19 * rows), title=title)


def banks(addresses, bytes_each=4, title=None):
    """Draw which of the 32 banks of shared memory one warp's request meets, pass by pass.

    addresses: as for ``sectors``, within shared memory. Each row is one wavefront: a bank gives one
    4-byte word in it. 8-byte accesses are served by half-warps, 16-byte ones by quarter-warps.
    """
    lanes = _lanes(addresses, bytes_each, "banks")
    groups = _groups(lanes, bytes_each)
    rows = [row for group in groups for row in _wavefronts(group, bytes_each)]
    extra = len(rows) - len(groups)
    most = max(len(_wavefronts(group, bytes_each)) for group in groups)
    verdict = f"{most}-way bank conflict" if most > 1 else "no bank conflict"
    said = f"{_count(len(rows), 'wavefront')}, {verdict}"

    def draw(ax):
        for bank in range(0, 32, 4):
            ax.text(bank + 0.5, -0.5, str(bank), ha="center", va="center", fontsize=12)
        ax.text(-0.5, -0.5, "bank", ha="right", va="center", fontsize=12)
        for y, row in enumerate(rows):
            for bank in range(32):
                _cell(ax, bank, y, 1, lw=0.5)
            for bank, word in row.items():
                _word(ax, bank, y, 1, _who(lanes, 4 * word, bytes_each))
        ax.text(16, -1.7, said, ha="center", va="center", fontsize=13)
        ax.text(0, len(rows) + 0.7, "a row: one wavefront; a number: the lane served", va="center",
                fontsize=12)  # fmt: skip
        ax.set(xlim=(-4.2, 32.1), ylim=(len(rows) + 1.3, -2.3))
        ax.axis("off")

    alt = (
        f"{title + ': ' if title else ''}{_request(lanes, bytes_each, 'shared memory')}: {said}"
        + (f", {_count(extra, 'wavefront')} more than without conflicts." if extra else ".")
    )
    return figure_of(draw, alt=alt, height=round(15 * (len(rows) + 3.6)), title=title)


def _lanes(addresses, bytes_each, what):
    """Return {lane: address} of the lanes that are not idle."""
    lanes = {lane: int(at) for lane, at in enumerate(addresses) if at is not None}
    if not lanes or len(addresses) > 32:
        raise ValueError(
            f"{what} draws one warp: it takes 1 to 32 addresses, not {len(addresses)} of which "
            f"{len(lanes)} are in use. Pass the addresses of 32 lanes."
        )
    if bytes_each not in (1, 2, 4, 8, 16) or any(at % bytes_each for at in lanes.values()):
        raise ValueError(
            f"{what}: a lane reads 1, 2, 4, 8 or 16 bytes at a multiple of that size; given were "
            f"{bytes_each} bytes at {', '.join(map(str, lanes.values()))}."
        )
    return lanes


def _groups(lanes, bytes_each):
    """Split a warp into the groups of lanes that shared memory serves one after the other.

    Half-warps for 8 bytes, quarter-warps for 16; half as many groups where neighbours (lane n and
    n^1, or n and n^2) all read the same address.
    """
    size = 128 // max(bytes_each, 4)
    paired = any(all(lanes.get(n ^ bit) == at for n, at in lanes.items()) for bit in (1, 2))
    size = min(32, 2 * size) if paired else size
    groups = [{n: at for n, at in lanes.items() if n // size == g} for g in range(32 // size)]
    return [group for group in groups if group]


def _wavefronts(lanes, bytes_each):
    """Return one {bank: word} for each wavefront: in each of them a bank gives one word."""
    queues = {}
    for at in lanes.values():
        for word in range(at // 4, (at + bytes_each - 1) // 4 + 1):
            queue = queues.setdefault(word % 32, [])
            if word not in queue:
                queue.append(word)
    return [{bank: q[i] for bank, q in queues.items() if i < len(q)}
            for i in range(max(map(len, queues.values())))]  # fmt: skip


def _who(lanes, address, bytes_each=1):
    """Name the first lane that reads the word at ``address``, with a + when others do too."""
    first, last = address - bytes_each + 1, address + 3 if bytes_each < 4 else address
    readers = [n for n, at in lanes.items() if first <= at <= last]
    return f"{readers[0]}+" if len(readers) > 1 else str(readers[0])


def _request(lanes, bytes_each, whom):
    gaps = {b - a for a, b in zip(list(lanes.values()), list(lanes.values())[1:], strict=False)}
    where = f"at {len(set(lanes.values()))} different addresses"
    if len(gaps) == 1:
        gap = gaps.pop()
        where = f"{_count(gap, 'byte')} apart" if gap else "all at one address"
    return f"{_count(len(lanes), 'lane')} of a warp ask {whom} for {_count(bytes_each, 'byte')} each, {where}"


def _cell(ax, x, y, width, **style):
    ax.add_patch(Rectangle((x, y), width, 1, **{"fc": "none", "ec": GRID, "lw": 1, **style}))


def _word(ax, x, y, width, who):
    _cell(ax, x, y, width, fc=(*to_rgb(LIGHT[0]), 0.25), ec=LIGHT[0])
    if width >= 1:
        ax.text(x + width / 2, y + 0.53, who, ha="center", va="center",
                fontsize=9.5 if len(who) < 3 or width > 1 else 7)  # fmt: skip


def _sector(ax, y, sector, used):
    """Outline a sector and hatch its unused words; ``used`` is None for one that is not moved."""
    x = 8 * (sector % 4)
    if used is None:
        return _cell(ax, x, y, 8, ls=(0, (3, 3)))
    for word in range(8):
        if used.isdisjoint(range(32 * sector + 4 * word, 32 * sector + 4 * word + 4)):
            _cell(ax, x + word, y, 1, hatch="////", lw=0)
    _cell(ax, x, y, 8, ec=INK, lw=1.5)


def _key(ax, y):
    _word(ax, 0, y, 1, "n")
    ax.text(1.5, y + 0.5, "lane n's bytes", va="center", fontsize=12)
    _cell(ax, 11, y, 1, hatch="////")
    ax.text(12.5, y + 0.5, "moved, unused", va="center", fontsize=12)
    _cell(ax, 23, y, 1, ls=(0, (3, 3)))
    ax.text(24.5, y + 0.5, "not moved", va="center", fontsize=12)


# ------------------------------------------------------------------------------- labels and words


def _bar_label(ax, y, value, bound):
    """Write a bar's value at its end, or past the bound's line where it would cross that."""
    text = MISSING if not math.isfinite(value) else _number(value)
    text += f" ({100 * value / bound:.0f} %)" if bound and math.isfinite(value) else ""
    said = ax.annotate(text, (value if math.isfinite(value) else 0, y), (5, 0),
                       textcoords="offset points", va="center", fontsize=13)  # fmt: skip
    if bound is None:
        return
    ax.figure.draw_without_rendering()
    box, line = said.get_window_extent(), ax.transData.transform((bound, y))[0]
    if box.x0 - 5 <= line < box.x1 + 3:
        said.xy = (bound, y)


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
    """Move centres apart, and up from 0, until labels of these heights do not overlap.

    They keep their order; labels that touch form a block around the mean of where they belong.
    """
    blocks = []  # of labels that touch: (indices, centre of the block)
    for i in np.argsort(wanted, kind="stable"):
        blocks.append(_block([i], wanted, heights))
        while len(blocks) > 1 and _bottom(blocks[-1], heights) < _top(blocks[-2], heights):
            upper, lower = blocks.pop(), blocks.pop()
            both = lower[0] + upper[0]
            blocks.append(_block(both, wanted, heights))
    at = [0.0] * len(wanted)
    for block in blocks:
        y = _bottom(block, heights)
        for i in block[0]:
            at[i] = y + heights[i] / 2
            y += heights[i]
    return at


def _block(indices, wanted, heights):
    half = sum(heights[i] for i in indices) / 2
    return indices, max(half, float(np.mean([wanted[i] for i in indices])))


def _bottom(block, heights):
    return block[1] - sum(heights[i] for i in block[0]) / 2


def _top(block, heights):
    return block[1] + sum(heights[i] for i in block[0]) / 2


def _tags(ax, points, roof):
    """Name the points of a roofline to their right, below the flat roof."""
    ax.figure.draw_without_rendering()
    base = ax.get_window_extent().y0
    highest = ax.transData.transform((1, roof))[1] - 15
    spots = [ax.transData.transform((x, y)) for _, x, y in points]
    wanted = [min(y, highest) - base for _, y in spots]
    for (name, *_), (x, y), at in zip(points, spots, _spread(wanted, [17] * len(points)), strict=True):
        ax.annotate(name, (x, y), (x + 14, base + at), xycoords="figure pixels", fontsize=13,
                    textcoords="figure pixels", va="center", annotation_clip=False,
                    arrowprops={"arrowstyle": "-", "color": GRID, "lw": 1})  # fmt: skip


def _decades(ax):
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda v, _: f"{v:,g}" if v < 1e6 else f"{v:g}")
    ax.minorticks_off()


def _slope(ax, ridge, copy):
    """Write the bandwidth along the upper end of the sloping roof."""
    ax.figure.draw_without_rendering()
    ends = ax.transData.transform([(ridge / 2, copy * ridge / 2), (ridge, copy * ridge)])
    run, rise = ends[1] - ends[0]
    size = math.hypot(run, rise)
    ax.annotate(f"copy {_number(copy)} GB/s", (ridge, copy * ridge),
                (-(10 * run + 5 * rise) / size, (5 * run - 10 * rise) / size),
                textcoords="offset points", ha="right", rotation_mode="anchor", fontsize=13,
                rotation=math.degrees(math.atan2(rise, run)))  # fmt: skip


def _ticks(xs):
    """Choose at most seven of the x values, and write thousands short."""
    step = -(-len(xs) // 7)
    return xs[::step], [_short(x) for x in xs[::step]]


def _short(x):
    for size, letter in ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki")):
        if x >= size and x % size == 0:
            return f"{x / size:g} {letter}"
    return f"{x:,g}"


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


def _count(number, thing):
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


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
