"""Collect the profiler's counters on a GPU, as data:  python -m warpbook.counters [topic ...]

kernels/<topic>/counters.txt lists what to launch, one launch a line: the kernel, UPPERCASE values
for its defines, lowercase values for its parameters.

    coalescing/01_strided STRIDE=8 n=16384

tests/golden/ holds kernels that are one pattern of access each, and a counters.txt of its own, which
is the topic "golden".

Grid and block come from the "Launch:" line of the kernel's header, arrays from the shapes beside
its pointers; "grid=64 block=128" on the line overrides the header. Dynamic shared memory is what "Launch:" says
behind shared_bytes. Each launch runs once under
Nsight Compute (ncu); the table goes to book/results/counters_<gpu>.csv, where ``recorded`` and the
comparison with the emulator find it.
"""

import csv
import math
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd

from warpbook import results, source
from warpbook.backend import GPU, cp
from warpbook.kernel import SCALARS, Kernel, emulate
from warpbook.timing import device

# The book's name (Trace's, where the emulator counts the same) -> the profiler's.
METRICS = {
    "global_ld_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_st_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_st_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_ld_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_st_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_ld_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_st_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "global_atom_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "global_red_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "sass_instructions": "smsp__inst_executed.sum",
    "dram_bytes_read": "dram__bytes_read.sum",
    "dram_bytes_written": "dram__bytes_write.sum",
    "duration_ns": "gpu__time_duration.sum",
}
# Why a scheduler's warps wait: warps in that state, on average, for each instruction issued; and
# in what per cent of the cycles one is issued.
STALLS = {
    reason: f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
    for reason in ("barrier", "dispatch_stall", "long_scoreboard", "short_scoreboard", "wait",
                   "math_pipe_throttle", "mio_throttle", "no_instruction", "branch_resolving")
} | {"issuing": "smsp__issue_active.avg.pct_of_peak_sustained_active"}
INDEX = ["kernel", "defines", "size"]
EXTENTS = ("grid", "block")
TESTS = source.ROOT / "tests"  # of its folders, these two hold kernels
FOLDERS = ("golden", "faults")
_OPTIONS = ("--clock-control", "none", "--csv", "--print-units", "base")


@dataclass(frozen=True)
class Launch:
    """One line of a counters.txt, worked out: all of ``kernel(grid, block, *args)`` but the arrays.

    defines, size: the line's UPPERCASE and lowercase words as they stand; with the kernel they
    name the row. shapes: of the arrays, by parameter; values: of the scalars, by parameter.
    """

    kernel: str
    defines: str
    size: str
    grid: tuple
    block: tuple
    shared_bytes: int
    shapes: dict
    values: dict

    @property
    def parsed(self):
        """The kernel's .cu file, read."""
        return source.parse(find(self.kernel))

    def load(self):
        """Compile the kernel with this line's defines."""
        return Kernel(self.parsed, self.kernel, _words(self.defines))

    def args(self):
        """Make the arguments: floats random in [0, 1), integers zero, so that any may index."""
        rng = np.random.default_rng(0)
        return [
            cp.asarray(_array(p.ctype, self.shapes[p.name], rng)) if p.pointer
            else self.values[p.name]
            for p in self.parsed.parameters
        ]  # fmt: skip

    def run(self):
        """Launch once, and wait for the end."""
        self.load()(self.grid, self.block, *self.args(), shared_bytes=self.shared_bytes)
        cp.cuda.Device().synchronize()

    def emulate(self, **options):
        """Run it in the emulator, GPU or not; returns the emulator's report.

        options: of the emulator's launch, such as trace=True.
        """
        kernel = self.load()
        program = getattr(kernel._run, "program", None) or emulate(kernel)
        args = [cp.asnumpy(a) if isinstance(a, cp.ndarray) else a
                for a in kernel.convert(self.args())]  # fmt: skip
        return program.launch(self.grid, self.block, args, self.shared_bytes, **options)


def find(kernel):
    """Return the path of a kernel of the book, or of one in tests/, as 'golden/name'."""
    path = TESTS / f"{kernel}.cu"
    return path if kernel.startswith(FOLDERS) and path.is_file() else source.find(kernel)


