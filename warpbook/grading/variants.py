"""Variants: exercises with other names, orders of parameters, sizes and constants, by a seed.

The book's solutions are public. In a variant a copied one does not get all points: it takes its
arrays in another order. What the grader has to know of that stands in exercises/variant.json:

    {"saxpy": {"order": [1, 0, 2], "sizes": [1234]}}

order: which of the arguments in grading.py comes first, second and so on; those behind the last
one stay. sizes: further ones, at which a copy must be right as well.
Constants change where exercises/variants.toml, beside grading.py, says how, in both files:

    [[deal]]
    kernel = ["in[i] + 1"]    # texts of the exercise's file and of its function in grading.py,
    grading = ["a + 1"]       # each with the constant, which is replaced wherever they stand
    constant = "1"
    choices = ["2", "3", "5"]
"""

import ast
import itertools
import json
import os
import random
import re
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from warpbook.grading import draws, exercises
from warpbook.grading.grade import graded
from warpbook.launch import source

CONSTANTS = "variants.toml"
SECONDS = 120
# Other names for pointers. A name changes only if the exercise's text in the chapter has it not.
NAMES = {
    "in": ("given", "source", "data"),
    "out": ("result", "target", "answer"),
    "a": ("left", "first_matrix", "u"),
    "b": ("right", "second_matrix", "v"),
    "c": ("product", "both", "w"),
    "x": ("input", "values", "xs"),
    "y": ("output", "sums", "ys"),
    "y0": ("start", "before", "offset"),
    "matrix": ("table", "grid_of_numbers", "m_in"),
    "vector": ("weights", "column", "v_in"),
}
_POINTER = re.compile(
    r"^(?P<indent>\s*)(?P<what>(?:const )?\w[\w ]*\*\s*(?:__restrict__ )?(?P<name>\w+)),"
    r"(?P<rest>\s*//.*|\s*)$"
)


@dataclass(frozen=True)
class Variant:
    """How one exercise changes: its solution before and after, its function, the grader's note."""

    name: str
    public: str
    text: str
    function: tuple  # of grading.py: the text before and after
    note: dict


def vary(
    kernels: Path, seed: int, names: list[str] | None = None, book: Path | None = None
) -> tuple[list[str], list[str]]:
    """Change the exercises of a folder kernels/; return (those changed, those that stay).

    An exercise stays as it is where its changed solution would not get all points, or where the
    solution as it was would get them as well. book: the chapters, whose words on an exercise are
    looked at. names: those that may change.
    """
    here = source.KERNELS
    with _kernels(kernels):
        there = [name for name in exercises.exercises() if names is None or name in names]
        gradings = {
            path: path.read_text(encoding="utf-8")
            for path in kernels.glob("*/exercises/grading.py")
        }
        plans = [_plan(name, seed, here, book) for name in there]
        _write([plan for plan in plans if plan], gradings)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            sound = list(pool.map(lambda plan: bool(plan) and _sound(plan, seed), plans))
        for plan in filter(None, plans):  # as it was
            _save(plan.name, plan.public)
        _write([plan for plan, good in zip(plans, sound, strict=True) if plan and good], gradings)
    changed = [name for name, good in zip(there, sound, strict=True) if good]
    return changed, [name for name in there if name not in changed]


@contextmanager
def _kernels(folder):
    before, source.KERNELS = source.KERNELS, folder
    try:
        yield
    finally:
        source.KERNELS = before


def _plan(name, seed, kernels, book):
    """Work out a Variant of an exercise; None where nothing about it can change."""
    rules = kernels / name.split("/")[0] / "exercises" / CONSTANTS
    path, rng = exercises.solution_path(name), random.Random(f"{seed} {name}")
    public = path.read_text(encoding="utf-8")
    function = _function(path.parents[1] / "grading.py", path.stem)
    text, changed = _constants(rules, path.stem, public, function, rng)
    text, order = _reordered(_renamed(text, _words(book, name), rng), rng)
    if not order and changed == function:
        return None
    note = {"order": order} if order else {}
    sizes = exercises.specification(name).sizes
    if any(isinstance(part, draws.Drawn) for part in np.atleast_1d(np.array(sizes[-1], object))):
        note["sizes"] = [draws.Draw(rng.randrange(draws.SEEDS)).all_sizes(sizes)[-1]]
    return Variant(name, public, text, (function, changed), note)


