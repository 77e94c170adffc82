"""The profiler's counters, as data: launches run once under Nsight Compute (ncu).

``profile`` is for a page. ``python -m warpbook profile [TOPIC ...]`` collects the launches of
kernels/<topic>/counters.txt into book/results/<gpu>/counters/<topic>.csv, where
``committed_counters`` and the comparison with the emulator find them.
"""

import csv
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from warpbook import results
from warpbook.gpu.device import device
from warpbook.launch import lines, source
from warpbook.launch.backend import GPU
from warpbook.launch.header import number
from warpbook.launch.lines import launch_line

# The metrics of Nsight Compute by the book's names, which are those of a Trace where the emulator
# counts the same. 'wavefronts' are all that pass the data of L1 and shared memory, one a clock:
# those of shared memory, of loads and stores of global memory, and of shuffles.
METRICS = {
    "global_ld_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_st_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_st_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_ld_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_st_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_ld_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_st_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "global_atom_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "global_red_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "sass_instructions": "smsp__inst_executed.sum",
    "dram_bytes_read": "dram__bytes_read.sum",
    "dram_bytes_written": "dram__bytes_write.sum",
    "duration_ns": "gpu__time_duration.sum",
}
# Why a scheduler's warps wait: how many are in that state, on average, for each instruction issued.
# 'issuing' is the per cent of the cycles in which one is issued.
STALLS = {
    reason: f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
    for reason in (
        "barrier",
        "dispatch_stall",
        "long_scoreboard",
        "short_scoreboard",
        "wait",
        "math_pipe_throttle",
        "mio_throttle",
        "no_instruction",
        "branch_resolving",
    )
} | {"issuing": "smsp__issue_active.avg.pct_of_peak_sustained_active"}
INDEX = ["kernel", "defines", "size"]
# What ncu watches. It imports the launch alone, and so starts in a third of this module's time.
WATCHED = """
import pathlib, sys
from warpbook.launch.lines import launch_line
folder, *lines = sys.argv[1:]
for line in lines:
    launch_line(line, pathlib.Path(folder)).run()
"""
_OPTIONS = ("--clock-control", "none", "--csv", "--print-units", "base")


def profile(given: Sequence[str], metrics: dict[str, str] = METRICS) -> pd.DataFrame:
    """Launch each line once under ncu, for a page: one row a line, a column for each metric.

    given: lines as in a counters.txt, see ``launch_line``. metrics: a dict such as METRICS or
    STALLS, whose values are the profiler's names.
    The index is the kernel with its defines. If ncu may not run, the reason is printed and the
    table holds NaN.
    """
    launches = [launch_line(line) for line in given]
    names = [f"{launch.kernel} {launch.defines}".rstrip() for launch in launches]
    try:
        counts = collect(launches, metrics)[list(metrics.values())].to_numpy()
    except RuntimeError as why:
        print(why)
        counts = math.nan
    return pd.DataFrame(counts, index=pd.Index(names, name="kernel"), columns=list(metrics))


def collect(
    launches: Sequence[lines.Launch], metrics: dict[str, str] = METRICS, kernels: Path | None = None
) -> pd.DataFrame:
    """Run Launches, all of whose kernels lie in one folder, once under ncu; return one row each.

    metrics: as for ``profile``; the columns have the profiler's names. kernels: the folder, the
    book's by default. Raises RuntimeError that says what is missing, or what ncu said.
    """
    command = [
        _ncu(),
        *_OPTIONS,
        "--metrics",
        ",".join(metrics.values()),
        "-k",
        _pattern(launches),
        sys.executable,
        "-c",
        WATCHED,
        str(kernels or source.KERNELS),
        *(f"{x.kernel} {x.defines} {x.size}" for x in launches),
    ]
    plain = os.environ | {"LC_ALL": "C"}  # ncu writes numbers as the locale does
    plain.pop(results.RECORDING, None)  # what runs under ncu is no page
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", cwd=source.ROOT, env=plain
    )
    if done.returncode:
        raise RuntimeError(_remedy(done.stdout + done.stderr))
    return _table(launches, parse(done.stdout), metrics)


