"""Launches written as one line of text, as in kernels/<topic>/counters.txt.

A line names a kernel and gives UPPERCASE values for its defines, lowercase ones for its parameters.

    coalescing/01_strided STRIDE=8 n=16384

Grid, block and dynamic shared memory come from the "Launch:" field of the kernel's header, arrays
from the shapes beside its pointers; "grid=64 block=128" on the line overrides the header. A tensor
map that the header describes under "Maps:" takes an array as a pointer does.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from warpbook.launch import header, source
from warpbook.launch.arguments import dtype_of
from warpbook.launch.backend import cp
from warpbook.launch.kernel import Kernel, emulate

EXTENTS = ("grid", "block")
OUTPUT = "Output"  # a typedef that a kernel makes by a define of its own; float is its widest


@dataclass(frozen=True)
class Launch:
    """One line, worked out: all of ``kernel(grid, block, *args)`` but the arrays.

    defines, size: the line's UPPERCASE and lowercase words as they stand; with the kernel they
    name the row. shapes: of the arrays, by parameter; values: of the scalars, by parameter.
    """

    kernel: str
    defines: str
    size: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    shapes: dict
    values: dict
    parsed: source.Source = field(repr=False)

    def load(self) -> Kernel:
        """Compile the kernel with this line's defines."""
        return Kernel(self.parsed, self.kernel, _words(self.defines))

    def numbers(self) -> dict:
        """Return the values of the scalars and of the defines, those of the line before others."""
        return _numbers(self.parsed.defines) | _words(self.defines) | self.values

    def args(self) -> list:
        """Make the arguments: floats random in [0, 1), integers zero, so that any may index."""
        rng = np.random.default_rng(0)
        defines = self.parsed.defines | {k: str(v) for k, v in _words(self.defines).items()}
        return [
            cp.asarray(_array(p.ctype, defines, self.shapes[p.name], rng))
            if p.pointer
            else self.values[p.name]
            for p in self.parsed.parameters
        ]

    def run(self) -> None:
        """Launch once, and wait for the end."""
        self.load()(self.grid, self.block, *self.args(), shared_bytes=self.shared_bytes)
        cp.cuda.Device().synchronize()

    def emulate(self, **options: object) -> Any:
        """Run it in the emulator, GPU or not; returns the emulator's report.

        options: of the emulator's launch, such as trace=True.
        """
        kernel = self.load()
        args = [
            cp.asnumpy(a) if isinstance(a, cp.ndarray) else a for a in kernel.convert(self.args())
        ]
        return emulate(kernel).launch(self.grid, self.block, args, self.shared_bytes, **options)


def launch_line(line: str, kernels: Path | None = None) -> Launch:
    """Work out a line such as ``coalescing/01_strided STRIDE=8 n=16384`` as a Launch.

    UPPERCASE words give values to the kernel's defines, lowercase ones to its parameters. Grid,
    block and dynamic shared memory come from the 'Launch:' line of the kernel's header, unless the
    line says ``grid=64 block=128``; arrays get the shapes that stand beside the pointers.
    kernels: the folder that the kernel's name starts from; the book's by default.
    Raises LookupError for a kernel that is not there, and ValueError when a parameter has no value,
    or the header gives no formula for it.
    """
    variant, *words = line.split() or [""]
    for word in words:
        if not re.fullmatch(r"\w+=\S+", word):
            raise ValueError(f"'{word}' in '{line}' is no NAME=VALUE, such as n=1000.")
    given = _words(" ".join(words))
    parsed = source.parse(source.find(variant, kernels))
    scalars = [p.name for p in parsed.parameters if not p.pointer]
    names = _numbers(parsed.defines) | {k: v for k, v in given.items() if k not in EXTENTS}
    missing = [name for name in scalars if name not in names]
    if missing:
        raise ValueError(
            f"'{line}' gives no value for {', '.join(missing)}. Add {missing[0]}=... "
            + _takes(parsed)
        )
    formulas = " ".join(
        [parsed.header.fields.get("Launch", ""), *(p.shape for p in parsed.parameters)]
    )
    known = {*scalars, *parsed.defines, *EXTENTS, *re.findall(r"\w+", formulas)}
    for name in given:
        if name not in known:
            raise ValueError(f"'{line}': {variant} has no '{name}'. {_takes(parsed)}")
    grid, block = (_extent(what, parsed.header, names, given, line) for what in EXTENTS)
    names |= {"blocks": math.prod(grid), "threads": math.prod(grid) * math.prod(block)}
    shared = parsed.header.formula("shared_bytes") or "0"
    return Launch(
        variant,
        " ".join(w for w in words if w[0].isupper()),
        " ".join(w for w in words if not w[0].isupper()),
        grid,
        block,
        _worked_out(shared, names, "shared_bytes", line)[0],
        {p.name: _shape(p, names, line) for p in parsed.parameters if p.pointer},
        {name: names[name] for name in scalars},
        parsed,
    )


def topics() -> dict[str, Path]:
    """Return the counters.txt of each topic of the book that has one, by topic."""
    return {path.parent.name: path for path in sorted(source.KERNELS.glob("*/counters.txt"))}


def listed(path: str | Path) -> list[Launch]:
    """Return the Launches of a counters.txt; its kernels lie in the folders beside its own."""
    path = Path(path)
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        launch_line(line, path.parents[1]) for line in lines if line and not line.startswith("#")
    ]


def _takes(parsed):
    numbers = [f"{p.name} ({p.ctype})" for p in parsed.parameters if not p.pointer]
    defines = [f"{name} (else {value})" for name, value in parsed.defines.items()]
    said = f"It takes {', '.join(numbers) or 'no number'}"
    return f"{said}; and, if you like, {', '.join(defines)}." if defines else f"{said}."


def _words(text):
    """'STRIDE=8 n=64' -> {'STRIDE': 8, 'n': 64}; a value that is no number stays text."""
    return _numbers(dict(word.split("=", 1) for word in text.split()))


def _numbers(words):
    return {name: header.number(value) for name, value in words.items()}


def _extent(what, head, names, given, line):
    """Return grid or block as a tuple: the line's own, else what the header's Launch field says."""
    if what in given:
        return tuple(int(n) for n in str(given[what]).split(","))
    return _worked_out(head.formula(what), names, what, line)


def _worked_out(formula, names, what, line):
    try:
        return header.evaluate(formula, names)
    except ValueError as error:
        raise ValueError(
            f"cannot work out the {what} of '{line}': the kernel's header says '{formula}' "
            f"({error}). Add {what}=... to the line."
        ) from None


def _shape(parameter, names, line):
    try:
        return header.evaluate(f"({parameter.shape})", names)
    except ValueError as error:
        raise ValueError(
            f"cannot work out the shape of {parameter.name} in '{line}': the kernel's header says "
            f"'{parameter.shape}' ({error}). Write the shape as a formula beside the pointer."
        ) from None


def _array(ctype, defines, shape, rng):
    dtype, count = dtype_of("float" if ctype == OUTPUT else ctype, defines)
    if dtype is None:
        raise ValueError(f"a launch line cannot make an array of {ctype}: its type is not known.")
    shape = (*shape, count) if count > 1 else shape
    if dtype.kind != "f":
        return np.zeros(shape, dtype)
    return rng.random(shape, dtype=np.float32).astype(dtype, copy=False)