def _write(plans, gradings):
    """Write the variants, and no others: kernels, the functions of grading.py, the notes."""
    notes: dict[Path, dict] = {}
    for path, text in gradings.items():
        path.write_text(text, encoding="utf-8")
        path.with_name(exercises.VARIANT).unlink(missing_ok=True)
    for plan in plans:
        _save(plan.name, plan.text)
        grading = exercises.skeleton_path(plan.name).with_name("grading.py")
        grading.write_text(
            grading.read_text(encoding="utf-8").replace(*plan.function, 1), encoding="utf-8"
        )
        notes.setdefault(grading.with_name(exercises.VARIANT), {})[plan.name.split("/")[1]] = (
            plan.note
        )
    for path, note in notes.items():
        path.write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")


def _save(name, text):
    exercises.solution_path(name).write_text(text, encoding="utf-8")
    exercises.skeleton_path(name).write_text(exercises.skeleton(text, where=name), encoding="utf-8")


def _sound(plan, seed):
    """Whether the changed solution gets all points, and the public one and the skeleton do not."""
    draw = draws.Draw(seed)
    with tempfile.TemporaryDirectory(prefix="variant-") as folder:
        public = Path(folder) / "public.cu"
        public.write_text(plan.public, encoding="utf-8")
        others = [public, exercises.skeleton_path(plan.name)]
        good = graded(plan.name, exercises.solution_path(plan.name), SECONDS, draw, gpu=False).full
        return good and not any(
            graded(plan.name, path, SECONDS, draw, gpu=False).full for path in others
        )


def _function(grading, stem):
    """The text of an exercise's function in grading.py, with its decorator."""
    text = grading.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == stem:
            first = min(d.lineno for d in node.decorator_list)
            return "".join(text.splitlines(keepends=True)[first - 1 : node.end_lineno])
    raise LookupError(f"{grading} has no function {stem}.")


def _constants(path, stem, text, function, rng):
    """Replace the constants that variants.toml names; return (kernel, function)."""
    rules = tomllib.loads(path.read_text(encoding="utf-8")).get(stem, []) if path.is_file() else []
    for rule in rules:
        new = rng.choice(rule["choices"])

        def swap(where, rule=rule, new=new):
            return re.sub(rf"(?<![\w.]){re.escape(rule['constant'])}(?![\w])", new, where)

        for place in rule["kernel"]:
            _require(place in text, path, stem, place)
            text = text.replace(place, swap(place))
        for place in rule["grading"]:
            _require(place in function, path, stem, place)
            function = function.replace(place, swap(place))
    return text, function


def _require(there, path, stem, place):
    if not there:
        raise ValueError(f"{path}: '{place}' stands nowhere in the exercise {stem}.")


def _words(book, name):
    """What a page says of an exercise: the text in front of the cell that starts it."""
    for path in sorted(book.rglob("*.ipynb")) if book else ():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells]
        at = next((i for i, text in enumerate(texts) if f'start("{name}"' in text), None)
        if at is not None:
            return "\n".join(texts[max(0, at - 1) : at + 2])
    return ""


def _renamed(text, words, rng):
    """Give the pointers other names, in code, and in comments where an index follows."""
    pointers = [found["name"] for found in map(_POINTER.match, text.splitlines()) if found]
    for name in pointers:
        new = rng.choice(NAMES.get(name, (name,)))
        taken = re.search(rf"\b{new}\b", text) or re.search(rf"`{name}\b|\b{name}\[", words)
        if new == name or taken:
            continue
        lines = []
        for line in text.splitlines():
            code, mark, comment = line.partition("//")
            code = re.sub(rf"(?<![\w.]){name}\b", new, code)
            lines.append(code + mark + re.sub(rf"(?<![\w.]){name}(?=\[|`)", new, comment))
        text = "\n".join(lines) + "\n"
    return text


def _reordered(text, rng):
    """Put the pointers of a kernel's parameters into another order; ([], where there is none).

    Only neighbouring lines with one pointer each take part. The arrays that are written keep their
    order among themselves, as that is the order of the results.
    """
    lines = text.splitlines()
    at = [i for i, line in enumerate(lines) if _POINTER.match(line)]
    entry = next((i for i, line in enumerate(lines) if "__global__" in line), 0)
    at = [i for i in at if i > entry]
    if len(at) < 2 or at != list(range(at[0], at[0] + len(at))):
        return text, []
    if any("*" in line for line in lines[at[-1] + 1 : at[-1] + 3] if _ends(line)):
        return text, []
    constant = [lines[i].lstrip().startswith("const ") for i in at]
    outs = [n for n, fixed in enumerate(constant) if not fixed]
    orders = [
        order
        for order in itertools.permutations(range(len(at)))
        if [n for n in order if n in outs] == outs and list(order) != sorted(order)
    ]
    if not orders:
        return text, []
    order = list(rng.choice(orders))
    lines[at[0] : at[-1] + 1] = [lines[at[n]] for n in order]
    return "\n".join(lines) + "\n", order


def _ends(line):
    return ")" in line or _POINTER.match(line)
