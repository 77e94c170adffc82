"""The scripts of the figures: as a page has them, and run here where there is an engine for them.

The engine is V8 from the package mini-racer, which the extras 'book' and 'test' bring. A reader's
notebook does without: there the browser draws the first frame as well.
"""

import json
import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from warpbook.display.explore.figures import FIGURES

FOLDER = Path(__file__).parent
FRAMES = """((name, states) => states.map(state => {
  const found = window.warpExplore.model(name, state);
  return [found, window.warpExplore.paint(found)];
}))"""


def frames(name: str, states: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    """What a figure finds at each of these states of its knobs, and the SVG that it draws.

    What it finds holds the sentence, 'said', the drawing's 'height', 'paths' and 'texts', and the
    counts that tests compare. Raises ImportError where mini-racer is not installed.
    """
    return [(found, svg) for found, svg in _holding(name).call(FRAMES, name, list(states))]


def started(name: str) -> str:
    """A figure's script for a page: the rules and the drawing, and then its controls."""
    figure = FIGURES[name]
    given = [name, figure.fields] if figure.data is None else [name, figure.fields, figure.data]
    return _alone(f"{rules(name)}\nkit.start({_json(given)[1:-1]});")


def rules(name: str) -> str:
    """What a figure finds and draws, with the kit that all of them share."""
    return "\n".join(map(script, ("kit", *FIGURES[name].uses, name)))


@cache
def script(name: str) -> str:
    """A script of this folder without what no browser needs: comments, indents, blanks."""
    text = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    lines = (re.sub(r"  // .*", "", line).strip() for line in text.splitlines())
    return "\n".join(_squeezed(line) for line in lines if line and not line.startswith("//"))


def _squeezed(line):
    """A line without the blanks around signs; what lies between its first and last quote stays."""
    parts = re.split(r"""(["`].*["`])""", line)
    parts[::2] = [re.sub(r" *([=+\-*/<>?:,;{}()\[\]&|!%]) *", r"\1", part) for part in parts[::2]]
    return "".join(parts)


def _alone(text):
    """A script whose names are its own."""
    return f"(()=>{{\n{text}\n}})()"


def _json(value):
    return json.dumps(value, separators=(",", ":"))


@cache
def _engine():
    """V8 with what the scripts expect of a page."""
    from py_mini_racer import MiniRacer

    # From a thread of its own, where no notebook's event loop runs, the engine starts its own.
    with ThreadPoolExecutor(1) as thread:
        engine = thread.submit(MiniRacer).result()
    engine.eval("window = {}")
    return engine


@cache
def _holding(name):
    """The engine with a figure's rules in it, and what they take, but no controls."""
    fields, data = _json(FIGURES[name].fields), _json(FIGURES[name].data)
    taken = f"kit.fields.{name} = {fields}; kit.data.{name} = {data};"
    _engine().eval(_alone(f"{rules(name)}\n{taken}"))
    return _engine()
