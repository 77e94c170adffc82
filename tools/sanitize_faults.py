"""What the emulator and compute-sanitizer's four tools find of the same planted faults.

    python tools/sanitize_faults.py        on a machine with a GPU and compute-sanitizer

The faults are those of emulator/tests/test_sanitizer.py, the correct kernels beside them, and a
read of an array that nobody wrote. Each runs once in the emulator and once under each tool, in a
process of its own, a few at a time; what hangs is ended after PATIENCE seconds. Prints what the
tools said, and writes book/validation/faults_<gpu>.csv, a row a kernel. A cell says what a checker
reported:

    found        at the faulty line
    line 4, 7    at other lines only
    no line      something, without a line of the kernel
    not seen     nothing
    not ended    nothing: the kernel was still running after PATIENCE seconds
    not run      nothing: the tool did not launch the kernel
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

import warpemu
from warpbook import results
from warpemu import nvrtc

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "emulator" / "tests"))
from emulator_helpers import line_of, program  # noqa: E402
from test_sanitizer import CLEAN, FAULTS, source  # noqa: E402

FOLDER = ROOT / "book" / "validation"
LAUNCHER = ROOT / "tools" / "launch_cubin.py"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
FOUND, UNSEEN, ENDLESS, UNRUN = "found", "not seen", "not ended", "not run"
PATIENCE = 15  # seconds a process may take; five times what one needs
AT_ONCE = 12
UNWRITTEN = {
    "array never written": (
        "uninitialised global read",
        " float x = a[t]; // HERE\n if (x == 5 && b == 0) a[t] = 1;",
    )
}
KERNELS = {**FAULTS, **UNWRITTEN, **{name: ("none", body) for name, body in CLEAN.items()}}


def text(name):
    """The kernel as CUDA C++."""
    return source(KERNELS[name][1])


def line(name):
    """The number of the faulty line; 0 in a correct kernel."""
    return line_of(text(name), "HERE") if KERNELS[name][0] != "none" else 0


def emulated(name):
    """What the emulator reports: a cell."""
    a = np.zeros(64, np.float32)
    if name in UNWRITTEN:
        warpemu.mark_uninitialised(a)
    try:
        program(text(name)).launch((2,), (64,), [a, np.int32(64)], not_on_gpu="the tools' part")
    except warpemu.Finding as finding:
        return cell({finding.line}, line(name))
    return UNSEEN


def cell(lines, faulty):
    """Judge the lines that a checker reported, a set of numbers."""
    if faulty in lines:
        return FOUND
    return "line " + ", ".join(map(str, sorted(lines))) if lines else UNSEEN


def read(output, faulty):
    """Judge what compute-sanitizer printed."""
    if "launched" not in output:
        return UNRUN
    lines = {int(number) for number in re.findall(r"\btest\.cu:(\d+)", output)}
    summary = re.search(r"SUMMARY: (\d+)", output)
    if not lines and summary and int(summary[1]):
        return "no line"
    return cell(lines, faulty)


def watch(tool, cubin, name):
    """Run one kernel under one tool: (cell, output)."""
    command = [
        sanitizer(),
        "--tool",
        tool,
        "--report-api-errors",
        "no",
        "--print-limit",
        "3",
        sys.executable,
        str(LAUNCHER),
        str(cubin),
        str(int(name not in UNWRITTEN)),
    ]
    ended, output = run(command, PATIENCE)
    return read(output, line(name)) if ended else ENDLESS, output


def run(command, patience):
    """Run a command for so many seconds at most: (whether it ended by itself, what it printed)."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
        cwd=ROOT,
    )
    try:
        return True, process.communicate(timeout=patience)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the tool and the kernel's process
        return False, process.communicate()[0]


def sanitizer():
    found = shutil.which("compute-sanitizer") or shutil.which(
        "compute-sanitizer", path="/usr/local/cuda/bin"
    )
    if not found:
        raise RuntimeError(
            "compute-sanitizer, which comes with the CUDA toolkit, is not on the PATH."
        )
    return found


def compare(arch):
    """Run everything; a table with one row a kernel."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = {}
        for number, name in enumerate(sorted(KERNELS, key=hangs)):  # those that hang come last
            cubin = Path(folder) / f"{number}.cubin"
            cubin.write_bytes(nvrtc.cubin(text(name), "test.cu", ("-lineinfo",), arch))
            for tool in TOOLS:
                jobs[name, tool] = pool.submit(watch, tool, cubin, name)
        rows = []
        for name, (kind, _) in KERNELS.items():
            row = {"fault": name, "kind": kind, "line": line(name), "emulator": emulated(name)}
            for tool in TOOLS:
                row[tool], output = jobs[name, tool].result()
                print(f"\n{name}, line {row['line']}, {tool}: {row[tool]}\n{output}", flush=True)
            rows.append(row)
    return pd.DataFrame(rows)


def hangs(name):
    return KERNELS[name][0] == "endless wait"


def main():
    from warpbook import device
    from warpbook.launch.backend import GPU

    if not GPU:
        raise RuntimeError("compute-sanitizer needs a GPU.")
    gpu = device()
    table = compare("sm_{}{}".format(*gpu.compute_capability))
    table.insert(0, "gpu", gpu.name)
    path = FOLDER / f"faults_{results.slug(gpu.name)}.csv"
    table.to_csv(path, index=False)
    print(f"{table.to_string()}\n{path}: {len(table)} kernels")


if __name__ == "__main__":
    main()
