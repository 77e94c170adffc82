"""No fault is reported on a correct kernel of the book; compute-sanitizer beside the emulator."""

import math
from functools import cache

import pandas as pd
import pytest

from tests.faults import clean, compare
from warpbook.measure import profiler as counters

MOST_BLOCKS = 1 << 8
FILES = sorted(compare.FOLDER.glob("faults_*.csv"))
LAUNCHES = [line for line in counters.plan() if not line.startswith("golden/")
            and math.prod(counters.read(line).grid) <= MOST_BLOCKS]  # each is there at small sizes


@cache
def table(path):
    return pd.read_csv(path).set_index("fault")


@pytest.mark.parametrize("line", LAUNCHES)
def test_nothing_is_found_in_a_correct_kernel(line):
    counters.read(line).emulate()


@pytest.mark.parametrize("name", compare.KERNELS)
def test_the_emulator_finds_each_fault_and_no_other(name):
    correct = compare.KERNELS[name][0] == "none"
    assert compare.emulated(name) == (compare.UNSEEN if correct else compare.FOUND)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_comparison_is_of_todays_faults(path):
    rows = [(name, kind, compare.line(name)) for name, (kind, _) in compare.KERNELS.items()]
    assert list(table(path)[["kind", "line"]].itertuples(name=None)) == rows, (
        "run it again on a machine with a GPU: python -m tests.faults.compare")
    assert not (table(path)[list(compare.TOOLS)] == compare.UNRUN).any(axis=None)


def test_there_is_a_comparison_of_many_faults():
    assert FILES, "on a machine with a GPU: python -m tests.faults.compare"
    assert sum(kind != "none" for kind, _ in compare.KERNELS.values()) >= 40


SAID = """\
launched
========= Invalid __global__ write of size 4 bytes
=========     at k(float *, int)+0x70 in test.cu:{line}
=========     by thread (0,0,0) in block (1,0,0)
========= ERROR SUMMARY: 64 errors
"""


@pytest.mark.parametrize("output, cell", [
    (SAID.format(line=3), "found"), (SAID.format(line=4), "line 4"),
    (SAID.format(line="?"), "no line"), ("launched\n========= ERROR SUMMARY: 0 errors\n", "not seen"),
    ("========= Error: no device\n", "not run"),
])
def test_what_the_tools_print_is_judged(output, cell):
    assert compare.read(output, 3) == cell


CLEAN = sorted(clean.FOLDER.glob("clean_*.csv"))


AGAIN = "on a machine with a GPU: python -m tests.faults.clean"


@pytest.mark.parametrize("path", CLEAN, ids=lambda p: p.stem)
def test_compute_sanitizer_reports_nothing_in_the_books_kernels(path):
    rows, planned = pd.read_csv(path).set_index("kernel"), clean.launches()
    assert {k: len(planned.get(k, ())) for k in rows.index} == rows.launches.to_dict(), AGAIN
    assert (rows[list(clean.TOOLS)] == 0).all(axis=None)


def test_compute_sanitizer_ran_on_the_whole_matmul_course():
    ran = {kernel for path in CLEAN for kernel in pd.read_csv(path)["kernel"]}
    assert set(clean.launches("matmul")) <= ran, f"{AGAIN} matmul"


@pytest.mark.parametrize("summary, count", [
    ("ERROR SUMMARY: 0 errors", 0), ("ERROR SUMMARY: 12 errors", 12),
    ("RACECHECK SUMMARY: 3 hazards displayed (2 errors, 1 warning)", 3),
    ("RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)", 0),
])
def test_a_summary_is_counted(summary, count):
    assert clean.errors(f"launched\n========= {summary}\n") == count


@pytest.mark.parametrize("output", ["no device", "launched", "========= ERROR SUMMARY: 0 errors"])
def test_a_run_without_launches_or_summary_is_no_success(output):
    with pytest.raises(RuntimeError, match=f"did not see all launches:\n{output}"):
        clean.errors(output)
