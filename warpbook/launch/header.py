"""What the header of a .cu file says, read once for the launch, the profiler, listings and tests.

A header is the comment that a file begins with: a title, then fields, each of which may go on over
lines that begin with // and two spaces or more.

    // transpose/03_padded: a spare column per row spreads a tile's column over all 32 banks.
    //
    // Launch:   block (TILE, TILE), grid (ceil(cols/TILE), ceil(rows/TILE)),
    //           shared_bytes 4*TILE
    // Assumes:  rows and cols multiples of TILE

A kernel that takes tensor maps says what boxes they have, and of what, swizzled how:

    // Maps:     a_map and b_map in boxes (64, 64); bfloat16, swizzle 128B
"""

import math
import re
from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache

from warpbook.launch.declarations import closing

_FIELD = re.compile(r"^// ([A-Z]\w*): *(.*(?:\n//  +.*)*)", re.M)
_NAMES = r"(\w+(?:, \w+)*(?:,? and \w+)?)"
_MULTIPLES = re.compile(rf"{_NAMES} (?:is |are )?(?:a multiple|multiples) of (\w+)")
_BOXES = re.compile(rf"{_NAMES} in boxes (?=\()")
_ELEMENTS = re.compile(r"; (\w+), swizzle (\w+)$")


@dataclass(frozen=True)
class Map:
    """What a header says of one tensor map. box: a formula; kind, swizzle: as for tensor_map."""

    box: str
    kind: str
    swizzle: str

    @property
    def ctype(self) -> str:
        """The C type that is as wide as one element: 'unsigned short' for bfloat16."""
        wide = {"bfloat16": "unsigned short", "float16": "half", "float64": "double"}
        other = "float" if "float32" in self.kind else f"{self.kind}_t"  # tfloat32, uint8
        return wide.get(self.kind, other)


@dataclass(frozen=True)
class Header:
    """A header's fields, each on one line. lines: how many lines of the file it takes."""

    fields: dict[str, str]
    lines: int

    def formula(self, what: str) -> str:
        """Return what 'Launch:' says of 'grid', 'block' or 'shared_bytes', or '' for nothing.

        'grid (ceil(n/256), 2)' gives '(ceil(n/256), 2)'.
        """
        launch = self.fields.get("Launch", "")
        if what == "shared_bytes":
            found = re.search(r"\bshared_bytes ([^,;]+)", launch)
            return found[1].strip() if found else ""
        found = re.search(rf"\b{what} (\(.*)$", launch)
        return _bracket(found[1]) if found else ""

    @property
    def architecture(self) -> str:
        """Return the oldest GPU that 'Assumes:' names, such as 'sm_80', or '' for any.

        'sm_90a' ends in a letter: its instructions exist on that architecture alone.
        """
        found = re.search(r"\bsm_\d+[a-z]?\b", self.fields.get("Assumes", ""))
        return found[0] if found else ""

    def multiples(self, scalars: Container[str]) -> dict[str, str]:
        """Return which of the scalars 'Assumes:' wants to be a multiple, and of what.

        'k and n multiples of VEC' gives {'k': 'VEC', 'n': 'VEC'}.
        """
        found = _MULTIPLES.findall(self.fields.get("Assumes", ""))
        named = {name: of for names, of in found for name in _each(names)}
        return {name: of for name, of in named.items() if name in scalars}

    @property
    def maps(self) -> dict[str, Map]:
        """Return what 'Maps:' says of each tensor map, by parameter; {} if it reads otherwise.

        'q in boxes (1, 64), k and v in boxes (1, BN); bfloat16, swizzle 128B' describes three.
        """
        said = self.fields.get("Maps", "")
        elements = _ELEMENTS.search(said)
        return {
            name: Map(_bracket(said[found.end() :]), *elements.groups())
            for found in _BOXES.finditer(said)
            if elements
            for name in _each(found[1])
        }


def read(text: str) -> Header:
    """Return the Header of a .cu file's text."""
    rest = re.search(r"^(?!//)", text, re.M)
    comment = text[: rest.start()] if rest else text
    fields = {name: re.sub(r"\n// +", " ", said).strip() for name, said in _FIELD.findall(comment)}
    return Header(fields, comment.count("\n"))


def evaluate(formula: str, names: dict) -> tuple[int, ...]:
    """Work out a formula such as '(ceil(n/256), 2)' with {name: number}; returns a tuple of ints.

    Raises ValueError that says what is wrong with it, such as a name that has no value.
    """
    try:
        value = eval(_compiled(formula), {"__builtins__": {}, "ceil": math.ceil}, dict(names))
        return tuple(int(n) for n in (value if isinstance(value, tuple) else (value,)))
    except (SyntaxError, NameError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from None


@lru_cache
def _compiled(formula):
    return compile(formula, "the header", "eval")


def number(text: str) -> int | float | str:
    """Return a text as an int or a float where it is one, else as it is."""
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return text


def _each(names):
    """'m, n and k' -> ['m', 'n', 'k']."""
    return re.split(r", and |, | and ", names)


def _bracket(text):
    """Return the text up to the bracket that closes its first letter."""
    return text[: closing(text, 0) + 1]
