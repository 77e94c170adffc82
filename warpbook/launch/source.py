"""Find and parse a kernel's .cu file: where it lies, its entry, its parameters, its defines."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from warpbook.launch import header
from warpbook.launch.declarations import Structure, live, without_comments

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent  # the project's folder; site-packages when the package is a wheel
KERNELS = ROOT / "kernels" if (ROOT / "kernels").is_dir() else PACKAGE / "_kernels"

PARTS = "parts.cuh"  # the header of a topic, beside its kernels
_INCLUDE_PARTS = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"parts\.cuh"[ \t]*(?://.*)?$', re.M)
_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*ifndef[ \t]+(\w+)[ \t]*\n[ \t]*#[ \t]*define[ \t]+\1\b[ \t]*(.*?)[ \t]*$", re.M
)
# Libraries of CUDA that NVRTC, the run-time compiler, does not take.
NOT_HERE = {
    r"cub/(cub\.cuh|device/.*)|thrust/.*": "is for programs that nvcc compiles, with host code. "
    "NVRTC takes none; <cub/block/...> and <cub/warp/...> work here."
}


@dataclass(frozen=True)
class Parameter:
    """One kernel parameter. ctype is the C type without const, * and __restrict__ ('float4').

    A pointer to an array, ``float (*tile)[4]``, has the array's type; one to pointers, ``float**``,
    the type 'float*'. shape: what stands in brackets behind a pointer, 'rows, cols' for
    // [rows, cols]; else ''. written: whether it is a pointer to what is not const. A tensor map
    that the header describes stands here as a pointer to its array's elements; map: that
    description.
    """

    name: str
    ctype: str
    pointer: bool
    shape: str = ""
    written: bool = False
    map: header.Map | None = None


@dataclass(frozen=True)
class Source:
    """One parsed .cu file. defines maps each name that -D may set to its default text.

    multiples maps a scalar to what 'Assumes:' wants it to be a multiple of: a define or a number.
    parts: the text of the topic's header where the file includes it, else ''.
    """

    path: Path
    text: str
    entry: str
    parameters: tuple[Parameter, ...]
    header: header.Header
    defines: dict[str, str] = field(default_factory=dict)
    multiples: dict[str, str] = field(default_factory=dict)
    parts: str = ""

    @property
    def unit(self) -> str:
        """What is compiled: the text, with the topic's header in place of its #include.

        There is one text for every compiler, so no cache can miss a change of the header. Messages
        and line information name each of the two files, with its own lines.
        """
        found = _INCLUDE_PARTS.search(self.text) if self.parts else None
        if not found:
            return self.text
        before, behind = self.text[: found.start()], self.text[found.end() :]
        name = self.path.name.replace("\\", r"\\").replace('"', r"\"")
        line = before.count("\n") + 2
        return f'{before}#line 1 "{PARTS}"\n{self.parts}\n#line {line} "{name}"{behind}'


def variants(topic: str | None = None) -> list[str]:
    """List every kernel as 'topic/NN_idea', or those of one topic, in the book's order."""
    pattern = f"{topic or '*'}/*.cu"
    return sorted(f"{p.parent.name}/{p.stem}" for p in KERNELS.glob(pattern))


def find(variant: str, kernels: Path | None = None) -> Path:
    """Return the path of 'topic/NN_idea', 'topic/exercises/name' or 'topic/parts.cuh'.

    kernels: the folder to look in, the book's by default.
    Raises LookupError that names the nearest variant and lists those there are.
    """
    kernels = kernels or KERNELS
    path = kernels / (variant if str(variant).endswith(f"/{PARTS}") else f"{variant}.cu")
    if path.is_file() and path.resolve().is_relative_to(kernels.resolve()):
        return path
    there = variants(str(variant).split("/")[0]) or variants()
    raise LookupError(
        f"there is no kernel '{variant}'.{did_you_mean(variant, variants())} "
        f"There are: {', '.join(there) or 'none at all'}."
    )


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """Return " Did you mean 'topic/01_idea'?" with the nearest of the names, '' if none is near.

    The topic and the rest are compared one by one; the topic and a number may be left out.
    """
    topic, _, stem = str(name).lower().rpartition("/")

    def likeness(other):
        its_topic, _, its_stem = other.lower().rpartition("/")
        whole, idea = _alike(stem, its_stem), _alike(_idea(stem), _idea(its_stem))
        return min(_alike(topic or its_topic, its_topic), max(whole, idea)), whole

    near = max(names, key=likeness, default="")
    return f" Did you mean '{near}'?" if near and likeness(near)[0] > 0.6 else ""


