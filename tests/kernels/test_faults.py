"""The sanitizer finds each planted fault; NVIDIA's compute-sanitizer beside it."""

from functools import cache

import launch_helpers
import pandas as pd
import pytest
import sanitize_faults
import sanitize_kernels
from helpers import TESTS

from warpbook.launch.lines import launch_line
from warpemu import Finding

FILES = sorted(sanitize_faults.FOLDER.glob("faults_*.csv"))


@cache
def table(path):
    return pd.read_csv(path).set_index("fault")


def test_a_fault_in_a_launch_is_found(monkeypatch):
    """Planted: threads that store to one place, among the launches of the book."""
    line = "golden/global_store AT=i/4 n=77"
    racing = launch_line(line, TESTS)
    monkeypatch.setattr(launch_helpers, "launches", lambda: {line: racing})
    monkeypatch.setattr(launch_helpers, "sanitized", lambda: [line])
    with pytest.raises(Finding, match="race"):
        launch_helpers.emulated(line)


@pytest.mark.parametrize("name", sanitize_faults.KERNELS)
def test_the_emulator_finds_each_fault_and_no_other(name):
    correct = sanitize_faults.KERNELS[name][0] == "none"
    assert sanitize_faults.emulated(name) == (
        sanitize_faults.UNSEEN if correct else sanitize_faults.FOUND
    )


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_comparison_is_of_todays_faults(path):
    rows = [
        (name, kind, sanitize_faults.line(name))
        for name, (kind, _) in sanitize_faults.KERNELS.items()
    ]
    assert list(table(path)[["kind", "line"]].itertuples(name=None)) == rows, (
        "run it again on a machine with a GPU: python tools/sanitize_faults.py"
    )
    assert not (table(path)[list(sanitize_faults.TOOLS)] == sanitize_faults.UNRUN).any(axis=None)


def test_there_is_a_comparison_of_many_faults():
    assert FILES, "on a machine with a GPU: python tools/sanitize_faults.py"
    assert sum(kind != "none" for kind, _ in sanitize_faults.KERNELS.values()) >= 40


SAID = """\
launched
========= Invalid __global__ write of size 4 bytes
=========     at k(float *, int)+0x70 in test.cu:{line}
=========     by thread (0,0,0) in block (1,0,0)
========= ERROR SUMMARY: 64 errors
"""


@pytest.mark.parametrize(
    "output, cell",
    [
        (SAID.format(line=3), "found"),
        (SAID.format(line=4), "line 4"),
        (SAID.format(line="?"), "no line"),
        ("launched\n========= ERROR SUMMARY: 0 errors\n", "not seen"),
        ("========= Error: no device\n", "not run"),
    ],
)
def test_what_the_tools_print_is_judged(output, cell):
    assert sanitize_faults.read(output, 3) == cell


CLEAN = sorted(sanitize_faults.FOLDER.glob("clean_*.csv"))


AGAIN = "on a machine with a GPU: python tools/sanitize_kernels.py"


@pytest.mark.parametrize("path", CLEAN, ids=lambda p: p.stem)
def test_compute_sanitizer_reports_nothing_in_the_books_kernels(path):
    rows, planned = pd.read_csv(path).set_index("kernel"), sanitize_kernels.launches()
    assert {k: len(planned.get(k, ())) for k in rows.index} == rows.launches.to_dict(), AGAIN
    assert (rows[list(sanitize_kernels.TOOLS)] == 0).all(axis=None)


# Controls of chapter 14 and the later steps of 17 and 18, written after compute-sanitizer ran; the
# emulator's sanitizer sees them.
CONTROLS = {
    "02_past_l1",
    "03_ints",
    "03_spread",
    "04_padded",
    "04_unrolled",
    "05_rows",
    "06_private_ints",
    "17_through_registers",
    "18_hoisted",
    "19_fragments",
    "20_large_tiles",
    "21_persistent",
    "22_shared_tiles",
}


def test_compute_sanitizer_ran_on_the_whole_matmul_course_but_its_new_controls():
    ran = {kernel for path in CLEAN for kernel in pd.read_csv(path)["kernel"]}
    lacking = set(sanitize_kernels.launches("matmul")) - ran
    assert lacking == {f"matmul/{name}" for name in CONTROLS}, f"{AGAIN} matmul"


@pytest.mark.parametrize(
    "summary, count",
    [
        ("ERROR SUMMARY: 0 errors", 0),
        ("ERROR SUMMARY: 12 errors", 12),
        ("RACECHECK SUMMARY: 3 hazards displayed (2 errors, 1 warning)", 3),
        ("RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)", 0),
    ],
)
def test_a_summary_is_counted(summary, count):
    assert sanitize_kernels.errors(f"launched\n========= {summary}\n") == count


@pytest.mark.parametrize("output", ["no device", "launched", "========= ERROR SUMMARY: 0 errors"])
def test_a_run_without_launches_or_summary_is_no_success(output):
    with pytest.raises(RuntimeError, match=f"did not see all launches:\n{output}"):
        sanitize_kernels.errors(output)
