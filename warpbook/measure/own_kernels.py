"""trace_file: any CUDA C++ file in the emulator: its counts, its lines' costs and its faults."""

import html
import math
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import warpemu
from warpbook.launch import argument_texts
from warpbook.launch.backend import GPU, cp
from warpbook.launch.declarations import Declared, meaning, members, split
from warpbook.launch.device_code import File
from warpbook.launch.wording import counted, number
from warpbook.measure import launches
from warpbook.measure.tracing import SECTOR, Trace
from warpbook.profiles import BLOCK_LIMIT, GRID_LIMIT, H100, KB

Extent = int | tuple[int, ...]
SECONDS = 300.0  # that a launch may take
POINTER = 8  # bytes
LEFT_OUT = 3  # parts of a file that are named on a terminal
AROUND = 2  # lines shown around one with a cost that lies outside the kernel


def trace_file(
    path: str | Path,
    grid: Extent,
    block: Extent,
    arguments: Mapping | Sequence,
    kernel: str | None = None,
    *,
    shared_bytes: int = 0,
    defines: Mapping | None = None,
    folders: Sequence[str | Path] = (),
    arch: str = "compute_90",
    seconds: float | None = SECONDS,
    seed: int = 0,
) -> "FileTrace":
    """Run one launch of a kernel from any CUDA C++ file in the emulator; no GPU is needed.

    arguments: {parameter: value}, or the values in the kernel's order; a value is a NumPy array, a
    number, or a text such as 'rand:f4:1024' (see the page 'Your own kernels').
    kernel: its name, such as 'scale<float, 4>', where the file has several, or templates.
    shared_bytes: dynamic shared memory; defines: {name: value}, as -D; folders: of headers, beside
    the file's own; arch: what the compiler compiles for; seconds: the limit on the emulator's time,
    None for none; seed: of the random arrays.
    The arrays given stay as they are. Raises CompileError with the compiler's log, LookupError,
    TypeError or ValueError for arguments that do not fit, and RuntimeError for what the emulator
    does not cover. A fault of the kernel is no exception: it stands in ``findings``.
    """
    file = File(path, folders)
    options = [f"-D{name}={value}" for name, value in (defines or {}).items()]
    compiled = file.ptx(kernel, options, arch)
    shown = compiled.kernel.file if compiled.kernel else file.path.name
    text = file.texts[shown]
    try:
        program = warpemu.compile(compiled.ptx, compiled.entry, Path(shown).name, text)
        declared = _declared(compiled, program)
        name = compiled.kernel.name if compiled.kernel else compiled.expression
        program.rename(name, [p.name for p in declared])
        given = _by_name(declared, arguments, program)
        made = _Values(program, file, compiled, seed)
        for parameter, (_, kind, size) in zip(declared, program.parameters, strict=True):
            made.add(parameter, kind, size, given[parameter.name])
        extents = _extent("grid", grid, GRID_LIMIT), _extent("block", block, BLOCK_LIMIT)
        _check_shared(program, shared_bytes)
        began = time.monotonic()
        report = program.launch(
            *extents, made.values, shared_bytes, trace=True, seconds=seconds, keep_going=True
        )
    except warpemu.EmulatorError as error:
        raise RuntimeError(f"the emulator cannot run it: {error}") from None
    source = SimpleNamespace(path=file.places[shown], text=text)
    named = SimpleNamespace(source=source, name=compiled.expression, variant=Path(shown).stem)
    return FileTrace(
        trace=Trace(named, report),
        findings=report.findings,
        arrays={name: array for held in made.held.values() for name, array in held.items()},
        written=[name for parameter in program.outputs for name in made.held[parameter]],
        poisoned=made.poisoned,
        unfinished=_unfinished(report.stopped, seconds),
        left_out=compiled.left_out,
        lines=(compiled.kernel.first, compiled.kernel.last) if compiled.kernel else (1, 0),
        launched=f"grid {_shape(extents[0])}, block {_shape(extents[1])}"
        + (f", {shared_bytes:,} bytes of dynamic shared memory" if shared_bytes else ""),
        seconds=time.monotonic() - began,
    )


