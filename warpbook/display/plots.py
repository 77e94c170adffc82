"""The book's two plots, ladder and roofline."""

import math
import re

import numpy as np
import pandas as pd
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from warpbook.display.figures import COLOURS, GRID, INK, MARKERS, Figure, figure_of
from warpbook.gpu.device import device
from warpbook.launch.wording import counted, number

MISSING = "not measured: needs a GPU"


def ladder(
    table: pd.DataFrame,
    value: str = "gb_per_s",
    unit: str = "GB/s",
    bound: float | None = None,
    title: str | None = None,
    speedup: bool | None = None,
) -> Figure:
    """Plot one column of a table made by ``bench``, with the hardware's bound as a dashed line.

    An index of contestants gives bars in the table's order, an index (x, contestant), from a
    sweep, lines over x. Beside every bar stand its value, its share of the bound and its speedup
    over the first bar, at the end of every line its speedup over the first line there.
    value: the column. unit: what its axis says. bound: in the unit of the column. speedup: False
    leaves it out, where the rows are no steps; by default it is there for rates ('..._per_s') and
    for times ('ms'), which speed up by falling.
    Returns a Figure.
    Raises ValueError that names the columns there are, or says what the index must be.
    """
    series = _column(table, value, "ladder")
    bound = None if bound is None or not math.isfinite(bound) else float(bound)
    better = _better(value)
    share = better or _rises
    gains = None if speedup is False else share if speedup else better
    if series.index.nlevels == 1:
        return _bars(series, unit, bound, title, share, gains)
    if series.index.nlevels != 2:
        raise ValueError(
            f"ladder: the index has {series.index.nlevels} levels; it takes one (contestant) or "
            "two (x, contestant), as pd.concat({x: bench(...)}, names=['x']) makes them."
        )
    return _lines(series, unit, bound, title, gains)


def roofline(table: pd.DataFrame, title: str | None = None) -> Figure:
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
        left, right = min(*xs, ridge / 8) / 3, max(*xs, ridge * 2)
        right *= (right / left) ** 0.45  # room for the names
        ax.set(xscale="log", yscale="log", xlim=(left, right))
        ax.set(xlabel="flops per byte", ylabel="GFLOP/s")
        ax.plot([left, ridge, right], [copy * left, fma, fma], color=INK, ls="--", lw=1.5)
        ax.set_ylim(min([copy * left, *(y for *_, y in points)]) / 2, fma * 2.5)
        ax.text(right, fma * 1.12, f"FMA {_number(fma / 1e3)} TFLOP/s", ha="right", va="bottom")
        for i, (_, x, y) in enumerate(points):
            ax.plot(x, y, MARKERS[i % len(MARKERS)], color=COLOURS[i % len(COLOURS)], ms=9)
        _decades(ax)
        _slope(ax, ridge, copy)
        _tags(ax, points, copy, fma)

    said = "; ".join(
        f"{n} at {_number(x)} flops per byte reaches {_number(y)} GFLOP/s, "
        f"{100 * y / min(fma, copy * x):.0f} % of the roof there"
        for n, x, y in points
    )
    alt = (
        f"Roofline of {counted(len(points), 'kernel')}, GFLOP/s over flops per byte: {said}. The "
        f"roofs: {_number(copy)} GB/s of copy bandwidth, {_number(fma)} GFLOP/s of float32 FMA."
    )
    return figure_of(draw, alt=alt, height=340, title=title)


# ---------------------------------------------------------------------------------- the two plots


def _bars(series, unit, bound, title, share, gains):
    names = [_label(name) for name in series.index]
    wrapped = [_wrap(name) for name in names]
    heights = [max(32, 18 * text.count("\n") + 32) for text in wrapped]
    centres = np.cumsum(heights) - np.array(heights) / 2
    top = max([v for v in series if math.isfinite(v)] + [bound or 0]) or 1
    said = [_value(value, bound, share) for value in series]
    times = _times(series.iloc[0], series, gains)

    def draw(ax):
        for y, value in zip(centres, series, strict=True):
            if math.isfinite(value):
                ax.barh(y, value, 20, color=COLOURS[0])
        first = names[0] if len(names[0]) <= 24 else "the first bar"
        about = f"\n×: speedup over {first}" if any(times) else ""
        ax.set(xlim=(0, top), ylim=(sum(heights), 0), xlabel=unit + about)
        ax.set_yticks(centres, wrapped)
        ax.tick_params(axis="y", length=0)
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.xaxis.set_major_formatter(lambda v, _: f"{v:,.4g}" if v < 1000 else f"{v:,.0f}")
        if not series.notna().any() and bound is None:
            ax.set_xticks([])
        _bar_labels(ax, centres, series, said, times, bound, top)

    steps = _steps(series, said, unit, bound, times)
    alt = f"{_heading(title, unit)}, {counted(len(names), 'bar')}. {steps}"
    return figure_of(draw, alt=alt, height=int(sum(heights)) + 80 + 18 * any(times), title=title)


