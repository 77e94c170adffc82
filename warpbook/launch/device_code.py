"""The device code of any CUDA C++ file: its kernels, and the PTX of one of them.

NVRTC compiles no host code and has no standard headers. So a file is compiled as it stands first;
where that fails, what belongs to the host is blanked out, line numbers kept, and it is tried again:
each declaration that the compiler refuses and that is not marked for the device.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path

from warpbook.launch import source
from warpbook.launch.declarations import MARK, KernelText, Structure, blanked, split
from warpbook.launch.standard_headers import HALVES_TEXT, PRELUDE, STANDARD_HEADERS
from warpemu import nvrtc

HOST = re.compile(
    r"<<<|\bcu(?:da|blas|rand|fft|dnn|solver|sparse)[A-Z]\w*\s*\(|\bstd::(?:vector|cout|cerr|string)\b"
    r"|\b(?:exit|s?rand|atoi|atof|fprintf|fopen|calloc)\s*\("
)
SHOWN = 12  # of what was left out, in a message
PASSES = 60  # compilations, each with less of the host's code
FOLLOWING = 3  # errors that are shown behind the cause of them
# Headers of CUDA that device code cannot do without: their errors are the file's.
ESSENTIAL = ("cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "mma.h", "cuda.h")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
_ERROR = re.compile(r"^(.*?)\((\d+)\): (?:catastrophic )?error(?: #\S+)?: ([^\n]*)", re.M)
_UNKNOWN = re.compile(r'identifier "(\w+)" is undefined|name followed by "::" must be a class')
_MISSING = re.compile(r'cannot open source file "([^"]+)"')


@dataclass(frozen=True)
class Compiled:
    """The PTX of one kernel. entry: its name there; expression: in C++, 'scale<float, 4>'; kernel:
    its KernelText, None if it stands in no text; values: {template parameter: what it is};
    left_out: a sentence for each thing left out.
    """

    ptx: str
    entry: str
    expression: str
    kernel: KernelText | None
    values: dict[str, str]
    left_out: list[str] = field(default_factory=list)


class File:
    """A CUDA C++ file with the headers that it includes and that lie beside it or in ``folders``.

    Raises OSError for a file that cannot be read.
    """

    def __init__(self, path: str | Path, folders: Sequence[str | Path] = ()) -> None:
        self.path = Path(path)
        self.folders = [self.path.parent, *map(Path, folders)]
        self.texts, self.places = {}, {}  # by the name that includes it: text, path
        self.missing: dict[str, bool] = {}  # headers that are nowhere: outside of any #if?
        self.libraries: dict[str, Path] = {}  # headers among CUDA's own, such as cub/cub.cuh
        self._gather(self.path.name, self.path)
        self._structures: dict[str, Structure] = {}

    def _gather(self, name, path):
        self.texts[name], self.places[name] = (
            path.read_text(errors="replace", encoding="utf-8"),
            path,
        )
        for match in _INCLUDE.finditer(self.texts[name]):
            quoted, include = match[1], match[1] or match[2]
            places = [*([path.parent] if quoted else []), *self.folders]
            found = next((p / include for p in places if (p / include).is_file()), None)
            if not found and quoted == source.PARTS:
                found = source.parts_of(path)  # of a working copy's topic
            if found and include not in self.texts:
                self._gather(include, found)
            elif not found and include not in [*self.missing, *STANDARD_HEADERS]:
                folders = [Path(option.removeprefix("-I")) for option in _cuda_headers()]
                of_cuda = next((f / include for f in folders if (f / include).is_file()), None)
                if of_cuda:
                    self.libraries[include] = of_cuda
                else:
                    self.missing[include] = not _conditional(self.texts[name], match.start())

    def _structure(self, name):
        if name not in self._structures:
            self._structures[name] = Structure(self.texts[name])
        return self._structures[name]

    @cached_property
    def kernels(self) -> list[KernelText]:
        """The kernels of the file, or, where it has none, of the headers beside it."""
        return self._structure(self.path.name).kernels(self.path.name) or self.kernels_of_headers

    @cached_property
    def kernels_of_headers(self) -> list[KernelText]:
        """The kernels of the headers beside the file and in its folders."""
        headers = (n for n in self.texts if n != self.path.name)
        return [k for name in headers for k in self._structure(name).kernels(name)]

    def kernel(self, wanted: str | None = None) -> tuple[KernelText | None, str]:
        """Return (the kernel, the expression that names it); the only one if none is wanted.

        wanted: 'scale', 'detail::scale' or 'scale<float, 4>', of the file or else of its headers.
        The kernel is None where a macro makes it, so that its name stands in no text. Raises
        LookupError that lists the kernels.
        """
        listed = ", ".join(dict.fromkeys(map(str, self.kernels))) or "none"
        if wanted is None:
            if len(self.kernels) != 1:
                raise LookupError(
                    f"{self.path.name} has {len(self.kernels)} kernels: {listed}."
                    + (" Choose one with --kernel NAME." if self.kernels else "")
                )
            (kernel,) = self.kernels
            wanted = kernel.name
        base, _, values = wanted.partition("<")
        base = base.strip()
        everywhere = [*self.kernels, *self.kernels_of_headers]
        found = [k for k in everywhere if base == k.name]
        found = found or [k for k in everywhere if base == k.name.split("::")[-1]]
        if not found:
            if base in " ".join(self.texts.values()):
                return None, wanted
            near = get_close_matches(base, [k.name for k in everywhere], 1)
            listed = ", ".join(dict.fromkeys(map(str, everywhere))) or "none"
            hint = f" Did you mean {near[0]}?" if near else ""
            raise LookupError(f"{self.path.name} has no kernel '{base}'.{hint} It has: {listed}.")
        kernel = next((k for k in found if bool(k.template) == bool(values)), found[0])
        if kernel.template and not values:
            example = ", ".join("..." for _ in kernel.template)
            raise LookupError(
                f"{kernel.name} is a template of {', '.join(kernel.template)}: say which one is "
                f"meant, --kernel '{kernel.name}<{example}>'."
            )
        return kernel, f"{kernel.name}<{values}" if values else kernel.name

    def ptx(
        self, wanted: str | None = None, options: Sequence[str] = (), arch: str = "compute_90"
    ) -> Compiled:
        """Compile one kernel to PTX with line information; see ``kernel`` for ``wanted``.

        Raises CompileError with the compiler's log, LookupError for a kernel that is not there.
        """
        kernel, expression = self.kernel(wanted)
        names = kernel.template if kernel else ()
        given = split(expression.partition("<")[2].rpartition(">")[0])
        values = dict(zip(names, given, strict=False))
        folders = [f"-I{folder}" for folder in dict.fromkeys(self.folders)]
        options = [f"-arch={arch}", nvrtc.STANDARD, "-lineinfo", *options, *folders]
        options += _cuda_headers()
        effort = _Effort(self, kernel, expression, options)
        ptx, entry = effort.run()
        file = kernel.file if kernel else self.path.name
        return Compiled(_numbered(ptx, file), entry, expression, kernel, values, effort.left_out)


class _Effort:
    """Compiles, and leaves out what the compiler refuses and the kernel may not need."""

    def __init__(self, file, kernel, expression, options):
        self.file, self.kernel, self.expression, self.options = file, kernel, expression, options
        self.texts = dict(file.texts)
        self.empty, self.blanked = [], {}  # headers taken as empty; {(file, chunk): why}
        self.prelude, self.crash = STANDARD_HEADERS[PRELUDE], ""

    @property
    def left_out(self):
        order = sorted(  # what is marked for the device is missed first
            self.blanked.items(),
            key=lambda item: (not MARK.search(item[0][1].head), item[0][0], item[0][1].begin),
        )
        said = [self.sentence(name, chunk, why) for (name, chunk), why in order]
        found = self.file.missing
        return said + [
            f"#include of {name}: not found or not for NVRTC, taken as empty"
            for name in self.empty
            if found.get(name, True)
        ]

    def sentence(self, name, chunk, why):
        """'add.cu, lines 3 to 7: int main() (why)'"""
        structure = self.file._structure(name)
        first, last = structure.line(chunk.begin), structure.line(chunk.end - 1)
        where = f"line {first}" if first == last else f"lines {first} to {last}"
        what = " ".join(chunk.head.split())
        return f"{name}, {where}: {what[:60]}{'...' if len(what) > 60 else ''} ({why})"

    def run(self):
        """Return (PTX, the entry's name)."""
        try:
            return self.compile()
        except nvrtc.CompileError as error:
            log = str(error)
        self.options = ["-default-device", f"--pre-include={PRELUDE}", *self.options]
        self.empty, last_resort = list(self.file.missing), None
        self.prelude = STANDARD_HEADERS[PRELUDE] + (HALVES_TEXT if self.empty else "")
        self.blank_host()
        for _ in range(PASSES):
            try:
                return self.compile()
            except nvrtc.CompileError as error:
                log = str(error)
            if self.include(log) or self.blank(log, device=False):
                continue
            last_resort = last_resort or (log, self.left_out)
            if not self.blank(log, device=True):
                break
        own = self.file.path.name
        if last_resort and all(name == own for name, *_ in _ERROR.findall(last_resort[0])):
            raise self.failed(*last_resort)  # the fault is plain: what follows comes of it
        raise self.failed(log, self.left_out)

    def failed(self, log, left_out):
        """The error to raise: first its cause, where that stands in what was left out."""
        said = [f"NVRTC refuses {self.file.path.name}:"]
        errors = [part for part in re.split(r"\n(?=\S+\(\d+\): )", log) if _ERROR.search(part)]
        own = [part for part in errors if "__nv_name_map" not in _ERROR.search(part)[1]]
        own = [part for part in own if self.in_kernel(part)] or own
        own.sort(key=lambda part: not _UNKNOWN.search(part))  # what is undefined comes first
        causes = self.causes("\n".join(own))
        if causes:
            said += [f"The cause: {cause}" for cause in causes]
            said += ["What follows from it:", *own[:FOLLOWING]]
            said += [f"and {len(own) - FOLLOWING} more errors"] * (len(own) > FOLLOWING)
        else:
            absent = [name for name in self.empty if self.file.missing.get(name)]
            if absent and any(map(_UNKNOWN.search, own)):
                said.append(
                    f"The cause may be a header that is not found: {', '.join(absent[:SHOWN])}. "
                    "Name its folder: -I DIR."
                )
            said += own[:SHOWN] or [log]
            said += [f"and {len(own) - SHOWN} more errors"] * (len(own) > SHOWN)
        if self.crash:
            said.append(
                f"With {self.expression} asked for, the compiler gives no error: {self.crash}"
            )
        if "__nv_name_map" in log and not own:
            said.append(
                f"'{self.expression}' does not name one kernel: give every template argument that "
                "has no default, each with a value that the kernel can be made with."
            )
        if left_out:
            said.append("Before that, this was left out as code for the host:")
            said += [f"  {text}" for text in left_out[:SHOWN]]
            said += [f"  and {len(left_out) - SHOWN} more"] * (len(left_out) > SHOWN)
        return nvrtc.CompileError("\n".join(said))

    def in_kernel(self, error):
        """Does an error stand in the kernel's own lines?"""
        name, line, _ = _ERROR.search(error).groups()
        own = self.kernel
        return own is not None and name == own.file and own.first <= int(line) <= own.last

    def causes(self, log):
        """Why what the log calls undefined is so: the declarations of it that were left out, and of
        what these lacked, back to the first.
        """
        unknown, found, seen = [n for n in _UNKNOWN.findall(log) if n], {}, set()
        while unknown:
            name = unknown.pop(0)
            if name in seen:
                continue
            seen.add(name)
            for (file, chunk), why in self.blanked.items():
                lacks = _UNKNOWN.search(why)
                if not _declares(chunk, name) or lacks and lacks[1] == name:
                    continue
                deeper = lacks and any(
                    _declares(c, lacks[1]) for _, c in self.blanked if c != chunk
                )
                if deeper:
                    unknown.append(lacks[1])
                else:
                    found[self.sentence(file, chunk, why)] = None
        return list(found)

    def include(self, log):
        """Take a header as empty that is not found, or that NVRTC refuses."""
        missing = [name for name in _MISSING.findall(log) if name not in self.empty]
        if not missing:  # a library for the host, such as thrust/device_vector.h
            paths = [path.rpartition("/include/")[2] for path, *_ in _ERROR.findall(log)]
            tops = {path.split("/")[0] for path in paths}
            near = [n for n in self.file.libraries if "/" in n and n not in self.empty]
            near = [n for n in near if n.split("/")[0] in tops]
            fewest = min((n.count("/") for n in near), default=0)  # cub/cub.cuh before cub/block/
            missing = sorted(n for n in near if n.count("/") == fewest)
            missing = missing or self.refused(log)
        self.empty += missing
        return bool(missing)

    def refused(self, log):
        """The headers of CUDA that an error of the log stands in, or that include such a one."""
        places = {Path(path).name for path, *_ in _ERROR.findall(log) if "/include/" in path}
        return [
            name
            for name, path in self.file.libraries.items()
            if name not in (*self.empty, *ESSENTIAL) and _reached(path) & places
        ]

    def blank_host(self):
        """Blank out the functions that are plainly the host's: this saves compilations."""
        for name, text in self.file.texts.items():
            for chunk in self.file._structure(name).chunks:
                body = text[chunk.begin + len(chunk.head) : chunk.end]
                plain = not re.search(r"__\w+__|\bconstexpr\b|\b[A-Z][A-Z0-9_]+\b", chunk.head)
                if chunk.kind == "function" and plain and HOST.search(body):
                    self.drop(name, chunk, "it calls what the host has")

    def drop(self, name, chunk, why):
        """Blank out one declaration."""
        self.blanked[name, chunk] = why
        text = self.texts[name]
        gone = re.sub(r"[^\n]", " ", text[chunk.begin : chunk.end])
        self.texts[name] = text[: chunk.begin] + gone + text[chunk.end :]

    def blank(self, log, device):
        """Blank out what the errors of a log are in. device: of what is marked for the device, too,
        but for the kernel itself.
        """
        done, before = False, [*self.blanked]  # an error of this log is in nothing that was gone
        for name, line, why in _ERROR.findall(log):
            if name not in self.file.texts:
                continue
            structure = self.file._structure(name)
            gone = {chunk for file, chunk in before if file == name}
            chunk = structure.at(int(line), gone)
            if chunk is None or (name, chunk) in self.blanked or self.needed(name, chunk, device):
                continue
            self.drop(name, chunk, why)
            done = True
        return done

    def needed(self, name, chunk, device):
        if not MARK.search(chunk.head):
            return False
        if "__global__" in chunk.head:
            own = self.kernel
            line = self.file._structure(name).line(chunk.end - 1)
            return own is not None and (name, line) == (own.file, own.last)
        return not device

    def compile(self):
        headers = {**STANDARD_HEADERS, **dict.fromkeys(self.empty, ""), PRELUDE: self.prelude}
        headers |= {n: t for n, t in self.texts.items() if n != self.file.path.name}
        try:
            return self.attempt(headers, self.expression)
        except nvrtc.CompilerCrash as crash:
            self.crash = str(crash)
        self.attempt(headers, "")  # without the kernel's instance it may say what is wrong
        raise nvrtc.CompileError(self.crash)

    def attempt(self, headers, expression):
        name = self.file.path.name
        try:
            ptx, entry = nvrtc.compiled(
                self.texts[name], name, self.options, "PTX", headers, expression, apart=True
            )
        except nvrtc.CompilerCrash:
            raise
        except nvrtc.CompileError as error:
            raise nvrtc.CompileError(_without_warnings(str(error)) or str(error)) from None
        return ptx.rstrip(b"\0").decode(), entry


def _declares(chunk, name):
    """Is a name what a declaration declares?"""
    pattern = {
        "function": rf"\b{name}\s*(?:<[^<>]*>\s*)?\(",
        "class": rf"\b(?:struct|class|union|enum)\b[^:{{]*\b{name}\b",
    }.get(chunk.kind, rf"\busing\s+{name}\b|\b{name}\s*(?:[=\[({{,]|$)")
    return re.search(pattern, chunk.head) is not None


@cache
def _reached(path):
    """The file names of a header of CUDA and of all that it includes from its folder."""
    reached, todo = set(), [path]
    while todo:
        path = todo.pop()
        if path.name not in reached and path.is_file():
            reached.add(path.name)
            text = path.read_text(encoding="utf-8", errors="replace")
            todo += [path.parent / (found[1] or found[2]) for found in _INCLUDE.finditer(text)]
    return reached


def _conditional(text, at):
    """Does an #include stand in an #if? That of a header's guard does not count."""
    words = re.findall(r"^[ \t]*#[ \t]*(if\w*|endif|\w+)", blanked(text[:at]), re.M)
    depth = sum(word.startswith("if") for word in words) - words.count("endif")
    return depth > (1 if words[:2] == ["ifndef", "define"] else 0)


def _without_warnings(log):
    """The errors of a log alone."""
    parts = re.split(r"\n(?=\S.*?\(\d+\): |Remark: )", log)
    return "\n".join(p for p in parts if not re.match(r"\S.*?\(\d+\): warning|Remark: ", p)).strip()


@cache
def _cuda_headers():
    """The folders of CUDA's headers as -I options: of the runtime, and of what wheels of their own
    bring (crt/mma.h, curand_kernel.h) where they lie beside it, for versions must not mix.
    """
    options = list(nvrtc.headers())
    for own in nvrtc.headers():
        wheels = Path(own.removeprefix("-I")).parents[1]
        folders = (wheels / name / "include" for name in ("cuda_nvcc", "curand"))
        options += [f"-I{folder}" for folder in folders if folder.is_dir()]
    return options


def _numbered(ptx, name):
    """PTX whose lines of the file ``name`` count as those of file 1, as the emulator takes them."""
    files = re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', ptx, re.M)
    own = next((n for n, path in files if path == name or path.endswith(f"/{name}")), "1")
    if own == "1":
        return ptx
    swap = {own: "1", "1": own}
    return re.sub(
        r"(\.loc\s+|\.file\s+|inlined_at\s+)(\d+)\b", lambda m: m[1] + swap.get(m[2], m[2]), ptx
    )