def parse(text: str) -> list[tuple[str, dict[str, float]]]:
    """Read what ``ncu --csv`` printed: a list of (kernel's name, {metric: number}), by launch."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    if not lines or not lines[0].startswith('"ID"'):
        raise RuntimeError(f"ncu printed no table. It said: {text[-500:].strip() or 'nothing'}")
    launches: dict[int, tuple] = {}
    for row in csv.DictReader(lines):
        name = row["Kernel Name"].split("(")[0]
        counts = launches.setdefault(int(row["ID"]), (name, {}))[1]
        value = number(row["Metric Value"].replace(",", ""))
        counts[row["Metric Name"]] = math.nan if isinstance(value, str) else value  # "n/a"
    return [launches[number] for number in sorted(launches)]


def committed_counters(topic: str) -> pd.DataFrame:
    """Return the committed counters of one topic's kernels, of every GPU there is a file for.

    Index: gpu, kernel, defines, size; columns: the book's names, METRICS.
    """
    files = sorted(results.FOLDER.glob(f"*/counters/{topic}.csv"))
    if not files:
        raise LookupError(
            f"there are no counters of '{topic}' in {results.FOLDER}. On a machine with a GPU and "
            f"Nsight Compute: python -m warpbook profile {topic}."
        )
    table = pd.concat([read(path) for path in files]).set_index(["gpu", *INDEX])
    return table.rename(columns={metric: name for name, metric in METRICS.items()})


def collect_topics(names: Sequence[str] = ()) -> None:
    """Collect the counters of topics into this GPU's folder of results; show each as it ends.

    names: topics of the book, or paths of further counters.txt files; none means all topics.
    Raises LookupError for a topic that has no counters.txt, RuntimeError where there is no GPU
    or no ncu; what was collected until then is kept.
    """
    if not GPU:
        raise RuntimeError("counters are the hardware's: this needs a GPU, and ncu on the PATH.")
    for path in _chosen(names):
        table = collect(lines.listed(path), kernels=path.resolve().parents[1])
        table.insert(0, "gpu", device().name)
        target = results.folder_of(device().name) / "counters" / f"{path.resolve().parent.name}.csv"
        target.parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(target, index=False, float_format="%.15g")
        print(f"{target}: {len(table)} launches", flush=True)


def _chosen(names):
    there, chosen = lines.topics(), []
    for name in names:
        if name not in there and not Path(name).is_file():
            raise LookupError(f"no counters.txt for {name}. There is one for: {', '.join(there)}.")
        chosen.append(there.get(name, Path(name)))
    return chosen or list(there.values())


def read(path: Path) -> pd.DataFrame:
    """Return a topic's file of counters as a DataFrame, with the profiler's names."""
    return pd.read_csv(path, dtype=dict.fromkeys(INDEX, str)).fillna({"defines": ""})


def _ncu():
    found = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if not found:
        raise RuntimeError(
            "ncu, Nsight Compute's command line, is not on the PATH. Install it "
            "(it comes with the CUDA toolkit) or add its folder to the PATH."
        )
    return os.path.realpath(found)


def _pattern(launches):
    """The regular expression that lets ncu pass by the kernels that fill the arrays."""
    entries = {launch.parsed.entry for launch in launches}
    return f"regex:^({'|'.join(sorted(entries))})$"


def _remedy(text):
    if "ERR_NVGPUCTRPERM" in text:
        return (
            "ncu may not read the counters as this user. Run as root, or have the "
            "administrator set NVreg_RestrictProfilingToAdminUsers=0 for the driver."
        )
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
        for launch, (_, counts) in zip(launches, profiled, strict=True)
    ]
    return pd.DataFrame(rows)