def read(line):
    """Work out one line of a counters.txt as a Launch.

    Raises ValueError when a parameter has no value, or the header gives no formula for it.
    """
    variant, *words = line.split()
    given = _words(" ".join(words))
    parsed = source.parse(find(variant))
    scalars = [p.name for p in parsed.parameters if not p.pointer]
    names = _numbers(parsed.defines) | {k: v for k, v in given.items() if k not in EXTENTS}
    missing = [name for name in scalars if name not in names]
    if missing:
        raise ValueError(f"'{line}' gives no value for {', '.join(missing)}. Add {missing[0]}=...")
    grid, block = (_extent(what, parsed.text, names, given, line) for what in EXTENTS)
    names |= {"blocks": math.prod(grid), "threads": math.prod(grid) * math.prod(block)}
    shapes = {
        p.name: _shape(p.name, parsed.text, names, line) for p in parsed.parameters if p.pointer
    }
    return Launch(
        variant,
        " ".join(w for w in words if w[0].isupper()),
        " ".join(w for w in words if not w[0].isupper()),
        grid, block, _shared_bytes(parsed.text, names, line), shapes,
        {name: names[name] for name in scalars},
    )  # fmt: skip


def plan(*topics):
    """Return the lines of every counters.txt, or of these topics'; "golden" is one of them."""
    paths = sorted([*source.KERNELS.glob("*/counters.txt"), *TESTS.glob("golden/counters.txt")])
    chosen = [p for p in paths if not topics or p.parent.name in topics]
    lines = [line for path in chosen for line in listed(path)]
    if not chosen:
        raise LookupError(
            f"no counters.txt for {', '.join(topics) or 'any topic'}. "
            f"There is one for: {', '.join(p.parent.name for p in paths) or 'none'}."
        )
    return lines