@dataclass(repr=False)
class FileTrace:
    """What ``trace_file`` found out. It shows itself as a table, the source with its costs, and the
    findings.

    trace: the Trace, with all counts; findings: the Findings, the first of each kind and line, in
    the order found; arrays: {parameter: array after the launch}; written, poisoned: names of those
    that the kernel may write, and of those that began as 'nan', each element of which is known to
    be written or not; unfinished: why the launch did not come to its end, or ''; left_out: what the
    compiler refuses and the kernel does not need, such as host code; lines: the kernel's first and
    last; launched: grid and block in words; seconds: that the emulator took.
    """

    trace: Trace
    findings: list[warpemu.Finding]
    arrays: dict[str, np.ndarray]
    written: list[str]
    poisoned: list[str]
    unfinished: str
    left_out: list[str]
    lines: tuple[int, int]
    launched: str
    seconds: float

    @property
    def clean(self) -> bool:
        """Did the launch come to its end with no finding?"""
        return not self.findings and not self.unfinished

    def page(self) -> str:
        """Return one HTML page that needs nothing else, for a browser or a CI's artifacts."""
        return PAGE.format(title=html.escape(self._title()), body=self._body())

    def __repr__(self):
        counts, arrays = _columns(self._counts()), _columns(self._arrays())
        parts = [self._title(), self.launched, "", *counts]
        parts += ["", "Arrays that it may write", *arrays] if arrays else []
        parts += ["", *self._listing(), "", *self._said()]
        return "\n".join(parts)

    def _repr_html_(self):
        return f'<div class="warp-own"><style>{STYLE}</style>{self._body()}</div>'

    def _title(self):
        path = self.trace.kernel.source.path
        return f"{path.name}: {self.trace.kernel.name}, {self._verdict()}"

    def _verdict(self):
        count = len(self.findings)
        found = "no finding" if not count else f"{count} finding{'s' if count > 1 else ''}"
        return f"{found}, not finished" if self.unfinished else found

    # Tables ------------------------------------------------------------------------------------
    def _counts(self):
        """(what, how many, what each of them costs)"""
        r, t = self.trace.report, self.trace
        rows = []
        for what, requests, sectors, used in (
            ("global loads", r.global_ld_requests, r.global_ld_sectors, r.global_ld_bytes),
            ("global stores", r.global_st_requests, r.global_st_sectors, r.global_st_bytes),
        ):
            if requests:
                share = used / (SECTOR * sectors) if sectors else math.nan
                each = counted(number(sectors / requests), "sector")
                each += f" each, {share:.0%} of their bytes asked for"
                rows.append((what, requests, "requests", each))
        for what, requests, wavefronts, conflicts in (
            ("shared loads", r.shared_ld_requests, r.shared_ld_wavefronts, r.shared_ld_conflicts),
            ("shared stores", r.shared_st_requests, r.shared_st_wavefronts, r.shared_st_conflicts),
        ):
            if requests:
                each = counted(number(wavefronts / requests), "wavefront")
                each += f" each, {conflicts:,} bank conflicts"
                rows.append((what, requests, "requests", each))
        if r.const_ld_requests:
            each = counted(number(r.const_ld_passes / r.const_ld_requests), "pass") + " each"
            rows.append(("constant loads", r.const_ld_requests, "requests", each))
        if r.local_ld_requests or r.local_st_requests:
            total = r.local_ld_requests + r.local_st_requests
            rows.append(("local memory", total, "requests", "arrays or registers kept in memory"))
        rows.append(
            (
                "atomics",
                r.atomic_requests,
                "requests",
                f"{r.atomic_collisions:,} lanes met another at their address",
            )
        )
        rows.append(("barriers", t.barriers, "waits", "one for each warp at a __syncthreads()"))
        share = r.divergent_branches / r.branches if r.branches else 0
        rows.append(
            (
                "branches",
                r.branches,
                "branches",
                f"{r.divergent_branches:,} of them diverge, {share:.0%}",
            )
        )
        active = 0 if math.isnan(t.active_share) else t.active_share
        rows.append(("instructions", r.instructions, "in PTX", f"{active:.0%} of lanes active"))
        return [(what, f"{many:,}", unit, each if many else "") for what, many, unit, each in rows]

    def _arrays(self):
        """(name, dtype and shape, what is in it now) of the arrays that the kernel may write."""
        return [
            (
                name,
                f"{self.arrays[name].dtype.str[1:]} {_shape(self.arrays[name].shape)}",
                _content(name, self.arrays[name], name in self.poisoned),
            )
            for name in self.written
            if name in self.arrays
        ]

    # Source ------------------------------------------------------------------------------------
    def _margin(self):
        """{line: what it costs, and the findings in it}"""
        count = len(self.trace.kernel.source.text.splitlines())
        margin = {n: text for n, text in self.trace._margin().items() if 1 <= n <= count}
        for which, finding in reversed(list(enumerate(self.findings, 1))):
            line = finding.line
            if line and 1 <= line <= count:
                mark = f"FINDING {which}: {finding.kind}"
                margin[line] = f"{mark}; {margin[line]}" if line in margin else mark
        return margin

    def _listing(self):
        """The kernel's lines, and others with a cost, each behind its cost."""
        margin, lines = self._margin(), self.trace.kernel.source.text.splitlines()
        shown = set(range(self.lines[0], self.lines[1] + 1))
        for line in margin:
            if line not in shown:
                shown |= set(range(max(1, line - AROUND), min(len(lines), line + AROUND) + 1))
        margin = {line: re.split("[,;] ", cost) for line, cost in margin.items()}
        width = max((len(part) for parts in margin.values() for part in parts), default=0)
        digits, said, last = len(str(len(lines))), [], None
        for n in sorted(shown):
            if last is not None and n > last + 1:
                said.append(f"{'...':>{width}} |")
            first, *rest = margin.get(n, [""])
            said.append(f"{first:>{width}} | {n:{digits}} {lines[n - 1]}".rstrip())
            said += [f"{part:>{width}} |" for part in rest]
            last = n
        return said

    def _said(self):
        """The findings, and what the reader ought to know of the run."""
        said = [self._verdict().capitalize() + ("." if not self.findings else ":")]
        for which, finding in enumerate(self.findings, 1):
            facts, detail = _facts(finding)
            said += [f"  {which}. {facts}", f"     {detail}"]
        if self.unfinished:
            said.append(self.unfinished)
        if self.left_out:
            more = len(self.left_out) - LEFT_OUT
            said.append("Left out, for the kernel does not need it:")
            said += [f"  {text}" for text in self.left_out[:LEFT_OUT]]
            said += [f"  and {more} more, which the page of --html lists"] * (more > 0)
        return said

    # HTML --------------------------------------------------------------------------------------
    def _body(self):
        from warpbook.display import listings  # here: counting needs NumPy alone

        path = self.trace.kernel.source.path
        verdict = "clean" if self.clean else "faulty"
        parts = [
            f"<h1>{html.escape(path.name)}: {html.escape(self.trace.kernel.name)}</h1>",
            f'<p class="{verdict}"><strong>{html.escape(self._verdict().capitalize())}.</strong> '
            f"{html.escape(self.launched)}.</p>",
        ]
        if self.unfinished:
            parts.append(f"<p>{html.escape(self.unfinished)}</p>")
        if self.findings:
            parts += ["<h2>Findings</h2>", "<ol>"]
            for finding in self.findings:
                facts, detail = map(html.escape, _facts(finding))
                parts.append(f"<li><strong>{facts}</strong><br>{detail}</li>")
            parts.append("</ol>")
        counts = [(what, f"{many} {unit}", each) for what, many, unit, each in self._counts()]
        parts.append(_table("Counts of the launch", counts))
        if self._arrays():
            parts.append(_table("Arrays that it may write", self._arrays()))
        parts.append("<h2>The source, and what its lines ask of memory</h2>")
        parts.append(listings.listing(path, self._margin(), path.name).html)
        if self.left_out:
            items = "".join(f"<li>{html.escape(text)}</li>" for text in self.left_out)
            why = "The compiler refuses it, and the kernel does not need it:"
            parts.append(f"<h2>Left out</h2><p>{why}</p><ul>{items}</ul>")
        return "\n".join(parts)


