"""What all figures under the reader's hand share: knobs, words, the drawing of a model's shapes.

kit.js holds the same a second time, for browsers. A test compares what both draw and say.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).parent


@dataclass(frozen=True)
class Knob:
    """A knob: a slider, a list to choose from, or a number with a slider beside it.

    choices: a range, a tuple of powers of two, or what each choice is called. step: of the slider
    beside a number, 0 for one that is logarithmic; None where the slider is all there is.
    """

    label: str
    start: int | str
    choices: range | tuple[int, ...] | dict[Any, str]
    step: int | None = None

    @property
    def field(self) -> Any:
        """The knob as kit.start in kit.js takes it."""
        if isinstance(self.choices, dict):
            return [self.label, self.choices]
        kind = "powers" if isinstance(self.choices, tuple) else "slider"
        ends = [self.choices[0], self.choices[-1]]
        if self.step is None:
            return [self.label, [kind, *ends]]
        return [self.label, ["number", *ends, self.step]]


@dataclass(frozen=True)
class Recipe:
    """A figure: its model gives a sentence and shapes for every state of its knobs."""

    title: str
    key: str  # how to read the drawing
    model: Callable[..., dict[str, Any]]
    knobs: dict[str, Knob]
    scripts: tuple[str, ...]
    data: Any = field(default=None)  # what the script takes from Python


# Words ------------------------------------------------------------------------------------------
def several(number: int, thing: str) -> str:
    """Write '1 block' or '1,024 blocks'."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def short(value: float) -> str:
    """Write a positive number with three digits, or as a whole number: 0.25, 15.5, 683, 1,234."""
    if value < 0.001:
        return "less than 0.001"
    if value >= 100:
        return f"{math.floor(value + 0.5):,}"
    scale = 1
    while value * scale < 99.95:
        scale *= 10
    return f"{math.floor(value * scale + 0.5) / scale:.10g}"


def amount(value: float, unit: str) -> str:
    """Write a number with a prefix: amount(4.2e9, 'B') is '4.2 GB'."""
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * factor:
            return f"{short(value / factor)} {prefix}{unit}"
    return f"{short(value)} {unit}"


# Drawing ----------------------------------------------------------------------------------------
def at(x: float) -> float:
    """A coordinate, to a tenth of a pixel."""
    tenths = math.floor(x * 10 + 0.5)
    return tenths // 10 if tenths % 10 == 0 else tenths / 10


def box(x: float, y: float, width: float, height: float) -> str:
    return f"M{at(x)} {at(y)}h{at(width)}v{at(height)}H{at(x)}z"


def line(x: float, y: float, to_x: float, to_y: float) -> str:
    return f"M{at(x)} {at(y)}L{at(to_x)} {at(to_y)}"


def dot(x: float, y: float) -> str:
    return f"M{at(x - 5)} {at(y)}a5 5 0 1 0 10 0a5 5 0 1 0-10 0"


def ladder_of(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50 ... that is not below a number."""
    step, factors = 1, (2, 2.5, 2)
    turn = 0
    while step < least:
        step = int(step * factors[turn % 3])
        turn += 1
    return step


def cells(
    unit: str, every: int, step: int, pitch: int, rows: Iterable[list[Any]], tail: str
) -> dict[str, Any]:
    """Rows of 32 cells, each [name, thick frames, [first cell, cells, first lane]].

    Cells are counted in quarters where what a lane reads is smaller than a cell.
    """

    def at_cell(x, width, y):
        left = 46 + int(12 * x)
        return f"M{left} {20 + pitch * y}h{int(12 * width)}v15H{left}z"

    ticks, rows = range(every, 32, every), list(rows)
    texts = [[46, 13, "0", ""], *([46 + 12 * x, 13, str(step * x), ""] for x in ticks)]
    texts.append([41, 13, unit, "w-end"])
    lines = moved = used = ""
    for y, (name, boxes, runs) in enumerate(rows):
        lines += at_cell(0, 32, y)
        moved += "".join(at_cell(x, width, y) for x, width in boxes)
        texts.append([41, 32 + pitch * y, str(name), "w-end"])
        last, end = -4, -1
        for x, width, lane in runs:
            used += at_cell(x, width, y)
            # A number may reach into the cells behind it, never into another number.
            if width > 1 or x >= last + 4 or (x >= last + 2 and x > end):
                texts.append([48 + int(12 * x), 32 + pitch * y, lane, ""])
                last = x
            end = x + width
    bottom = 20 + pitch * len(rows)
    lines += "".join(f"M{46 + 12 * x} 20V{bottom - pitch + 15}" for x in ticks)
    if tail:
        texts.append([46, bottom + 10, tail, ""])
    paths = [["w-lines", lines], ["w-moved", moved], ["w-used", used]]
    return {"height": bottom + (16 if tail else 2), "paths": paths, "texts": texts}


def paint(found: dict[str, Any]) -> str:
    """What a model found, as SVG."""
    paths = "".join(f'<path class="{name}" d="{d}"/>' for name, d in found["paths"] if d)
    texts = "".join(
        f'<text x="{x}" y="{y}"' + (f' class="{name}"' if name else "") + f">{words}</text>"
        for x, y, words, name in found["texts"]
    )
    return (
        f'<svg viewBox="0 0 444 {found["height"]}" role="img" aria-label="{found["said"]}">'
        f"{paths}{texts}</svg>"
    )


@cache
def script(name: str) -> str:
    """A script of this folder without what no browser needs: comments, indents, blanks."""
    text = (SCRIPTS / f"{name}.js").read_text()
    lines = (re.sub(r"  // .*", "", line).strip() for line in text.splitlines())
    return "\n".join(_squeezed(line) for line in lines if line and not line.startswith("//"))


def _squeezed(line):
    """A line without the blanks around signs; what lies between its first and last quote stays."""
    parts = re.split(r"""(["`].*["`])""", line)
    parts[::2] = [re.sub(r" *([=+\-*/<>?:,;{}()\[\]&|!%]) *", r"\1", part) for part in parts[::2]]
    return "".join(parts)