def listed(path):
    """Return the launches of a counters.txt, without its comments."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def collect(lines, metrics=METRICS):
    """Launch each line once under ncu; return one row a line, the profiler's names as columns.

    metrics: a dict such as METRICS or STALLS, whose values are the profiler's names.

    Raises RuntimeError that says what is missing, or what ncu said.
    """
    launches = [read(line) for line in lines]
    command = [_ncu(), *_OPTIONS, "--metrics", ",".join(metrics.values()), "-k", _pattern(launches),
               sys.executable, "-m", "warpbook.counters", "--launch", *lines]  # fmt: skip
    plain = os.environ | {"LC_ALL": "C"}  # ncu writes numbers as the locale does
    done = subprocess.run(command, capture_output=True, text=True, cwd=source.ROOT, env=plain)
    if done.returncode:
        raise RuntimeError(_remedy(done.stdout + done.stderr))
    return _table(launches, parse(done.stdout), metrics)


def profile(lines, metrics=METRICS):
    """Launch each line once under ncu, for a page: one row a line, a column for each metric.

    lines: as in a counters.txt. The index is the kernel with its defines. Where ncu may not run,
    the reason is printed and the table holds NaN.
    """
    names = [f"{launch.kernel} {launch.defines}".rstrip() for launch in map(read, lines)]
    try:
        counts = collect(lines, metrics)[list(metrics.values())].to_numpy()
    except RuntimeError as why:
        print(why)
        counts = math.nan
    return pd.DataFrame(counts, index=pd.Index(names, name="kernel"), columns=list(metrics))


def parse(text):
    """Read what ``ncu --csv`` printed: a list of (kernel's name, {metric: number}), by launch."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    if not lines or not lines[0].startswith('"ID"'):
        raise RuntimeError(f"ncu printed no table. It said: {text[-500:].strip() or 'nothing'}")
    launches = {}
    for row in csv.DictReader(lines):
        name = row["Kernel Name"].split("(")[0]
        counts = launches.setdefault(int(row["ID"]), (name, {}))[1]
        value = _number(row["Metric Value"].replace(",", ""))
        counts[row["Metric Name"]] = math.nan if isinstance(value, str) else value  # "n/a"
    return [launches[number] for number in sorted(launches)]


def recorded(topic):
    """Return the committed counters of one topic's kernels, of every GPU there is a file for.

    Index: gpu, kernel, defines, size; columns: the book's names, METRICS.
    """
    files = sorted(results.FOLDER.glob("counters_*.csv"))
    if not files:
        raise LookupError(
            f"there is no counters_<gpu>.csv in {results.FOLDER}. "
            "On a machine with a GPU and Nsight Compute: python -m warpbook.counters."
        )
    table = pd.concat([_read(path) for path in files])
    table = table[table["kernel"].str.startswith(f"{topic}/")].set_index(["gpu", *INDEX])
    return table.rename(columns={metric: name for name, metric in METRICS.items()})


def main(arguments):
    """Run the command line: topics, or --launch and lines, which is what ncu watches."""
    if arguments[:1] == ["--launch"]:
        for line in arguments[1:]:
            read(line).run()
        return
    if not GPU:
        raise RuntimeError("counters are the hardware's: this needs a GPU, and ncu on the PATH.")
    table = collect(plan(*arguments))
    table.insert(0, "gpu", device().name)
    path = results.FOLDER / f"counters_{results.slug(device().name)}.csv"
    if arguments and path.exists():  # else every row is new
        kept = _read(path)
        table = pd.concat([kept[~kept["kernel"].str.split("/").str[0].isin(arguments)], table])
    path.parent.mkdir(parents=True, exist_ok=True)
    table.sort_values("kernel", kind="stable").to_csv(path, index=False, float_format="%.15g")
    print(f"{path}: {len(table)} launches")


def _read(path):
    return pd.read_csv(path, dtype=dict.fromkeys(INDEX, str)).fillna({"defines": ""})


def _words(text):
    """'STRIDE=8 n=64' -> {'STRIDE': 8, 'n': 64}; a value that is no number stays text."""
    return _numbers(dict(word.split("=", 1) for word in text.split()))


def _numbers(words):
    return {name: _number(value) for name, value in words.items()}


def _number(text):
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return text


def _extent(what, text, names, given, line):
    """Return grid or block as a tuple: the line's own, else what the header's Launch line says."""
    if what in given:
        return tuple(int(n) for n in str(given[what]).split(","))
    match = re.search(rf"^// Launch:.*\b{what} (\(.*)$", text, flags=re.M)
    return _evaluate(_bracket(match[1]) if match else "", names, f"{what} of '{line}'", what)


def _shared_bytes(text, names, line):
    launch = re.search(r"^// Launch:.*(?:\n//  .*)*", text, flags=re.M)
    match = launch and re.search(r"\bshared_bytes ([^,;\n]+)", launch[0])
    return _evaluate(match[1] if match else "0", names, f"shared_bytes of '{line}'", "grid")[0]


def _shape(pointer, text, names, line):
    match = re.search(rf"\*[^,\n]*\b{pointer},?\)?\s*//\s*\[([^\]]*)\]", text)
    formula = f"({match[1]})" if match else ""
    return _evaluate(formula, names, f"shape of {pointer} in '{line}'", "shape")


def _bracket(text):
    """Return the text up to the bracket that closes the first one."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[: at + 1]
    return text


def _evaluate(formula, names, where, what):
    try:
        value = eval(formula, {"__builtins__": {}, "ceil": math.ceil}, dict(names))
        return tuple(int(n) for n in (value if isinstance(value, tuple) else (value,)))
    except (SyntaxError, NameError, TypeError, AttributeError) as error:
        remedy = "Write the shape as a formula beside the pointer" if what == "shape" else (
            f"Add {what}=... to the line"
        )
        raise ValueError(
            f"cannot work out the {where}: the kernel's header says '{formula}' ({error}). "
            f"{remedy}."
        ) from None


def _array(ctype, shape, rng):
    vector = re.fullmatch(r"([a-z]+)([234])", ctype)
    dtype = np.dtype(SCALARS[vector[1] if vector else ctype])
    shape = (*shape, int(vector[2])) if vector else shape
    if dtype.kind != "f":
        return np.zeros(shape, dtype)
    return rng.random(shape, dtype=np.float32).astype(dtype, copy=False)


def _ncu():
    found = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if not found:
        raise RuntimeError("ncu, Nsight Compute's command line, is not on the PATH. Install it "
                           "(it comes with the CUDA toolkit) or add its folder to the PATH.")
    return os.path.realpath(found)


def _pattern(launches):
    """The regular expression that lets ncu pass by the kernels that fill the arrays."""
    entries = {launch.parsed.entry for launch in launches}
    return f"regex:^({'|'.join(sorted(entries))})$"


def _remedy(text):
    if "ERR_NVGPUCTRPERM" in text:
        return ("ncu may not read the counters as this user. Run as root, or have the "
                "administrator set NVreg_RestrictProfilingToAdminUsers=0 for the driver.")
    return f"ncu failed: {text[-2000:].strip()}"


def _table(launches, profiled, metrics):
    """Pair launches with what ncu saw, in order; refuse a pairing whose names differ."""
    wanted = [launch.parsed.entry for launch in launches]
    seen = [name for name, _ in profiled]
    if wanted != seen:
        raise RuntimeError(f"ncu should have seen {wanted}, but saw {seen}.")
    rows = [
        {"kernel": launch.kernel, "defines": launch.defines, "size": launch.size}
        | {metric: counts.get(metric, math.nan) for metric in metrics.values()}
        for launch, (_, counts) in zip(launches, profiled)
    ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (LookupError, RuntimeError, ValueError) as error:
        sys.exit(f"counters: {error}")