def report(given: Any) -> int:
    """Do what the command ``trace`` is told: print, write the page; the exit status."""
    named = [word.split("=", 1) for word in given.words if re.match(r"[A-Za-z_]\w*=", word)]
    if named and len(named) != len(given.words):
        bare = next(word for word in given.words if "=" not in word)
        raise ValueError(f"'{bare}' has no name: write NAME={bare}, or no name for any argument.")
    twice = [name for name, _ in named if [n for n, _ in named].count(name) > 1]
    if twice:
        raise ValueError(f"'{twice[0]}' is given twice.")
    if given.grid is None or given.block is None:
        if given.words or given.grid or given.block or given.html or given.save:
            lacks = [f"--{n}" for n in ("grid", "block") if getattr(given, n) is None]
            raise ValueError(
                f"a launch needs {' and '.join(lacks)}, too: --grid 4 --block 256. To see the "
                f"kernels of the file and a command to try: python -m warpbook trace {given.file}"
            )
        print(launches.listing(File(given.file, given.include)))
        return 0
    found = trace_file(
        given.file,
        extent(given.grid),
        extent(given.block),
        dict(named) if named or not given.words else given.words,
        given.kernel,
        shared_bytes=given.shared,
        folders=given.include,
        arch=given.arch,
        seconds=given.seconds,
        seed=given.seed,
        defines={name: value or "1" for name, _, value in (d.partition("=") for d in given.define)},
    )
    print(found)
    if given.html:
        Path(given.html).write_text(found.page(), encoding="utf-8")
        print(f"wrote {given.html}", file=sys.stderr)
    if given.save:
        Path(given.save).mkdir(parents=True, exist_ok=True)
        for name, array in found.arrays.items():
            np.save(Path(given.save) / f"{name}.npy", array)
        print(f"wrote {len(found.arrays)} arrays into {given.save}", file=sys.stderr)
    if found.findings:
        return 1
    return 2 if found.unfinished else 0


