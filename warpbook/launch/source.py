"""Find and parse a kernel's .cu file: where it lies, its entry, its parameters, its defines."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from warpbook.launch import header

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent  # the project's folder; site-packages when the package is a wheel
KERNELS = ROOT / "kernels" if (ROOT / "kernels").is_dir() else PACKAGE / "_kernels"

# A string or a character, which is kept, or a comment. 1'000 has no character in it.
_LITERAL = re.compile(
    r'R"(?P<end>[^()\\\s]{0,16})\(.*?(?:\)(?P=end)"|\Z)|"(?:\\.|[^"\\\n])*"'
    r"|(?<![\da-fA-F])'(?:\\.|[^'\\\n])*'|//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)",
    re.S,
)
_BRANCH = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(.*?)[ \t]*")
_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*ifndef[ \t]+(\w+)[ \t]*\n[ \t]*#[ \t]*define[ \t]+\1\b[ \t]*(.*?)[ \t]*$", re.M
)
_QUALIFIERS = re.compile(
    r"\balignas\s*\([^()]*\)"
    r"|\b(?:const|volatile|struct|__restrict__|__restrict|__grid_constant__)\b"
)

# Libraries of CUDA that NVRTC, the run-time compiler, does not take.
NOT_HERE = {
    r"cub/(cub\.cuh|device/.*)|thrust/.*": "is for programs that nvcc compiles, with host code. "
    "NVRTC takes none; <cub/block/...> and <cub/warp/...> work here.",
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
    """

    path: Path
    text: str
    entry: str
    parameters: tuple[Parameter, ...]
    header: header.Header
    defines: dict[str, str] = field(default_factory=dict)
    multiples: dict[str, str] = field(default_factory=dict)


def variants(topic: str | None = None) -> list[str]:
    """List every kernel as 'topic/NN_idea', or those of one topic, in the book's order."""
    pattern = f"{topic or '*'}/*.cu"
    return sorted(f"{p.parent.name}/{p.stem}" for p in KERNELS.glob(pattern))


def find(variant: str, kernels: Path | None = None) -> Path:
    """Return the path of 'topic/NN_idea' (or 'topic/exercises/name').

    kernels: the folder to look in, the book's by default.
    Raises LookupError that names the nearest variant and lists those there are.
    """
    kernels = kernels or KERNELS
    path = kernels / f"{variant}.cu"
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