def _lines(series, unit, bound, title, gains):
    wide = series.unstack()[list(dict.fromkeys(series.index.get_level_values(1)))]
    wide = wide.loc[list(dict.fromkeys(series.index.get_level_values(0)))]
    what = series.index.names[0] or "x"
    xs = _abscissae(wide.index, what)
    if not series.notna().any():
        about = f"{_heading(title, unit)} of {', '.join(map(str, wide))} over {what}"
        return _unmeasured(about, what, unit, title)
    last = wide.iloc[-1]
    times = dict(zip(wide, _times(last.iloc[0], last, gains), strict=True))
    times = times if len(times) > 1 else {}

    def draw(ax):
        ends = []
        for i, name in enumerate(wide):
            colour, mark = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
            ax.plot(xs, wide[name], color=colour, marker=mark, ms=7, lw=2, clip_on=False)
            there = wide[name].to_numpy()[np.isfinite(wide[name])]
            said = str(name) if len(there) else f"{name}: not measured"
            said += f" {times[name]}" if times.get(name) else ""
            ends.append((said, there[-1] if len(there) else 0.0, colour))
        if bound is not None:
            ax.axhline(bound, color=INK, ls="--", lw=1.5)
            ends.append((f"bound {_number(bound)}", bound, INK))
        ax.set_xscale("log", base=2)
        ax.set_xticks(*_ticks(xs), minor=False)
        ax.minorticks_off()
        ax.set(xlabel=what, ylabel=unit, ylim=(0, 1.08 * max(series.max(), bound or 0) or 1))
        ax.yaxis.set_major_formatter(lambda v, _: f"{v:,.4g}" if v < 1000 else f"{v:,.0f}")
        _end_labels(ax, ends)

    gained = [f"{name} {times[name]}" for name in times if times[name]]
    alt = (
        f"{_heading(title, unit)} over {what} from {_short(xs[0])} to {_short(xs[-1])}. "
        + " ".join(f"{name}: {_course(wide[name], xs, unit)}." for name in wide)
        + (f" The bound is {_number(bound)} {unit}." if bound is not None else "")
        + (f" Speedup at {_short(xs[-1])}: {', '.join(gained)}." if gained else "")
    )
    return figure_of(draw, alt=alt, height=340, title=title)


def _unmeasured(about, xlabel, ylabel, title):
    def draw(ax):
        ax.set(xlabel=xlabel, ylabel=ylabel, xticks=[], yticks=[])
        ax.text(0.5, 0.5, MISSING, ha="center", va="center")

    return figure_of(draw, alt=f"{about}: {MISSING}.", height=160, title=title)


# ------------------------------------------------------------------------------- labels and words


def _value(value, bound, share):
    """'3,912 (91 %)'; as in the tables, a time's share of its bound is bound over time."""
    if not math.isfinite(value):
        return MISSING
    return _number(value) + (f" ({100 * share(bound, value):.0f} %)" if bound and value else "")


def _better(column):
    """How a column's values get better: a rate by rising, a time by falling; None if neither."""
    if re.search(r"_per_n?s$", column):
        return _rises
    return _falls if re.search(r"(^|_)[mun]?s$", column) else None


def _rises(first, value):
    return value / first


def _falls(first, value):
    return first / value


def _times(first, values, gains):
    """'3.17×', the speedup of each value over the first; '' where there is none to tell."""
    known = gains is not None and math.isfinite(first) and first > 0
    return [
        f"{_number(gains(first, value))}×" if known and math.isfinite(value) and value > 0 else ""
        for value in values
    ]


def _bar_labels(ax, centres, series, said, times, bound, top):
    """Write values at the bars' ends, speedups at the right; make room for both.

    A value that would cross the bound's line stands past it.
    """
    offset = {"textcoords": "offset points", "va": "center", "fontsize": 13}
    values = [
        ax.annotate(text, (value if math.isfinite(value) else 0, y), (5, 0), **offset)
        for text, value, y in zip(said, series, centres, strict=True)
    ]
    right = ax.get_yaxis_transform()
    gains = [
        ax.annotate(text, (1, y), (0, 0), xycoords=right, ha="right", weight="bold", **offset)
        for text, y in zip(times, centres, strict=True)
    ]
    for text in [*values, *gains]:
        text.set_in_layout(False)
    ax.figure.draw_without_rendering()
    width = ax.get_window_extent().width
    taken = [v.get_window_extent().width + 5 for v in values]
    column = max([g.get_window_extent().width + 18 for g in gains if g.get_text()], default=3)
    ends = [max(value, bound or 0) if math.isfinite(value) else 0 for value in series]
    ax.set_xlim(
        0,
        max(
            top * 1.04,
            *(
                end * width / max(width - column - label, width / 4)
                for end, label in zip(ends, taken, strict=True)
            ),
        ),
    )
    if bound is None:
        return
    ax.axvline(bound, color=INK, ls="--", lw=1.5)
    at = bound / ax.get_xlim()[1]
    ax.set_title(f"bound {_number(bound)} (100 %)", x=at, fontsize=13, pad=4)
    line = ax.transData.transform((bound, 0))[0]
    for text, value, y in zip(values, series, centres, strict=True):
        box = text.get_window_extent()
        if math.isfinite(value) and box.x0 - 5 <= line < box.x1 + 3:
            text.xy = (bound, y)


