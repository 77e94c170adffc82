"""Exercises: the solution's format, the skeleton made of it, a student's copy, the specification.

A solution, kernels/<topic>/exercises/solutions/<name>.cu, is a kernel file with three kinds of
marked lines. The skeleton, kernels/<topic>/exercises/<name>.cu, is written from it.

    // HINT 1: Neighbouring lanes should read neighbouring elements.
    //         A hint goes on while its lines are indented by three spaces or more.
    // BEGIN SOLUTION 1: let lane i read element i      becomes // YOUR CODE 1: let lane i ...
    // GIVEN: int i = threadIdx.x * 32;                 a line the student starts from
    int i = blockIdx.x * blockDim.x + threadIdx.x;      only the solution has this line
    // END SOLUTION 1

kernels/<topic>/exercises/grading.py says what is asked of it, one function per exercise:

    @exercise(
        sizes=(1, 31, 32, 33, drawn(1000, 4000)),
        technique=(most("global_ld_sectors", 1.1, lambda n: n / 8),),
    )
    def fix_stride(size, rng):
        a = rng.random(size, dtype=np.float32)
        return Case(grid=(-(-size // 256),), block=(256,),
                    args=(a, out(size, np.float32), size), want=a + 1, bytes=8 * size)
"""

import html
import importlib.util
import itertools
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from warpbook import results
from warpbook.grading import technique as criteria
from warpbook.launch import source

_BEGIN = re.compile(r"^(\s*)// BEGIN SOLUTION (\d+)(?:: (.+))?$")
_END = re.compile(r"^\s*// END SOLUTION (\d+)$")
_HINT = re.compile(r"^\s*// HINT \d+: (.+)$")
_MORE = re.compile(r"^\s*// {3,}(\S.*)$")
_GIVEN = re.compile(r"^\s*// GIVEN: ?(.*)$")
_MARK = re.compile(r"//\s*(BEGIN|END) SOLUTION|//\s*HINT\b|//\s*GIVEN\b", re.I)


@dataclass(frozen=True)
class Out:
    """A place for an output array: poisoned, or filled with ``fill`` where a kernel adds to it."""

    shape: Any
    dtype: Any
    fill: Any = None


out = Out


@dataclass(frozen=True)
class Case:
    """One launch of an exercise and what it must give.

    args: NumPy arrays, numbers and ``out(shape, dtype)`` in the kernel's order. want: the array
    expected in the out, or a tuple of arrays in the order of the outs. bytes, flops: the least
    the algorithm must move and compute; ``bound_share`` is a share of the time they need.
    """

    grid: tuple
    block: tuple
    args: tuple
    want: Any
    bytes: int | None = None
    flops: int | None = None
    shared_bytes: int = 0
    defines: dict = field(default_factory=dict)
    rtol: float = 1e-5
    atol: float = 1e-6


@dataclass(frozen=True)
class Exercise:
    """What is asked of one exercise. ``make(size, rng)`` returns a Case; see ``exercise``."""

    make: Callable
    sizes: tuple
    technique: tuple
    bound_share: float | None
    gpu_size: Any


def exercise(
    *,
    sizes: Sequence,
    technique: Sequence = (),
    bound_share: float | None = None,
    gpu_size: Any = None,
) -> Callable[[Callable], Exercise]:
    """Declare the decorated function of (size, rng), which returns a Case, an exercise.

    sizes: ints, tuples, and in them ``drawn(low, high)`` for a number that each grading draws anew.
    The result must be right at each; 1, 31, 32, 33 find most slips. At the last one the technique
    is looked at: most, least, forbids, requires.
    bound_share: on a GPU, at gpu_size, the share of the measured bound that is a bonus (0 to 1).
    """
    if (bound_share is None) != (gpu_size is None):
        raise ValueError("an exercise has both bound_share and gpu_size, or neither of them.")
    return lambda make: Exercise(make, tuple(sizes), tuple(technique), bound_share, gpu_size)


def exercises() -> list[str]:
    """List every exercise as 'topic/name'."""
    found = source.KERNELS.glob("*/exercises/solutions/*.cu")
    return sorted(f"{path.parents[2].name}/{path.stem}" for path in found)