def _check_headers(name, code):
    """Refuse a header that the run-time compiler cannot take, in words that say what to do."""
    for match in re.finditer(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", code, flags=re.M):
        for pattern, why in NOT_HERE.items():
            if re.fullmatch(pattern, match[1]):
                line = code.count("\n", 0, match.start(1)) + 1
                raise ValueError(f"{name}, line {line}: <{match[1]}> {why}")


def parse(path: str | Path) -> Source:
    """Read a .cu file. Raises ValueError unless it holds exactly one __global__ function.

    Prototypes do not count, nor does what stands in a comment or under ``#if 0``.
    """
    path = Path(path)
    if path.name.startswith("-"):
        raise ValueError(
            f"{path.name}: the compiler takes a name that begins with - for an option. "
            f"Rename the file: {path.name.lstrip('-') or 'kernel.cu'}."
        )
    text = read(path)
    code = _live(without_comments(text))
    _check_headers(path.name, code)
    found = list(_kernels(without_strings(code)))
    if len(found) != 1:
        raise ValueError(
            f"{path.name}: expected exactly one __global__ function, found {len(found)}. "
            + ("Give each kernel a file of its own." if found else "Write one, with its body.")
        )
    entry, declared = found[0]
    if not re.search(r'\bextern\s*"C"', code):
        raise ValueError(
            f'{path.name}: {entry} lacks extern "C", so C++ gives it another name and the launch '
            f'cannot find it. Write: extern "C" __global__ void {entry}(...)'
            + (", with types in place of the template's." if "template" in code else ".")
        )
    head = header.read(text)
    parameters = tuple(_parameters(declared, text, head.maps))
    multiples = head.multiples({p.name for p in parameters if not p.pointer})
    return Source(path, text, entry, parameters, head, dict(_DEFINE.findall(code)), multiples)


def without_comments(text: str) -> str:
    """Return C++ text with its comments blanked out, the line count kept."""

    def blank(match):
        found = match.group()
        if found[0] != "/":
            return found
        return "\n" * found.count("\n") or (" " if found[1] == "*" else "")

    return _LITERAL.sub(blank, text)


def without_strings(text: str) -> str:
    """Return C++ text without comments with all its strings and characters empty."""
    return _LITERAL.sub('""', text)


def _live(code):
    """Blank out what ``#if 0``, or ``#else`` after ``#if 1``, leaves out; the line count is kept.

    Other conditions are not worked out: all of their branches stay.
    """
    kept, branches = [], []  # of each open #if: is this branch in? None: not known; 'over': it was
    for line in code.split("\n"):
        branch = _BRANCH.fullmatch(line)
        word, condition = branch.groups() if branch else ("", "")
        if word in ("if", "ifdef", "ifndef"):
            branches.append(_truth(condition) if word == "if" else None)
        elif word == "endif":
            del branches[-1:]
        elif word and branches and branches[-1] is not None:
            taken = True if word == "else" else _truth(condition)
            branches[-1] = taken if branches[-1] is False else "over"
        kept.append(line if all(state in (True, None) for state in branches) else "")
    return "\n".join(kept)


def _truth(condition):
    return {"0": False, "false": False, "1": True, "true": True}.get(condition)


def _kernels(code: str) -> Iterator[tuple[str, str]]:
    """Yield (entry, the text of its parameters) of each __global__ function with a body."""
    for found in re.finditer(r"\b__global__\b", code):
        depth, name, entry, inside, begin = 0, "", "", "", 0
        for token in re.compile(r"\w+|[(){};]").finditer(code, found.end()):
            word = token.group()
            if word == "(":
                begin, depth = token.end() if not depth else begin, depth + 1
            elif word == ")":
                depth -= 1
                if not depth and not name.startswith("__"):  # as in __launch_bounds__(256)
                    entry, inside = name, code[begin : token.start()]
            elif not depth and word in "{};":
                if word == "{" and entry:
                    yield entry, inside
                break
            elif not depth:
                name = word


def _parameters(declared, text, maps):
    for part in filter(None, map(str.strip, _split(declared))):
        part = part.partition("=")[0]  # without its default
        const = re.search(r"\bconst\b", part.partition("*")[0])
        part = _QUALIFIERS.sub(" ", part)
        array = "[" in part and "(" not in part  # x[] is a pointer, (*x)[4] has its star
        stars = part.count("*") + array
        *ctype, name = re.sub(r"\[[^\]]*\]|[*()]", " ", part).split()
        if [*ctype, name] == ["void"]:
            continue
        said = _shape(name, text) if stars or name in maps else ""
        written = bool(stars) and not const
        if name in maps:
            yield Parameter(name, maps[name].ctype, True, said, map=maps[name])
            continue
        yield Parameter(name, " ".join(ctype) + "*" * (stars - 1), bool(stars), said, written)


def _shape(name, text):
    """What stands in brackets in the comment behind a parameter, '' if nothing does."""
    behind = re.compile(rf"\b{name}\b\)*(?:\[[^\]\n]*\])*(?:\s*=[^,\n]*)?,?\)?\s*//\s*\[([^\]]*)\]")
    for found in behind.finditer(text):
        before = max(text.rfind(",", 0, found.start()) + 1, text.rfind("\n", 0, found.start()))
        if re.search(r"[*(\s]", text[max(0, before) : found.start()]):
            return found[1]
    return ""


def _split(declared):
    """Cut at the commas that stand outside brackets; < is one in a type, not in a default."""
    depth, parts = 0, [""]
    for letter in declared:
        if letter in "([{)]}" or letter in "<>" and "=" not in parts[-1]:
            depth += 1 if letter in "([{<" else -1
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
