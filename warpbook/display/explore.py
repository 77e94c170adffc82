"""Figures under the reader's hand: what a warp's request costs, while the reader turns the knobs.

The rules stand in the emulator; scripts/ holds them a second time, for browsers. A test compares
the two, and all that they draw and say.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from warpbook.display.figures import DAY, NIGHT, count
from warpbook.display.listings import theme
from warpbook.emulator import rules

SCRIPTS = Path(__file__).parent / "scripts"
LINES = 8  # of 128 bytes that a picture of sectors shows
BYTES = {4: "4 bytes, float", 8: "8 bytes, float2", 16: "16 bytes, float4"}
ACCESS = {
    "column": "a column",
    "row": "a row",
    "pairs": "a column, two lanes an element",
}

_STYLE = (
    theme(".warp-explore", {**DAY, "scheme": "light"}, {**NIGHT, "scheme": "dark"})
    + """\
.warp-explore{margin:1em 0;padding:0;max-width:600px;color:inherit;color-scheme:var(--warp-scheme);
 text-align:left;font-size:.95rem;line-height:1.45}
.warp-explore figcaption{margin:0 0 .4em;padding:0;color:inherit;font-weight:600;text-align:left}
.warp-explore form{display:grid;grid-template-columns:repeat(auto-fit,minmax(14em,1fr));
 gap:.2em 1.4em;margin:0}
.warp-explore form[hidden]{display:none}
.warp-explore p{margin:.25em 0;color:inherit}
.warp-explore form p{display:flex;align-items:end;gap:.6em}
.warp-explore label{flex:1;min-width:0;margin:0;color:inherit}
.warp-explore form b{min-width:1.6em;line-height:2.4em;text-align:right}
.warp-explore :is(input,select,button){display:block;width:100%;min-height:2.4em;margin:0;
 font:inherit;color:inherit;accent-color:var(--warp-s0)}
.warp-explore :is(select,button){padding:.2em .5em;border:1px solid var(--warp-grid);
 border-radius:4px;background:none}
.warp-explore select option{color:CanvasText;background:Canvas}
.warp-explore :is(input,select,button):focus-visible{outline:2px solid var(--warp-s0);
 outline-offset:2px}