def solution_path(name: str) -> Path:
    """Return the path of the solution of 'topic/name'; LookupError lists the exercises."""
    there = exercises()
    if name not in there:
        raise LookupError(
            f"there is no exercise '{name}'.{source.did_you_mean(name, there)} "
            f"There are: {', '.join(there) or 'none at all'}."
        )
    topic, stem = name.split("/")
    return source.KERNELS / topic / "exercises" / "solutions" / f"{stem}.cu"


def skeleton_path(name: str) -> Path:
    """Return where the skeleton of 'topic/name' lies."""
    path = solution_path(name)
    return path.parents[1] / path.name


def work_path(name: str) -> Path:
    """Return where the student's copy of 'topic/name' lies.

    That is work/ beside kernels/; under the current folder when the package is installed alone, and
    while a chapter is recorded, so that no page shows what somebody wrote.
    """
    topic, file = name.split("/")[0], solution_path(name).name
    apart = not _in_project() or os.environ.get(results.RECORDING)
    root = Path.cwd() if apart else source.KERNELS.parent
    return root / "work" / topic / file


def _in_project():
    """Whether the package runs in its repository, whose chapters lie in book/."""
    return source.KERNELS.name == "kernels"


def hints(name: str) -> list[str]:
    """Return the hints of 'topic/name', in order, as a list of sentences."""
    found, more = [], False
    for line in solution_path(name).read_text().splitlines():
        hint, rest = _HINT.match(line), _MORE.match(line)
        if hint:
            found.append(hint[1])
        elif more and rest:
            found[-1] += " " + rest[1]
        more = bool(hint or (more and rest))
    return found


def specification(name):
    """Return the Exercise that kernels/<topic>/exercises/grading.py declares for 'topic/name'."""
    return specification_from(skeleton_path(name).parent / "grading.py", name.split("/")[1])