# Arguments -------------------------------------------------------------------------------------
def _declared(compiled, program):
    """The parameters as the text declares them; as the PTX does, where it cannot be told."""
    own = program.parameters
    declared = compiled.kernel.parameters if compiled.kernel else ()
    if len(declared) != len(own):
        declared = tuple(Declared("", f".{kind}", "", int(kind == "u64")) for _, kind, _ in own)
    return [
        Declared(d.name or f"parameter{k}", d.text, d.ctype, d.stars)
        for k, d in enumerate(declared)
    ]


class _Values:
    """Makes the values that a launch passes. values: so far; held: {parameter: {name: array}}, the
    arrays behind its value; poisoned: names of those of which no element is written yet.
    """

    def __init__(self, program, file, compiled, seed):
        self.program, self.values, self.poisoned, self.held = program, [], [], {}
        self.rng, self.types = np.random.default_rng(seed), compiled.values
        self.text = "\n".join(file.texts.values())

    def add(self, parameter, kind, size, value):
        """Make the value of a parameter. kind, size: of it in the PTX; value: as it is given."""
        where = f"{self.program.name}: {parameter.name}"
        self.held[parameter.name] = {}
        ctype, stars = self.meaning(parameter)
        if isinstance(value, str) and value.startswith("box:"):
            made = self.tensor_map(parameter, where, size, value)
        elif stars == 2 and _is_table(value):
            made = self.table(parameter, where, ctype, value)
        elif stars > 1 and value != "null":
            raise ValueError(
                f"{where} is declared {parameter.text}, a pointer to pointers: give an array for "
                f"each of them, '{parameter.name}=[rand:f4:1024,zeros:f4:1024]'."
            )
        elif stars:
            made = self.array(parameter.name, parameter.name, where, ctype, value)
        elif isinstance(value, dict) or isinstance(value, str) and value.startswith("{"):
            made = self.struct(parameter, where, ctype, size, value)
        elif hasattr(value, "__array_interface__") and np.ndim(value):
            made = self.array(parameter.name, parameter.name, where, ctype, value)
        elif isinstance(value, (bytes, np.void)):
            made = value
        else:
            known = ctype or parameter.text
            made = argument_texts.scalar(str(value), where, known, kind, size)
        self.values.append(made)

    def meaning(self, declared):
        """(type, stars) of a declaration, through typedefs and template parameters."""
        ctype = meaning(declared.ctype, self.text, self.types)
        if not declared.stars and ctype.endswith("*"):
            return ctype.rstrip("* "), ctype.count("*")
        return ctype, declared.stars

    def array(self, owner, name, where, ctype, value):
        """An array for a pointer; a null pointer is a number."""
        if isinstance(value, str):
            made, poison = argument_texts.array(value, where, ctype, self.rng)
            if poison and warpemu.mark_uninitialised(made):
                self.poisoned.append(name)
        else:
            made = np.array(cp.asnumpy(value) if GPU else value)  # a copy
            wanted = argument_texts.type_of(ctype)[0]
            argument_texts.check_type(made.dtype, None, wanted, where, ctype, "")
        if isinstance(made, np.ndarray):
            self.held[owner][name] = made
        return made

    def table(self, parameter, where, ctype, value):
        """A pointer to pointers, of '[rand:f4:4,null]' or a list."""
        items, arrays, raw = split(value[1:-1]) if isinstance(value, str) else value, {}, b""
        if not len(items):
            raise ValueError(f"{where}: '[]' holds no array: give at least one, or null.")
        for k, item in enumerate(items):
            name = f"{parameter.name}[{k}]"
            made = self.array(parameter.name, name, f"{where}[{k}]", ctype, item)
            if isinstance(made, np.ndarray):
                arrays[POINTER * k] = name, made
            raw += bytes(POINTER)
        return warpemu.Pointers(raw, arrays, table=True)

    def struct(self, parameter, where, ctype, size, value):
        """A struct by value, of '{n=3,x=rand:f4:64}' or a dict."""
        known = members(ctype, self.text)
        total, places = self.layout(known) if known else (0, {})
        if total != size:
            raise ValueError(
                f"{where} is declared {ctype}, which has {size} bytes, and its members cannot be "
                "told from the text: give a .npy file with just these bytes."
            )
        given = value
        if isinstance(value, str):
            inside = value[1:].removesuffix("}")
            given = dict(part.partition("=")[::2] for part in split(inside))
        if set(given) != set(places):
            raise ValueError(
                f"{where} is declared {ctype}, which has the members {', '.join(places)}: give a "
                f"value for each, '{parameter.name}={{"
                + ",".join(f"{name}=..." for name in places)
                + "}'."
            )
        data, arrays = bytearray(size), {}
        for name, (offset, member, kind, stars, bytes_, count) in places.items():
            inner, said = f"{where}.{name}", given[name]
            if stars:
                made = self.array(parameter.name, f"{parameter.name}.{name}", inner, kind, said)
                if isinstance(made, np.ndarray):
                    arrays[offset] = f"{parameter.name}.{name}", made
                continue
            parts = str(said).split(":") if count > 1 else [str(said).replace(":", ",")]
            if len(parts) != count:
                raise ValueError(
                    f"{inner} is declared {member.text}: give {count} numbers, 1:2:..."
                )
            for k, part in enumerate(parts):
                made = argument_texts.scalar(part, inner, kind, f"b{8 * bytes_}", bytes_)
                made = made if isinstance(made, bytes) else made.tobytes()
                data[offset + k * bytes_ : offset + (k + 1) * bytes_] = made
        return warpemu.Pointers(bytes(data), arrays)

    def layout(self, known):
        """(bytes of a struct, {member: (offset, as declared, type, stars, bytes, count)}), as C++
        lays it out; (0, {}) where the size of a member is not known here.
        """
        places, top, widest = {}, 0, 1
        for member, count in known:
            kind, stars = self.meaning(member)
            dtype, width = argument_texts.type_of(kind)
            if stars > 1 or stars and count > 1 or not stars and dtype is None:
                return 0, {}
            one = 2 if dtype == argument_texts.BF16 else np.dtype(dtype or "u8").itemsize
            size = POINTER if stars else one * width
            align = min(16, size) if stars or width in (1, 2, 4) else one
            top = -(-top // align) * align
            places[member.name] = top, member, kind, stars, size, count
            top, widest = top + size * count, max(widest, align)
        return -(-top // widest) * widest, places

    def tensor_map(self, parameter, where, size, value):
        """A tensor map, of 'box:64x32:128B:rand:f2:256x256', the swizzle left out or not."""
        form = "box:64x32:rand:f2:256x256, or with a swizzle box:64x32:128B:rand:f2:256x256"
        _, box, *rest = value.split(":")
        if size != warpemu.tensor_map.SIZE:
            raise ValueError(f"{where} is declared {parameter.text}, which is no tensor map.")
        swizzle = rest.pop(0) if rest and rest[0] in warpemu.tensor_map.SWIZZLES else "none"
        if not re.fullmatch(r"\d+(x\d+)*", box) or not rest:
            raise ValueError(f"{where}: '{value}' is no tensor map: write {form}.")
        array = self.array(parameter.name, parameter.name, where, "void", ":".join(rest))
        settings = {"swizzle": swizzle, "kind": "bfloat16" if "bf16" in rest else None}
        try:
            sizes = tuple(map(int, box.split("x")))
            return warpemu.tensor_map.of(array, sizes, **settings)
        except ValueError as broken:
            raise ValueError(f"{where}: {broken}") from None


def _is_table(value):
    if isinstance(value, str):
        return value.startswith("[") and value.endswith("]")
    return isinstance(value, (list, tuple))


def _by_name(declared, given, program):
    names = [p.name for p in declared]
    if not isinstance(given, Mapping):
        if len(given) != len(names):
            raise ValueError(_wants(declared, program, f"{len(given)} values are given"))
        return dict(zip(names, given, strict=True))
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise ValueError(_wants(declared, program, f"it has no parameter '{name}'{hint}"))
    missing = [name for name in names if name not in given]
    if missing:
        raise ValueError(_wants(declared, program, f"no value for {', '.join(missing)}"))
    return given


def _wants(declared, program, wrong):
    width = max((len(p.name) for p in declared), default=0)
    listed = "\n".join(f"  {p.name:{width}}  {p.text}" for p in declared)
    return f"{program.name}: {wrong}. Its parameters:\n{listed}\n{argument_texts.FORMS}"


def extent(text: str) -> tuple[int, ...]:
    """'64', '64,2' or '64x2' as a tuple of ints. Raises ValueError for anything else."""
    if not re.fullmatch(r"\d+([x,]\d+){0,2}", text):
        raise ValueError(f"'{text}' is no grid or block: write one to three numbers, 64 or 16,16.")
    return tuple(map(int, re.split("[x,]", text)))


def _extent(what, given, limits):
    given = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"{what} is {given}: give one to three numbers.")
    for axis, size, limit in zip("xyz", given, limits, strict=False):
        if not 1 <= size <= limit:
            raise ValueError(f"{what}.{axis} is {size}; it must be from 1 to {limit:,}.")
    return tuple(int(n) for n in given)


def _check_shared(program, shared_bytes):
    most = H100.sm.block_kb * KB
    if shared_bytes < 0 or program.shared_bytes + shared_bytes > most:
        raise ValueError(
            f"{shared_bytes:,} bytes of dynamic shared memory with {program.shared_bytes:,} static "
            f"ones: a block may have {most:,}."
        )


# Words -----------------------------------------------------------------------------------------
def _unfinished(stopped, seconds):
    """Why the launch did not come to its end, or ''. stopped: the Finding of the time limit."""
    if stopped is None:
        return ""
    return (
        f"Stopped after {seconds:g} seconds, at line {stopped.line}: nothing more was looked at. "
        "Launch fewer blocks, or give it more time."
    )


def _facts(finding):
    """('shared race at line 12, block ..., 64 times', the sentence)."""
    facts = [f"{finding.kind} at line {finding.line}"]
    facts += [f"block {finding.block}", f"thread {finding.thread}"]
    if finding.array is not None:
        facts.append(f"{finding.array}[{finding.index}]")
    if finding.address is not None:
        facts.append(f"address {finding.address:#x}")
    facts.append("once" if finding.times == 1 else f"{finding.times:,} times")
    detail = finding.detail
    return ", ".join(facts), f"It {detail}." if not detail.startswith("it ") else f"I{detail[1:]}."


def _content(name, array, poisoned):
    """What is in an array, in a few words."""
    flat, said = array.reshape(-1), []
    if poisoned:
        never = warpemu.unwritten(array).reshape(-1)
        if never.all():
            return "never written"
        if never.any():
            first = int(np.flatnonzero(never)[0])
            said.append(f"{int(never.sum()):,} elements never written, the first {name}[{first}]")
        else:
            said.append("every element written")
        flat = flat[~never]
    if array.dtype.kind == "f":
        bad = int(np.count_nonzero(~np.isfinite(flat)))
        said += [f"{bad:,} NaN or infinite"] if bad else []
        flat = flat[np.isfinite(flat)]
    if len(flat) and array.dtype.kind in "iuf":
        said.append(f"from {flat.min():.6g} to {flat.max():.6g}")
    return ", ".join(said)


def _shape(shape):
    return "x".join(f"{n:,}" if len(shape) == 1 else str(n) for n in shape)


def _columns(rows):
    """Rows of texts as lines, each column as wide as its widest text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = len(rows[0]) == 4 if rows else False  # the counts are numbers
    lines = []
    for row in rows:
        cells = [
            f"{text:>{w}}" if right and k == 1 else f"{text:{w}}"
            for k, (text, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines


def _table(caption, rows):
    body = "".join(
        f'<tr><th scope="row">{html.escape(first)}</th>'
        + "".join(f"<td>{html.escape(text)}</td>" for text in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{caption}">'
        f"<table><caption>{caption}</caption>{body}</table></div>"
    )


STYLE = """\
.warp-own .wide{overflow-x:auto}
.warp-own table{border-collapse:collapse;margin:1em 0;font-variant-numeric:tabular-nums}
.warp-own caption{text-align:left;font-weight:650;padding:.3em 0}
.warp-own :is(th,td){text-align:left;padding:.3em .9em .3em 0;border-bottom:1px solid #8886;
 font-weight:400;vertical-align:baseline}
.warp-own .faulty strong::before{content:"\\2717  "}
.warp-own .clean strong::before{content:"\\2713  "}
.warp-own li{margin:.5em 0;overflow-wrap:anywhere}
.warp-own h1{overflow-wrap:anywhere}
"""
PAGE = (
    '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1">'
    '<meta name="color-scheme" content="light dark"><title>{title}</title>\n<style>'
    "html{{color-scheme:light dark}}"
    "body{{margin:0 auto;max-width:60rem;padding:1rem;line-height:1.6;"
    'font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;'
    "color:#1f2328;background:#fff}}"
    "@media (prefers-color-scheme:dark){{body{{color:#e6edf3;background:#0f141b}}}}\n"
    + STYLE.replace("{", "{{").replace("}", "}}")
    + '</style></head>\n<body><main class="warp-own">\n{body}\n</main></body></html>\n'
)