.warp-explore [role=status]{min-height:4.4em;margin:.6em 0;font-weight:600}
.warp-explore svg{display:block;width:100%;height:auto;font:13px system-ui,sans-serif}
.warp-explore text{fill:currentColor}
.warp-explore path{fill:none;stroke:var(--warp-grid)}
.warp-explore .w-moved{fill:var(--warp-grid);fill-opacity:.3;stroke:currentColor;stroke-width:2}
.warp-explore .w-used{fill:var(--warp-s0);fill-opacity:.25;stroke:var(--warp-s0);stroke-width:.8}
"""
)


@dataclass(frozen=True, repr=False)
class Explorable:
    """A figure with controls: ``html`` in a notebook or on a page, its ``text`` everywhere else."""

    html: str
    text: str

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return self.text


def explore(name: str, **state: int | str) -> Explorable:
    """Show a figure whose knobs the reader turns; beside it stands in words what it shows.

    name: 'sectors', what a request to global memory moves; or 'banks', what one to shared memory
    waits for. state: where the knobs stand at first, all others at their start.

    sectors: lane n reads element stride*n + offset. stride: 0 to 32; offset: 0 to 31, in elements;
    width: of an element, 4, 8 or 16 bytes.

    banks: 32 lanes read from a tile in row-major order. access: 'column', 'row', or 'pairs', a
    column of which two lanes each read an element; row: elements a row, 1 to 64; pad: elements left
    free behind each, 0 to 4; swizzle: 1 if the columns of row r are XORed with r modulo the largest
    power of two that divides the row, else 0; width: as above.

    Raises LookupError for a figure that does not exist, TypeError for a knob that does not, and
    ValueError for a setting outside a knob's range.
    """
    if name not in FIGURES:
        raise LookupError(f"There is no figure '{name}'{_near(name, FIGURES)}.")
    figure = FIGURES[name]
    for key, value in state.items():
        if key not in figure.knobs:
            raise TypeError(f"explore('{name}') has no '{key}'{_near(key, figure.knobs)}.")
        choices = figure.knobs[key].choices
        if not isinstance(value, (int, str, np.integer)) or value not in choices:
            among = (
                f"a whole number from {choices[0]} to {choices[-1]}"
                if isinstance(choices, range)
                else f"one of {', '.join(map(repr, choices))}"
            )
            raise ValueError(f"explore('{name}'): {key} is {among}, not {value!r}.")
    full = {key: state.get(key, knob.start) for key, knob in figure.knobs.items()}
    full = {key: v if isinstance(v, str) else int(v) for key, v in full.items()}
    found = figure.model(**full)
    return Explorable(_html(name, figure, full, found), f"{figure.title}. {found['said']}")


def _near(word, known):
    """What follows the name of a word that is none of those known."""
    near = get_close_matches(str(word), list(known), 1)
    meant = f"; did you mean '{near[0]}'?" if near else "."
    return f"{meant} It has to be one of {', '.join(known)}"


# What a figure shows ----------------------------------------------------------------------------
def sectors(stride: int, offset: int, width: int) -> dict[str, Any]:
    """What a request of 32 lanes to global memory moves: counts, a sentence, a drawing."""
    lanes = ((stride * rules.LANE + offset) * width).tolist()
    numbers = rules.distinct(np.array([lanes]) >> rules.SECTOR)
    moved = numbers[0][numbers[1]].tolist()
    lines = sorted({sector // 4 for sector in moved})
    addresses = sorted(set(lanes))
    share = f"{100 * len(addresses) * width / (32 * len(moved)):.3g}"
    rows = [
        [
            128 * line,
            [[8 * (sector % 4), 8] for sector in moved if sector // 4 == line],
            [
                [at % 128 // 4, width // 4, _who([n for n in range(32) if lanes[n] == at])]
                for at in addresses
                if at // 128 == line
            ],
        ]
        for line in lines[:LINES]
    ]
    apart = f"{stride * width} bytes apart" if stride else "all at one address"
    more = len(lines) - LINES
    return {
        "requests": 1, "sectors": len(moved), "lines": len(lines), "share": float(share),
        "said": f"32 lanes ask for {width} bytes each, {apart}: 1 request moves "
        f"{count(len(moved), 'sector')} of 32 bytes, in {count(len(lines), 'line')} of 128 bytes. "
        f"{share} % of the bytes moved are used.",
        "unit": "byte", "every": 8, "step": 4, "pitch": 20, "rows": rows,
        "tail": f"and {count(more, 'more line')}" if more > 0 else "",
    }  # fmt: skip


def tile_addresses(access: str, row: int, pad: int, swizzle: int, width: int) -> np.ndarray:
    """The byte address that each of the 32 lanes reads in a row-major tile."""
    lane = rules.LANE
    r, c = {"row": (lane // row, lane % row), "column": (lane, 0 * lane),
            "pairs": (lane // 2, 0 * lane)}[access]  # fmt: skip
    if swizzle:
        c = c ^ r % (row & -row)
    return width * (r * (row + pad) + c)


def banks(access: str, row: int, pad: int, swizzle: int, width: int) -> dict[str, Any]:
    """What a load of 32 lanes from shared memory waits for: counts, a sentence, a drawing."""
    addresses = tile_addresses(access, row, pad, swizzle, width).tolist()
    passes = rules.served(dict(enumerate(addresses)), width)
    rows: list[list[Any]] = []
    for group, wavefronts in passes:
        for wavefront in wavefronts:
            runs: list[list[Any]] = []
            for bank, word in sorted(wavefront.items()):
                who = _who([n for n, at in group.items() if at <= 4 * word < at + width])
                if runs and runs[-1][2] == who and sum(runs[-1][:2]) == bank:
                    runs[-1][1] += 1
                else:
                    runs.append([bank, 1, who])
            rows.append([len(rows) + 1, [], runs])
    most = max(len(wavefronts) for _, wavefronts in passes)
    conflicts = len(rows) - len(passes)
    xor = f", its columns XORed with its number modulo {row & -row}" if swizzle else ""
    verdict = (
        f"{most}-way bank conflict, {conflicts} more than without conflicts"
        if conflicts
        else "no bank conflict"
    )
    return {
        "wavefronts": len(rows), "conflicts": conflicts,
        "said": f"32 lanes read {width}-byte elements of {ACCESS[access]}; a row begins every "
        f"{count(row + pad, 'element')}{xor}: {count(len(rows), 'wavefront')}, {verdict}.",
        "unit": "bank", "every": 4, "step": 1, "pitch": 17, "rows": rows, "tail": "",
    }  # fmt: skip


def _who(lanes):
    return f"{lanes[0]}+" if len(lanes) > 1 else str(lanes[0])


# The figures and their knobs ---------------------------------------------------------------------
@dataclass(frozen=True)
class Knob:
    label: str
    start: int | str
    choices: range | dict[Any, str]  # a slider's places, or what each choice is called


@dataclass(frozen=True)
class Recipe:
    title: str
    key: str  # how to read the drawing
    model: Callable[..., dict[str, Any]]
    knobs: dict[str, Knob]


FIGURES = {
    "sectors": Recipe(
        "Sectors of global memory that a warp's request moves",
        "A row is a line of 128 bytes, a thick frame in it a sector that is moved. Blue: what "
        "lanes read, with the first lane's number (+: and others'). Grey: moved, but unused.",
        sectors,
        {
            "stride": Knob("Stride, elements", 1, range(33)),
            "offset": Knob("Offset, elements", 0, range(32)),
            "width": Knob("A lane reads", 4, BYTES),
        },
    ),
    "banks": Recipe(
        "Banks of shared memory that a warp's load meets",
        "A row is a wavefront: in it, each of the 32 banks gives one word. Blue: a word given, "
        "with the number of the first lane that reads it (+: and others).",
        banks,
        {
            "access": Knob("The warp reads", "column", ACCESS),
            "row": Knob("Row length, elements", 32, range(1, 65)),
            "pad": Knob("Padding, elements", 0, range(5)),
            "swizzle": Knob("XOR swizzle", 0, {0: "off", 1: "on"}),
            "width": Knob("A lane reads", 4, BYTES),
        },
    ),
}


# HTML ---------------------------------------------------------------------------------------------
def _html(name, figure, state, found):
    fields = {
        key: [knob.label, [knob.choices[0], knob.choices[-1]]
              if isinstance(knob.choices, range) else knob.choices]
        for key, knob in figure.knobs.items()
    }  # fmt: skip
    start = f"kit.start({json.dumps(name)},{json.dumps(fields, separators=(',', ':'))});"
    return (
        f'<figure class="warp-explore" data-explore="{name}" data-lm-suppress-shortcuts="true" '
        f'data-state="{escape(json.dumps(state))}"><style>{_STYLE}</style>'
        f"<figcaption>{figure.title}</figcaption><form hidden></form>"
        f'<p role="status" aria-live="polite">{found["said"]}</p>'
        f"<div>{paint(found)}</div><p>{figure.key}</p></figure>"
        f"<script>(()=>{{\n{script('explore')}\n{script(name)}\n{start}\n}})()</script>"
    )


@cache
def script(name: str) -> str:
    """A file of scripts/ without its comments and indents, which no browser needs."""
    text = (SCRIPTS / f"{name}.js").read_text()
    lines = (re.sub(r"  // .*", "", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def paint(picture: dict[str, Any]) -> str:
    """The drawing as SVG: rows of 32 cells. kit.paint in scripts/explore.js draws the same."""
    pitch, every = picture["pitch"], picture["every"]

    def box(x, width, y):
        return f"M{46 + 12 * x} {20 + pitch * y}h{12 * width}v15h{-12 * width}z"

    def text(x, y, words):
        return f'<text x="{x}" y="{y}">{words}</text>'

    ticks = range(every, 32, every)
    words = text(46, 13, 0) + "".join(text(46 + 12 * x, 13, picture["step"] * x) for x in ticks)
    lines = moved = used = names = ""
    for y, (name, boxes, runs) in enumerate(picture["rows"]):
        top = 20 + pitch * y
        lines += box(0, 32, y)
        moved += "".join(box(x, width, y) for x, width in boxes)
        names += text(41, top + 12, name)
        last, end = -4, -1
        for x, width, lane in runs:
            used += box(x, width, y)
            # A number may reach into the cells behind it, never into another number.
            if width > 1 or x >= last + 4 or (x >= last + 2 and x > end):
                words += text(48 + 12 * x, top + 12, lane)
                last = x
            end = x + width
    bottom, tail = 20 + pitch * len(picture["rows"]), picture["tail"]
    lines += "".join(f"M{46 + 12 * x} 20V{bottom - pitch + 15}" for x in ticks)
    words += text(46, bottom + 10, tail) if tail else ""
    return (
        f'<svg viewBox="0 0 444 {bottom + (16 if tail else 2)}" role="img" '
        f'aria-label="{picture["said"]}">'
        f'<path class="w-lines" d="{lines}"/><path class="w-moved" d="{moved}"/>'
        f'<path class="w-used" d="{used}"/>'
        f'<g text-anchor="end">{text(41, 13, picture["unit"])}{names}</g>{words}</svg>'
    )
