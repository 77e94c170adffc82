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
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any
from urllib.parse import quote

from warpbook import results
from warpbook.grading import technique as criteria
from warpbook.launch import source
from warpbook.launch.wording import counted

_BEGIN = re.compile(r"^(\s*)// BEGIN SOLUTION (\d+)(?:: (.+))?$")
_END = re.compile(r"^\s*// END SOLUTION (\d+)$")
_HINT = re.compile(r"^\s*// HINT \d+: (.+)$")
_MORE = re.compile(r"^\s*// {3,}(\S.*)$")
_GIVEN = re.compile(r"^\s*// GIVEN: ?(.*)$")
SOLVED = "exercises/solutions"
VARIANT = "variant.json"  # see warpbook/grading/variants.py
WORK = "WARPBOOK_WORK"  # the environment variable that says where working copies lie
_OFFERED = re.compile(r'^start\("(\w+/\w+)"\)', re.M)  # in a chapter's cell
_MINUTES = re.compile(r"(?:\*\* \(|^)(\d+) minutes\b", re.M)
NEAREST = 4  # names that an unknown one is told
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
    """List every exercise as 'topic/name'; an edition for students has skeletons alone."""
    found = [
        *((path.parents[2].name, path.stem) for path in source.KERNELS.glob(f"*/{SOLVED}/*.cu")),
        *((path.parents[1].name, path.stem) for path in source.KERNELS.glob("*/exercises/*.cu")),
    ]
    return sorted({f"{topic}/{stem}" for topic, stem in found})


def listing(topics: Sequence[str] = ()) -> str:
    """List exercises by chapter, those of some topics or all, with what is in your folder.

    Chapters, and the minutes of each exercise, are as the book beside kernels/ says; where there is
    none, exercises go by topic.
    Raises LookupError for a topic that has no exercise.
    """
    names = exercises()
    there = sorted({name.split("/")[0] for name in names})
    for topic in topics:
        if topic not in there:
            raise LookupError(f"no topic '{topic}' has exercises. These have: {', '.join(there)}.")
    chosen = [name for name in names if not topics or name.split("/")[0] in topics]
    width, offered, lines = max(map(len, chosen), default=0), _offered(), []
    for head, group in _grouped(chosen, offered).items():
        minutes = [offered[name][1] for name in group if name in offered]
        about = f"{counted(10 * len(group), 'point')}"
        if minutes:
            about += f", {counted(sum(minutes), 'minute')}"
        lines += ["", f"{head} ({about})"]
        lines += [_line(name, width, offered) for name in group]
    return "\n".join([*lines[1:], "", f"Your copies lie in {shown(work_folder())}."])


def _grouped(names, offered):
    """{chapter, or topic where no chapter offers it: its exercises}, in the book's order."""
    groups: dict[str, list[str]] = {}
    for name in [*offered, *names]:
        if name in names and not any(name in group for group in groups.values()):
            head = offered[name][0] if name in offered else name.split("/")[0]
            groups.setdefault(head, []).append(name)
    return groups


def _line(name, width, offered):
    minutes = f"{offered[name][1]} min" if name in offered else ""
    return f"  {name:{width}}  {minutes:>6}  {_state(name):9}  {_task(name)}".rstrip()


def _offered():
    """{exercise: (page, such as '05_coalescing', minutes)}, as the pages beside us say.

    An exercise of a chapter's lab notes, 'lab/05_coalescing', comes behind those of the chapter.
    """
    found = {}
    book = source.KERNELS.parent / "book"
    paths = [p for place in ("", "lab/") for p in book.glob(f"{place}[0-9][0-9]_*.ipynb")]
    for path in sorted(paths, key=lambda path: (path.name, path.parent != book)):
        page = path.relative_to(book).with_suffix("").as_posix()
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        before = ""
        for cell in cells:
            text = "".join(cell["source"])
            asked = _OFFERED.search(text) if cell["cell_type"] == "code" else None
            if asked:
                minutes = (_MINUTES.findall(before) or ["0"])[-1]
                found.setdefault(asked[1], (page, int(minutes)))
                before = ""
            elif cell["cell_type"] == "markdown":
                before += "\n" + text
    return found


def _state(name):
    if not work_path(name).is_file():
        return ""
    return "unchanged" if untouched(name) else "begun"


def _task(name):
    """What an exercise's file says first, behind its name, on one line."""
    first, *more = source.read(skeleton_path(name)).splitlines()
    rest = itertools.takewhile(_MORE.match, more)
    return " ".join([first.partition(": ")[2], *(_MORE.match(line)[1] for line in rest)]).strip()


def skeleton_path(name: str) -> Path:
    """Return where the skeleton of 'topic/name' lies; LookupError lists the exercises."""
    topic, _, stem = str(name).partition("/")
    path = source.KERNELS / topic / "exercises" / f"{stem}.cu"
    solved = path.parent / "solutions" / path.name
    if re.fullmatch(r"\w+/\w+", str(name)) and (path.is_file() or solved.is_file()):
        return path
    there = exercises()
    said = f"There are: {', '.join(there) or 'none at all'}."
    if len(there) > NEAREST:
        said = f"The nearest: {', '.join(_nearest(str(name), there))}."
        said += f" `python -m warpbook list` lists all {len(there)}."
    raise LookupError(f"there is no exercise '{name}'.{source.did_you_mean(name, there)} {said}")


def _nearest(name, there):
    """The few exercises whose names are most like a name, or a topic's."""
    stem = name.rpartition("/")[2]

    def likeness(other):
        pairs = (name, other), (stem, other.split("/")[1]), (name, other.split("/")[0])
        return max(SequenceMatcher(None, *pair).ratio() for pair in pairs)

    return sorted(there, key=likeness, reverse=True)[:NEAREST]


