"""Launches written as one line of text, as in kernels/<topic>/counters.txt.

A line names a kernel and gives UPPERCASE values for its defines, lowercase ones for its parameters.

    coalescing/01_strided STRIDE=8 n=16384

Grid, block and dynamic shared memory come from the "Launch:" field of the kernel's header, arrays
from the shapes beside its pointers; "grid=64 block=128" on the line overrides the header. Tensor
maps are made of such arrays as the "Maps:" field says.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from warpbook.emulator import tensor_map as emulated_maps
from warpbook.launch import arguments, header, source
from warpbook.launch.arguments import SCALARS
from warpbook.launch.backend import cp
from warpbook.launch.kernel import Kernel, emulate
from warpbook.launch.tensor_maps import tensor_map

EXTENTS = ("grid", "block")


@dataclass(frozen=True)
class Launch:
    """One line, worked out: all of ``kernel(grid, block, *args)`` but the arrays.

    defines, size: the line's UPPERCASE and lowercase words as they stand; with the kernel they
    name the row. shapes: of the arrays, by parameter, those of tensor maps among them, whose boxes
    are in boxes; values: of the scalars, by parameter.
    """

    kernel: str
    defines: str
    size: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    shapes: dict
    boxes: dict
    values: dict
    parsed: source.Source = field(repr=False)

    def load(self) -> Kernel:
        """Compile the kernel with this line's defines."""
        return Kernel(self.parsed, self.kernel, _words(self.defines))

    def arrays(self) -> dict:
        """Make the arrays: floats random in [0, 1), integers zero, so that any may index."""
        return {name: cp.asarray(array) for name, array in self._on_host().items()}

    def _on_host(self):
        rng, maps = np.random.default_rng(0), self.parsed.header.maps
        return {
            p.name: _elements(maps[p.name].kind, self.shapes[p.name], rng) if p.name in self.boxes
            else _array(p.ctype, self.shapes[p.name], rng, self.parsed.text)
            for p in self.parsed.parameters if p.name in self.shapes
        }  # fmt: skip

    def args(self, arrays: dict | None = None) -> list:
        """Return the arguments, of these ``arrays`` or of new ones.

        A tensor map does not keep its array. So a kernel that takes one wants them given: keep
        them until the launch has ended. Raises ValueError where they are not.
        """
        if arrays is None and self.boxes:
            raise ValueError(
                f"{self.kernel} takes tensor maps, which do not keep their arrays. Keep them: "
                "arrays = launch.arrays(), then launch.args(arrays)."
            )
        arrays = self.arrays() if arrays is None else arrays
        return [
            self._map(p.name, arrays[p.name]) if p.name in self.boxes
            else arrays[p.name] if p.name in self.shapes
            else self.values[p.name]
            for p in self.parsed.parameters
        ]  # fmt: skip

    def _map(self, name, array):
        said = self.parsed.header.maps[name]
        make = emulated_maps.of if isinstance(array, np.ndarray) else tensor_map
        return make(array, self.boxes[name], kind=said.kind, swizzle=said.swizzle)

    def run(self) -> None:
        """Launch once, and wait for the end."""
        arrays = self.arrays()  # kept until the end, for tensor maps
        self.load()(self.grid, self.block, *self.args(arrays), shared_bytes=self.shared_bytes)
        cp.cuda.Device().synchronize()

    def emulate(self, **options: object) -> Any:
        """Run it in the emulator, GPU or not; returns the emulator's report.

        options: of the emulator's launch, such as trace=True.
        """
        kernel, arrays = self.load(), self._on_host()
        args = arguments.convert(kernel, self.args(arrays), arguments.host_array)
        return emulate(kernel).launch(self.grid, self.block, args, self.shared_bytes, **options)