def _end_labels(ax, ends):
    """Write each line's name at its right end, moved up or down where two would overlap."""
    texts = [
        ax.text(1.04, 0, _wrap(name), transform=ax.transAxes, va="center", fontsize=13)
        for name, *_ in ends
    ]
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    wanted = [(ax.transData.transform((1, y))[1] - box.y0) for _, y, _ in ends]
    heights = [16 * (1 + t.get_text().count("\n")) for t in texts]
    spread = _spread(wanted, heights)
    for text, at, y, (*_, colour) in zip(texts, spread, wanted, ends, strict=True):
        text.set_y(at / box.height)
        ax.plot(
            [1.0, 1.035],
            [y / box.height, at / box.height],
            transform=ax.transAxes,
            color=colour,
            lw=1,
            clip_on=False,
        )


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


def _tags(ax, points, copy, fma):
    """Name the points of a roofline beside them, the highest first, away from the roofs.

    Points above the sloping roof have their names on the left, the others on the right. A name
    that would touch one already written goes below it.
    """
    ax.figure.draw_without_rendering()
    highest = ax.transData.transform((1, fma))[1] - 15
    written = []  # (left, right, middle) of each name, in px
    for name, x, y in sorted(points, key=lambda point: -point[2]):
        at_x, at_y = ax.transData.transform((x, y))
        side, ha, end = (-11, "right", 1) if y > 1.1 * copy * x else (11, "left", 0)
        said = ax.annotate(
            name,
            (at_x, at_y),
            (at_x + side, 0),
            xycoords="figure pixels",
            ha=ha,
            textcoords="figure pixels",
            va="center",
            annotation_clip=False,
            fontsize=13,
            arrowprops={
                "arrowstyle": "-",
                "color": GRID,
                "lw": 1,
                "relpos": (end, 0.5),
                "shrinkB": 4,
            },
        )
        box = Text.get_window_extent(said)  # without the line to the point
        middle = min(at_y, highest)
        for left, right, taken in sorted(written, key=lambda other: -other[2]):
            if left < box.x1 and box.x0 < right and abs(taken - middle) < 17:
                middle = taken - 17
        written.append((box.x0, box.x1, middle))
        said.set_position((at_x + side, middle))


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
    ax.annotate(
        f"copy {_number(copy)} GB/s",
        (ridge, copy * ridge),
        (-(10 * run + 5 * rise) / size, (5 * run - 10 * rise) / size),
        textcoords="offset points",
        ha="right",
        rotation_mode="anchor",
        fontsize=13,
        rotation=math.degrees(math.atan2(rise, run)),
    )


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
    return number(float(f"{value:.0f}") if abs(value) >= 100 else value, 3)


def _steps(series, said, unit, bound, times):
    """Every bar in words: 'naive 1,234 (29 %), 1×; coalesced 3,912 (91 %), 3.17×.'"""
    if not series.notna().any():
        return f"{', '.join(map(_label, series.index))}: {MISSING}."
    parts = [
        ", ".join(filter(None, [f"{_label(name)} {text}", gain]))
        for name, text, gain in zip(series.index, said, times, strict=True)
    ]
    about = [f" The bound is {_number(bound)} {unit}, 100 %."] if bound is not None else []
    about += [f" ×: speedup over {_label(series.index[0])}."] if any(times) else []
    return "; ".join(parts) + "." + "".join(about)


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
    """Break a long name into lines of 18 after its underscores and spaces, or where it must."""
    lines = [""]
    for piece in re.findall(r"[^_ ]{1,18}[_ ]?|[_ ]", name):
        if lines[-1] and len(lines[-1] + piece.rstrip()) > 18:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


# ------------------------------------------------------------------------------- what was given


def _column(table, name, plot):
    """Return a numeric column of ``table``, or raise ValueError with the remedy."""
    if not isinstance(table, pd.DataFrame):
        what = type(table).__name__
        raise ValueError(f"{plot} takes the table that bench returns, not a {what}.")
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
    return table[name].astype(float).replace([math.inf, -math.inf], math.nan)


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