def solution_path(name: str) -> Path:
    """Return where the solution of 'topic/name' lies, in an edition that has it."""
    path = skeleton_path(name)
    return path.parent / "solutions" / path.name


def hints_path(name: str) -> Path:
    """Return where the hints of 'topic/name' lie in an edition without its solution."""
    path = skeleton_path(name)
    return path.parent / "hints" / f"{path.stem}.txt"


def work_path(name: str) -> Path:
    """Return where the student's copy of 'topic/name' lies.

    That is the folder that the environment variable WARPBOOK_WORK names; without it, work/ beside
    kernels/. Where that place is another user's, or cannot be written, it is warpbook-work/ in the
    home folder, so that the users of one checkout do not see each other's copies. When the package
    is installed alone, and while a chapter is recorded, so that no page shows what somebody wrote,
    it is work/ under the current folder.
    """
    topic, file = name.split("/")[0], skeleton_path(name).name
    return work_folder() / topic / file


def work_folder() -> Path:
    """Return the folder of the working copies; see ``work_path``."""
    if os.environ.get(results.RECORDING):
        return Path.cwd() / "work"
    if os.environ.get(WORK):
        return Path(os.environ[WORK]).expanduser().absolute()
    if not _in_project():
        return Path.cwd() / "work"
    beside = source.KERNELS.parent / "work"
    return beside if _own(beside) else Path.home() / "warpbook-work"


def _own(folder):
    """Whether a folder is this user's to write in; of one that is not there, the one it lies in."""
    there = folder if folder.exists() else folder.parent
    user = os.getuid() if hasattr(os, "getuid") else 0  # Windows tells no owner
    return os.access(there, os.W_OK) and user in (0, there.stat().st_uid)


def _in_project():
    """Whether the package runs in its repository, whose chapters lie in book/."""
    return source.KERNELS.name == "kernels"


def hints(name: str) -> list[str]:
    """Return the hints of 'topic/name', in order, as a list of sentences."""
    if not solution_path(name).is_file():
        path = hints_path(name)
        return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return hints_in(solution_path(name).read_text(encoding="utf-8"))


def hints_in(text):
    """Return the hints that a solution's text holds."""
    found, more = [], False
    for line in text.splitlines():
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
    note = path.with_name(VARIANT)
    if note.is_file():
        found = _varied(found, json.loads(note.read_text(encoding="utf-8")).get(stem, {}))
    return found


def _varied(asked, note):
    """An Exercise in a variant of the book: its arguments in another order, with further sizes."""
    order, sizes = note.get("order", []), note.get("sizes", [])

    def make(size, rng):
        case = asked.make(size, rng)
        return replace(case, args=(*(case.args[n] for n in order), *case.args[len(order) :]))

    more = tuple(tuple(size) if isinstance(size, list) else size for size in sizes)
    return replace(asked, make=make, sizes=(*asked.sizes[:-1], *more, asked.sizes[-1]))


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
        if not solution.is_file():
            continue
        text = skeleton(solution.read_text(encoding="utf-8"), where=str(solution))
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path)
            if not check:
                path.write_text(text, encoding="utf-8")
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

    The environment variable WARPBOOK_WORK names another folder. Where the project is another user's
    or cannot be written, it is warpbook-work/ in the home folder.
    reset: begin anew. What was there is kept beside it under another name, such as name_1.cu.
    Raises OSError, with what to do, where nothing can be written.
    """
    path, skeleton = work_path(name), skeleton_path(name)
    there, kept = path.exists(), None
    try:
        if reset and there and path.read_bytes() != skeleton.read_bytes():
            kept = path.rename(_spare(path))
        if kept or not there:
            work_folder().mkdir(mode=0o700, parents=True, exist_ok=True)  # nobody else reads it
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(skeleton.read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        raise OSError(
            f"{shown(path)} cannot be written ({error.strerror}). Copy {shown(skeleton)} to a "
            f'folder of yours, edit it there, and run grade("{name}", "/that/folder/'
            f'{path.name}"); or name a folder of yours in {WORK}.'
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

    In Colab it is no link: there the Files panel opens the file; nor is it outside of the folder
    that JupyterLab shows. Pages that are built have nothing to open, and the builder takes the link
    away by its class.
    """
    text, here, page = html.escape(shown(path)), Path.cwd(), os.environ.get(results.PAGE)
    if "google.colab" in sys.modules:
        return f"{text} (in the Files panel, at the left)"
    if not page and _in_project() and here.is_relative_to(work_folder() / "book"):  # `make lab`
        address = os.path.relpath(path, here)
    elif Path(shown(path)).is_absolute():
        return text
    else:
        address = ("../" * _depth(page) if _in_project() else "") + shown(path)
    return f'<a class="warp-open" href="{quote(address)}">{text}</a>'


def _depth(page):
    """How many folders below the project the running notebook lies: 1 in book/, 2 below it."""
    if page:
        return len(Path(page).parts)
    book = source.KERNELS.parent / "book"
    return 1 + len(Path.cwd().relative_to(book).parts) if Path.cwd().is_relative_to(book) else 1


def shown(path):
    """Return a path as the reader sees it: from the project's folder where it lies inside."""
    for base in (source.KERNELS.parent, Path.cwd()):
        if Path(path).is_relative_to(base):
            return str(Path(path).relative_to(base))
    return str(path)


def folded(name):
    """Return the hints of an exercise as HTML, each folded."""
    return "".join(
        f"<details><summary>Hint {i}</summary><p>{_words(text)}</p></details>"
        for i, text in enumerate(hints(name), 1)
    )


def _words(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