def specification_from(path, stem):
    """Return the Exercise called ``stem`` in the grading.py at ``path``."""
    path = Path(path)
    if not path.is_file():
        raise LookupError(f"there is no {path}. Declare the exercise '{stem}' there.")
    spec = importlib.util.spec_from_file_location(f"grading_of_{path.parents[1].name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, stem, None)
    if not isinstance(found, Exercise):
        raise LookupError(f"{path} has no @exercise called '{stem}'. Add one.")
    return found


def skeleton(text, where="solution"):
    """Return the skeleton of a solution's text: regions become one comment, hints go.

    Raises ValueError, with ``where`` and the line, for a malformed mark and for a region that is
    nested, never closed, numbered twice or absent.
    """
    kept, seen, region, hint = [], set(), None, False
    for number, line in enumerate(text.splitlines(), 1):
        begin, end = _BEGIN.match(line), _END.match(line)
        wrong = _complaint(line, region, seen)
        if wrong:
            raise ValueError(f"{where}:{number}: {wrong}")
        if begin:
            region, indent = begin[2], begin[1]
            seen.add(region)
            kept.append(f"{indent}// YOUR CODE {region}" + (f": {begin[3]}" if begin[3] else ""))
        elif end:
            region = None
        hint = bool(_HINT.match(line) or (hint and _MORE.match(line)))
        if region and _GIVEN.match(line):
            kept.append(f"{indent}{_GIVEN.match(line)[1]}".rstrip())
        elif not (region or end or hint):
            kept.append(line)
    if region:
        raise ValueError(
            f"{where}:{number}: solution {region} is never closed. Add // END SOLUTION {region}."
        )
    if not seen:
        raise ValueError(f"{where}:1: there is no // BEGIN SOLUTION 1 ... // END SOLUTION 1.")
    return "\n".join(kept) + "\n"


def _complaint(line, region, seen):
    """Say what is wrong with a marked line inside ``region`` (None outside); None if nothing."""
    begin, end, given = _BEGIN.match(line), _END.match(line), _GIVEN.match(line)
    if begin and region:
        return f"solution {begin[2]} begins inside solution {region}. Close that one first."
    if begin and begin[2] in seen:
        return f"solution {begin[2]} is there twice. Give each region a number of its own."
    if end and end[1] != region:
        return f"END SOLUTION {end[1]} closes " + (
            f"solution {region}." if region else "nothing. Add its BEGIN SOLUTION."
        )
    if given and not region:
        return "GIVEN stands outside a solution. Move it below BEGIN SOLUTION."
    if _MARK.search(line) and not (begin or end or given or _HINT.match(line)):
        return (
            f"cannot read '{line.strip()}'. Write '// BEGIN SOLUTION 1: what to do', "
            "'// END SOLUTION 1', '// HINT 1: text' or '// GIVEN: code'."
        )
    return None


def skeletons(check=False):
    """Write the skeleton of every solution; with ``check`` write none. Returns the stale ones."""
    stale = []
    for name in exercises():
        solution, path = solution_path(name), skeleton_path(name)
        text = skeleton(solution.read_text(), where=str(solution))
        if not path.is_file() or path.read_text() != text:
            stale.append(path)
            if not check:
                path.write_text(text)
    return stale


@dataclass(frozen=True)
class Copy:
    """A student's working copy; shows itself with its hints folded.

    new: made just now. kept: where ``reset`` left the copy that was there before, or None.
    """

    name: str
    path: Path
    new: bool
    kept: Path | None = None

    def __repr__(self):
        return f"{self._said(shown(self.path))}\n\n{source.read(self.path)}"

    def _repr_html_(self):
        from warpbook.display import listings  # here: the grader's child process shows nothing

        listing = listings.listing(source.read(self.path), head=shown(self.path)).html
        return f"<p>{self._said(link(self.path), html.escape)}</p>{listing}{folded(self.name)}"

    def _said(self, place, text=str):
        """What to do next; place: how the copy is named, text: how other text is written."""
        if not self.new:
            again = text(f'start("{self.name}", reset=True)')
            return f"{place} is there already and stays as it is. To start over: {again}."
        grade = text(f'grade("{self.name}")')
        kept = f" Your earlier copy is now {text(shown(self.kept))}." if self.kept else ""
        return f"Edit {place}, then run {grade}.{kept}"


def start(name: str, reset: bool = False) -> Copy:
    """Copy the skeleton of 'topic/name' to work/ and show it; an existing copy is kept.

    reset: begin anew. What was there is kept beside it under another name, such as name_1.cu.
    Raises OSError, with what to do, where nothing can be written.
    """
    path, skeleton = work_path(name), skeleton_path(name)
    there, kept = path.exists(), None
    try:
        if reset and there and path.read_bytes() != skeleton.read_bytes():
            kept = path.rename(_spare(path))
        if kept or not there:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(skeleton.read_text())
    except OSError as error:
        raise OSError(
            f"{shown(path)} cannot be written ({error.strerror}). Copy {shown(skeleton)} to a "
            f'folder of yours, edit it there, and run grade("{name}", "/that/folder/'
            f'{path.name}").'
        ) from None
    return Copy(name, path, new=reset or not there, kept=kept)


def untouched(name: str) -> bool:
    """Whether the copy of 'topic/name' is still the skeleton, comments and layout apart."""
    path = work_path(name)
    return path.is_file() and same(path, skeleton_path(name))


def same(path: Path, other: Path) -> bool:
    """Whether two files hold the same code: other comments, spaces and lines make no difference."""
    try:
        return criteria.tokens(source.read(path)) == criteria.tokens(source.read(other))
    except ValueError:  # it holds no text
        return False


def _spare(path):
    """A name beside ``path`` that nothing has yet: name_1.cu, name_2.cu and so on."""
    numbered = (path.with_stem(f"{path.stem}_{number}") for number in itertools.count(1))
    return next(spare for spare in numbered if not spare.exists())


def link(path):
    """A path as a link that JupyterLab opens in its editor, relative to the notebook's folder.

    In Colab it is no link: there the Files panel opens the file. Pages that are built have nothing
    to open, and the builder takes the link away by its class.
    """
    if "google.colab" in sys.modules:
        return f"{html.escape(shown(path))} (in the Files panel, at the left)"
    address = quote(("../" if _in_project() else "") + shown(path))
    return f'<a class="warp-open" href="{address}">{html.escape(shown(path))}</a>'


def shown(path):
    """Return a path as the reader sees it: from the project's folder where it lies inside."""
    for base in (source.KERNELS.parent, Path.cwd()):
        if Path(path).is_relative_to(base):
            return str(Path(path).relative_to(base))
    return str(path)


def folded(name):
    """Return the hints of an exercise as HTML, each folded."""
    return "".join(
        f"<details><summary>Hint {i}</summary><p>{html.escape(text)}</p></details>"
        for i, text in enumerate(hints(name), 1)
    )