def launch_line(line: str, kernels: Path | None = None) -> Launch:
    """Work out a line such as ``coalescing/01_strided STRIDE=8 n=16384`` as a Launch.

    UPPERCASE words give values to the kernel's defines, lowercase ones to its parameters. Grid,
    block and dynamic shared memory come from the 'Launch:' line of the kernel's header, unless the
    line says ``grid=64 block=128``; arrays get the shapes that stand beside the pointers, and
    tensor maps the boxes that 'Maps:' says.
    kernels: the folder that the kernel's name starts from; the book's by default.
    Raises LookupError for a kernel that is not there, and ValueError when a parameter has no value,
    or the header gives no formula for it.
    """
    variant, *words = line.split()
    given = _words(" ".join(words))
    parsed = source.parse(source.find(variant, kernels))
    maps = parsed.header.maps
    arrays = [p for p in parsed.parameters if p.pointer or p.name in maps]
    scalars = [p.name for p in parsed.parameters if p not in arrays]
    names = _numbers(parsed.defines) | {k: v for k, v in given.items() if k not in EXTENTS}
    missing = [name for name in scalars if name not in names]
    if missing:
        raise ValueError(
            f"'{line}' gives no value for {', '.join(missing)}. Add {missing[0]}=..., or, if it is "
            "a tensor map, describe it in the kernel's header, as in 'Maps: a_map and b_map in "
            "boxes (64, 64); bfloat16, swizzle 128B'."
        )
    grid, block = (_extent(what, parsed.header, names, given, line) for what in EXTENTS)
    names |= {"blocks": math.prod(grid), "threads": math.prod(grid) * math.prod(block)}
    shared = parsed.header.formula("shared_bytes") or "0"
    return Launch(
        variant,
        " ".join(w for w in words if w[0].isupper()),
        " ".join(w for w in words if not w[0].isupper()),
        grid, block, _worked_out(shared, names, "shared_bytes", line)[0],
        {p.name: _shape(p.shape, names, f"shape of {p.name}", line) for p in arrays},
        {p.name: _shape(maps[p.name].box, names, f"box of {p.name}", line)
         for p in arrays if p.name in maps},
        {name: names[name] for name in scalars},
        parsed,
    )  # fmt: skip


def topics() -> dict[str, Path]:
    """Return the counters.txt of each topic of the book that has one, by topic."""
    return {path.parent.name: path for path in sorted(source.KERNELS.glob("*/counters.txt"))}


def listed(path: str | Path) -> list[Launch]:
    """Return the Launches of a counters.txt; its kernels lie in the folders beside its own."""
    path = Path(path)
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [
        launch_line(line, path.parents[1]) for line in lines if line and not line.startswith("#")
    ]


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


def _shape(formula, names, what, line):
    try:
        if not formula:
            raise ValueError("which is nothing")
        return header.evaluate(f"({formula})", names)
    except ValueError as error:
        where = "beside the parameter" if what.startswith("shape") else "under 'Maps:'"
        raise ValueError(
            f"cannot work out the {what} in '{line}': the kernel's file says '{formula}' ({error})."
            f" Write it as a formula {where}."
        ) from None


def _array(ctype, shape, rng, text):
    vector = re.fullmatch(r"([a-z]+)([234])", ctype)
    dtype = _dtype(vector[1] if vector else ctype, text)
    return _elements(dtype, (*shape, int(vector[2])) if vector else shape, rng)


def _dtype(ctype, text):
    """Of a type that the file names itself, by a typedef in each branch: the widest that it is."""
    named = [ctype, *re.findall(rf"\btypedef ([\w ]+) {re.escape(ctype)};", text)]
    known = [np.dtype(SCALARS[name]) for name in named if name in SCALARS]
    if not known:
        raise ValueError(
            f"no array can be made of {ctype}, which is no type known here: {', '.join(SCALARS)}. "
            f"Write typedef ... {ctype}; with one of them in the file."
        )
    return max(known, key=lambda dtype: dtype.itemsize)


def _elements(kind, shape, rng):
    """An array of a dtype, or of words that hold bfloat16: the first 16 bits of a float each."""
    if kind == "bfloat16":
        return (rng.random(shape, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if np.dtype(kind).kind != "f":
        return np.zeros(shape, kind)
    return rng.random(shape, dtype=np.float32).astype(kind, copy=False)