def _alike(one, other):
    return SequenceMatcher(None, one, other).ratio()


def _idea(stem):
    return stem.lstrip("0123456789_") or stem


def read(path: str | Path) -> str:
    """Return the text of a .cu file in UTF-8, with a byte order mark or without one.

    What is no UTF-8 is read as Windows and old editors write it, in Latin-1: it may stand in
    comments and strings. Raises ValueError for a file that holds no text.
    """
    data = Path(path).read_bytes()
    if b"\0" in data:
        raise ValueError(
            f"{Path(path).name}: byte {data.index(0)} is zero, so this is no text, or text in "
            "UTF-16. Save it as UTF-8."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parts_of(path: Path, topic: Path | None = None) -> Path | None:
    """Return the header that a kernel's file may include as "parts.cuh"; None if it has none.

    topic: the folder of the kernel's topic. Without it the header lies beside the file, or in the
    book's topic that a folder above the file is named after, as is that of a working copy.
    """
    named = (KERNELS / folder.name for folder in path.absolute().parents if folder.name)
    folders = (topic,) if topic else (path.parent, *named)
    return next((folder / PARTS for folder in folders if (folder / PARTS).is_file()), None)


def included(path: Path, code: str, topic: Path | None = None) -> Path | None:
    """Return the topic's header if a kernel's code, without its comments, includes it, else None.

    path, topic: as for ``parts_of``.
    """
    return parts_of(path, topic) if _INCLUDE_PARTS.search(code) else None


def _check_headers(name, code):
    """Refuse a header that the run-time compiler cannot take, in words that say what to do."""
    for match in re.finditer(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", code, flags=re.M):
        for pattern, why in NOT_HERE.items():
            if re.fullmatch(pattern, match[1]):
                line = code.count("\n", 0, match.start(1)) + 1
                raise ValueError(f"{name}, line {line}: <{match[1]}> {why}")


def parse(path: str | Path, topic: Path | None = None) -> Source:
    """Read a .cu file. Raises ValueError unless it holds exactly one __global__ function.

    Prototypes do not count, nor does what stands in a comment or under ``#if 0``. topic: the folder
    of the topic whose header the file may include; see ``parts_of``.
    """
    path = Path(path)
    if path.name.startswith("-"):
        raise ValueError(
            f"{path.name}: the compiler takes a name that begins with - for an option. "
            f"Rename the file: {path.name.lstrip('-') or 'kernel.cu'}."
        )
    text = read(path)
    code = live(without_comments(text))
    _check_headers(path.name, code)
    found = Structure(text).kernels(path.name)
    if len(found) != 1:
        raise ValueError(
            f"{path.name}: expected exactly one __global__ function, found {len(found)}. "
            + ("Give each kernel a file of its own." if found else "Write one, with its body.")
        )
    (kernel,) = found
    entry = kernel.name.rpartition("::")[2]
    if not re.search(r'\bextern\s*"C"', code):
        raise ValueError(
            f'{path.name}: {entry} lacks extern "C", so C++ gives it another name and the launch '
            f'cannot find it. Write: extern "C" __global__ void {entry}(...)'
            + (", with types in place of the template's." if "template" in code else ".")
        )
    head = header.read(text)
    parameters = tuple(_parameter(declared, text, head.maps) for declared in kernel.parameters)
    multiples = head.multiples({p.name for p in parameters if not p.pointer})
    defines = dict(_DEFINE.findall(code))
    common = included(path, code, topic)
    parts = read(common) if common else ""
    return Source(path, text, entry, parameters, head, defines, multiples, parts)


def _parameter(declared, text, maps):
    name, stars = declared.name, declared.stars
    shape = _shape(name, text) if stars or name in maps else ""
    if name in maps:
        return Parameter(name, maps[name].ctype, True, shape, map=maps[name])
    const = re.search(r"\bconst\b", declared.text.partition("*")[0])
    ctype = declared.ctype + "*" * (stars - 1)
    return Parameter(name, ctype, bool(stars), shape, bool(stars) and not const)


def _shape(name, text):
    """What stands in brackets in the comment behind a parameter, '' if nothing does."""
    behind = re.compile(rf"\b{name}\b\)*(?:\[[^\]\n]*\])*(?:\s*=[^,\n]*)?,?\)?\s*//\s*\[([^\]]*)\]")
    for found in behind.finditer(text):
        before = max(text.rfind(",", 0, found.start()) + 1, text.rfind("\n", 0, found.start()))
        if re.search(r"[*(\s]", text[max(0, before) : found.start()]):
            return found[1]
    return ""
