"""Find and parse a kernel's .cu file: where it lies, its entry, its parameters, its defines."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from warpbook.launch import header

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent  # the project's folder; site-packages when the package is a wheel
KERNELS = ROOT / "kernels" if (ROOT / "kernels").is_dir() else PACKAGE / "_kernels"


@dataclass(frozen=True)
class Parameter:
    """One kernel parameter. ctype is the C type without const, * and __restrict__ ('float4').

    shape: what stands in brackets behind a pointer, 'rows, cols' for // [rows, cols]; else ''.
    """

    name: str
    ctype: str
    pointer: bool
    shape: str = ""


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
    Raises LookupError that lists the variants there are.
    """
    kernels = kernels or KERNELS
    path = kernels / f"{variant}.cu"
    if path.is_file() and path.resolve().is_relative_to(kernels.resolve()):
        return path
    topic = str(variant).split("/")[0]
    there = variants(topic) or variants()
    raise LookupError(
        f"there is no kernel '{variant}'. There are: {', '.join(there) or 'none at all'}."
    )


def parse(path: str | Path) -> Source:
    """Read a .cu file. Raises ValueError unless it holds exactly one __global__ function."""
    path = Path(path)
    text = path.read_text()
    code = _without_comments(text)
    found = re.findall(r"__global__(.*?)\b(\w+)\s*\(([^()]*)\)\s*\{", code, flags=re.S)
    if len(found) != 1 or code.count("__global__") != 1:
        raise ValueError(
            f"{path.name}: expected exactly one __global__ function, "
            f"found {code.count('__global__')}. Give each kernel a file of its own."
        )
    entry, parameters = found[0][1], found[0][2]
    defines = dict(re.findall(r"^#ifndef (\w+)\n#define \1 ?(.*)$", code, flags=re.M))
    parameters = tuple(_parameters(parameters, text))
    head = header.read(text)
    multiples = head.multiples({p.name for p in parameters if not p.pointer})
    return Source(path, text, entry, parameters, head, defines, multiples)


def _without_comments(text):
    """Blank out comments, keeping the line count."""

    def blank(match):
        return re.sub(r"[^\n]", "", match.group())

    return re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)


def _parameters(declared, text):
    for part in filter(str.strip, declared.split(",")):
        words = re.sub(r"\b(const|volatile|struct|__restrict__|__grid_constant__)\b", " ", part)
        pointer = "*" in words
        *ctype, name = words.replace("*", " ").split()
        shape = re.search(rf"\*[^,\n]*\b{name},?\)?\s*//\s*\[([^\]]*)\]", text)
        yield Parameter(name, " ".join(ctype), pointer, shape[1] if pointer and shape else "")
