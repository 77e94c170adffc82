"""Exercises: skeletons come from solutions; the grader refuses what is wrong, and survives it."""

import io
import json
import re
import sys
import time
from dataclasses import replace

import pandas as pd
import pytest
from grading_helpers import GRADING, SOLUTION, graded

from warpbook import forbids, least, most, results
from warpbook.grading import child
from warpbook.grading import exercises as exercise
from warpbook.grading import grade as grading
from warpbook.grading.grade import Row, fill, grade, plan
from warpbook.launch import source
from warpbook.launch.kernel import NotRun

SKELETON = """\
// toy/exercises/double: twice each element.
extern "C" __global__
void toy_double(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: guard, then write
    out[i] = in[i];
}
"""


# --- the format ---------------------------------------------------------------------------------


def test_a_region_becomes_one_comment_and_the_lines_given():
    assert exercise.skeleton(SOLUTION) == SKELETON


def test_a_region_needs_no_text():
    text = "  // BEGIN SOLUTION 7\n  a;\n  // END SOLUTION 7\nb;\n"
    assert exercise.skeleton(text) == "  // YOUR CODE 7\nb;\n"


@pytest.mark.parametrize(
    "text, line, said",
    [
        ("a;\n// BEGIN SOLUTION 1\nb;\n", 3, "solution 1 is never closed"),
        ("// BEGIN SOLUTION 1\n// BEGIN SOLUTION 2\n", 2, "begins inside solution 1"),
        ("// BEGIN SOLUTION 1\n// END SOLUTION 1\n// BEGIN SOLUTION 1\n", 3, "there twice"),
        ("// END SOLUTION 1\n", 1, "closes nothing"),
        ("// BEGIN SOLUTION 1\n// END SOLUTION 2\n", 2, "closes solution 1"),
        ("// GIVEN: a;\n", 1, "outside a solution"),
        ("// BEGIN SOLUTION one\n", 1, "cannot read"),
        ("//BEGIN SOLUTION 1\n", 1, "cannot read"),
        ("// Hint 1: no\n", 1, "cannot read"),
        ("a;\n", 1, "there is no // BEGIN SOLUTION"),
    ],
)
def test_a_malformed_region_is_named_with_its_line(text, line, said):
    with pytest.raises(ValueError, match=rf"^x\.cu:{line}: .*{said}"):
        exercise.skeleton(text, where="x.cu")


# --- a topic of its own -------------------------------------------------------------------------


def test_hints_are_read_in_order(toy):
    assert exercise.hints("toy/double") == ["Multiply by two.", "Guard."]


def test_a_stale_skeleton_is_reported_and_written(toy):
    path = exercise.skeleton_path("toy/double")
    assert exercise.skeletons(check=True) == []
    path.write_text(SKELETON + "// by hand\n", encoding="utf-8")
    assert exercise.skeletons(check=True) == [path]
    assert path.read_text(encoding="utf-8") != SKELETON
    assert exercise.skeletons() == [path]
    assert path.read_text(encoding="utf-8") == SKELETON


def test_start_copies_once_and_never_overwrites(toy):
    first = exercise.start("toy/double")
    copy = toy / "work" / "toy" / "double.cu"
    assert copy.read_text(encoding="utf-8") == SKELETON
    assert 'Edit work/toy/double.cu, then run grade("toy/double")' in repr(first)
    copy.write_text("mine", encoding="utf-8")
    assert "stays as it is" in repr(exercise.start("toy/double"))
    assert copy.read_text(encoding="utf-8") == "mine"


def test_starting_over_keeps_the_old_copy_under_another_name(toy):
    copy = exercise.start("toy/double").path
    assert exercise.start("toy/double", reset=True).kept is None  # nothing was lost
    for number, mine in enumerate(("first try", "second try"), 1):
        copy.write_text(mine, encoding="utf-8")
        again = exercise.start("toy/double", reset=True)
        assert again.new and again.kept == copy.with_name(f"double_{number}.cu")
        assert (
            again.kept.read_text(encoding="utf-8") == mine
            and copy.read_text(encoding="utf-8") == SKELETON
        )
        assert f"Your earlier copy is now work/toy/double_{number}.cu" in repr(again)
    assert copy.with_name("double_1.cu").read_text(encoding="utf-8") == "first try"


def test_while_a_page_is_recorded_nobodys_copy_is_shown(toy, monkeypatch, tmp_path_factory):
    exercise.start("toy/double").path.write_text("mine", encoding="utf-8")
    folder = tmp_path_factory.mktemp("recording")
    monkeypatch.setenv(results.RECORDING, str(folder))
    monkeypatch.chdir(folder)
    page = exercise.start("toy/double")
    assert page.new and page.path == folder / "work" / "toy" / "double.cu"
    assert 'href="../work/toy/double.cu">work/toy/double.cu</a>' in page._repr_html_()


def test_the_copy_is_a_link_from_the_notebooks_folder(toy, monkeypatch):
    target = 'href="../work/toy/double.cu">work/toy/double.cu</a>'
    assert target in exercise.start("toy/double")._repr_html_()
    assert target in grade("toy/double")._repr_html_()
    monkeypatch.setenv(results.PAGE, "lab/01_toy")  # lab notes that are recorded, then that run
    assert target.replace("../", "../../") in exercise.start("toy/double")._repr_html_()
    monkeypatch.delenv(results.PAGE)
    for folder, up in (("book", "../"), ("book/lab", "../../")):
        (toy / folder).mkdir(exist_ok=True)
        monkeypatch.chdir(toy / folder)
        assert target.replace("../", up) in exercise.start("toy/double")._repr_html_()
    monkeypatch.setitem(sys.modules, "google.colab", object())
    assert "href" not in exercise.start("toy/double")._repr_html_().partition("<style>")[0]


def test_start_shows_the_hints_folded_and_the_solution_never(toy):
    page = exercise.start("toy/double")._repr_html_()
    assert "<details><summary>Hint 1</summary><p>Multiply by two.</p></details>" in page
    assert "YOUR CODE 1" in page and "2 * in" not in page


def test_an_installed_package_keeps_copies_in_the_current_folder(toy, monkeypatch):
    (toy / "kernels").rename(toy / "_kernels")
    monkeypatch.setattr(source, "KERNELS", toy / "_kernels")
    monkeypatch.chdir(toy / "_kernels")
    assert exercise.work_path("toy/double") == toy / "_kernels" / "work" / "toy" / "double.cu"


@pytest.mark.parametrize("name", ["toy/treble", "toy", "../toy/double", "toy/exercises/double", ""])
def test_an_unknown_exercise_lists_those_there_are(toy, name):
    for verb in (exercise.start, grade):
        with pytest.raises(LookupError, match="There are: toy/double"):
            verb(name)


def test_an_undeclared_exercise_says_where_to_declare_it(toy):
    exercise.skeleton_path("toy/double").with_name("grading.py").write_text("", encoding="utf-8")
    with pytest.raises(LookupError, match="grading.py has no @exercise called 'double'"):
        grade("toy/double")


def test_grading_before_starting_says_to_start(toy):
    with pytest.raises(FileNotFoundError, match=r'start\("toy/double"\)'):
        grade("toy/double")


def test_a_share_of_the_bound_needs_a_size():
    with pytest.raises(ValueError, match="both"):
        exercise.exercise(sizes=(1,), bound_share=0.5)


# --- points -------------------------------------------------------------------------------------


def asked(**given):
    """An Exercise with two sizes."""
    return exercise.exercise(sizes=(1, (2, 3)), **given)(None)


def test_half_the_points_are_for_right_results_and_half_for_technique():
    technique = most("branches", 1), least("instructions", 2, lambda rows, cols: 10 * rows * cols)
    rows = plan(asked(technique=(*technique, forbids("goto"))), gpu=False)
    assert [(row.name, row.out_of) for row in rows] == [
        ("compiles", 0),
        ("right at 1", 2.5),
        ("right at 2 x 3", 2.5),
        ("no sanitizer finding", 0),
        ("branches at most 1", 5 / 3),
        ("instructions at least 120", 5 / 3),
        ("without goto", 5 / 3),
    ]


@pytest.mark.parametrize(
    "given", [{}, {"technique": (most("branches", 1),)}, {"bound_share": 0.5, "gpu_size": 9}]
)
def test_every_exercise_has_one_scale_of_ten_points_everywhere(given):
    worth = [
        {row.key: row.out_of for row in plan(asked(**given), gpu) if row.out_of}
        for gpu in (False, True)
    ]
    assert worth[0] == worth[1] and sum(worth[0].values()) == pytest.approx(10)


def test_speed_is_a_bonus_that_only_a_gpu_is_asked_for():
    spec = asked(bound_share=0.5, gpu_size=9)
    assert not [row for row in plan(spec, gpu=False) if row.kind == "bonus"]
    *_, last = plan(spec, gpu=True)
    assert (last.name, last.out_of) == ("50% of the measured bound (a bonus)", 0)


def test_a_technique_is_whole_or_nothing():
    rows = [
        Row("right/0", "A", "right", True, "", 5),
        Row("t/0", "B", "technique", True, "", 2.5),
        Row("t/1", "C", "technique", False, "", 2.5),
    ]
    fill(rows, [])
    assert [row.points for row in rows] == [5, 0, 0]


def test_what_the_skeleton_does_as_well_earns_nothing(toy):
    rows = [Row("right/0", "A", "right", True, "", 5), Row("right/1", "B", "right", False, "", 5)]
    fill(rows, [], given={"right/0"})
    assert [row.points for row in rows] == [0, 0]
    shown = repr(seen(*rows))
    assert "0.00 of 5.00  earns its points when all passes" in shown


def test_the_skeleton_is_judged_once_for_all_copies_of_one_seed(toy, monkeypatch):
    judged, run = [], grading._run
    monkeypatch.setattr(grading, "_run", lambda *a: judged.append(a[2].name) or run(*a))
    for factor, seed, points in (("3", 1, 0), ("4", 1, 0), ("3", 2, 0), ("2", 2, 10)):
        path = toy / "copy.cu"
        path.write_text(SOLUTION.replace("2 * in", f"{factor} * in"), encoding="utf-8")
        assert grade("toy/double", path, seed=seed).points == points
    assert judged == ["copy.cu", "double.cu", "copy.cu", "copy.cu", "double.cu", "copy.cu"]
    skeleton = exercise.skeleton_path("toy/double")
    skeleton.write_text(
        SKELETON.replace("out[i] = in[i]", "if (i < n && i < 33) out[i] = 2 * in[i]"),
        encoding="utf-8",
    )
    path.write_text(SOLUTION.replace("i < n", "i < n && i < 99"), encoding="utf-8")
    rows = {row.name: row for row in grade("toy/double", path, seed=1).rows}
    assert judged[-1] == "double.cu", "another skeleton is judged anew"
    seen = [(row.passed, row.given) for row in (rows["right at 33"], rows["right at 100"])]
    assert seen == [(True, True), (False, False)]


def test_a_skeleton_that_crashes_is_the_exercises_fault(toy, monkeypatch):
    fates = iter(["", "It crashed."])
    monkeypatch.setattr(grading, "_run", lambda *a, run=grading._run: (*run(*a)[:2], next(fates)))
    with pytest.raises(RuntimeError, match="skeleton of toy/double could not be judged. It crash"):
        graded(toy, "2 * in", "5 * in", seed=987654)


def test_what_a_killed_child_was_doing_fails_and_the_rest_is_not_judged():
    rows = [Row("a", "A", "gate"), Row("b", "B", "right"), Row("c", "C", "right")]
    done = {"key": "a", "passed": True, "detail": ""}
    fill(rows, [{"begin": "a"}, done, {"begin": "b"}], fate="hung")
    assert [(row.result, row.detail) for row in rows] == [
        ("passed", ""),
        ("failed", "hung"),
        ("not judged", ""),
    ]
    assert not any(row.points for row in rows), "nobody has asked what the skeleton does"


def test_a_bonus_that_crashes_costs_nothing():
    rows = [Row("right/0", "A", "right", True, "", 10), Row("bound", "B", "bonus")]
    fill(rows, [{"begin": "bound"}], fate="crashed")
    assert [row.points for row in rows] == [10, 0]


def test_what_is_wrong_on_the_gpu_has_no_points(toy):
    rows = [Row("right/0", "A", "right", True, "", 10), Row("on-gpu", "B", "gate", False)]
    fill(rows, [])
    assert seen(*rows).points == 0 and seen(*rows).first_failure.name == "B"


# --- the grader, on right and on wrong kernels --------------------------------------------------


def test_the_solution_gets_all_points(toy):
    result = graded(toy)
    assert (result.points, float(result), result.out_of) == (10, 10, 10), result
    assert result.first_failure is None
    assert "First failure" not in repr(result) + result._repr_html_()


def test_the_racing_kernel_needs_only_its_barrier(toy):
    result = graded(toy, BODY, SHARED.replace("/* a barrier belongs here */", "__syncthreads();"))
    assert result.full, result


def test_the_skeleton_gets_none(toy):
    assert float(grade("toy/double", exercise.start("toy/double").path)) == 0


def test_a_copy_as_it_was_handed_out_is_not_run(toy):
    path = exercise.start("toy/double").path
    waiting = grade("toy/double")
    assert (float(waiting), waiting.full, waiting.begun) == (0, False, False)
    assert all(row.passed is None for row in waiting.rows)
    assert "as it was handed out" in repr(waiting) and "<table" not in waiting._repr_html_()
    path.write_text(path.read_text(encoding="utf-8") + "; // mine\n", encoding="utf-8")
    assert grade("toy/double").begun


DISGUISES = {
    "a comment": lambda text: "/* mine */\n" + text,
    "other lines": lambda text: text.replace(";", " ;\n\n").replace("(", "(\n"),
    "an empty statement": lambda text: text.replace("out[i] = in[i];", "out[i] = in[i];;"),
    "another name": lambda text: re.sub(r"\bn\b", "count", text),
    "more of it": lambda text: text.replace("out[i] = in[i];", "float a = in[i]; out[i] = a;"),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_skeleton_in_disguise_gets_none(toy, disguise):
    for solution in ("double", "neighbours"):  # the second's skeleton is right, but not coalesced
        text = DISGUISES[disguise](
            exercise.skeleton_path(f"toy/{solution}").read_text(encoding="utf-8")
        )
        path = toy / "copy.cu"
        path.write_text(text, encoding="utf-8")
        assert grade(f"toy/{solution}", path).points == 0


LOOP = 'for (int k = 0; k < 10000; ++k) printf("%d: I am a lumberjack\\n", k);'
BODY = """\
    if (i < n) {
        out[i] = 2 * in[i];
    }
"""
SHARED = """\
    __shared__ float s[64];
    s[threadIdx.x] = i < n ? in[i] : 0;
    /* a barrier belongs here */
    if (i < n) {
        out[i] = 2 * s[threadIdx.x] + 0 * s[63 - threadIdx.x];
    }
"""
FAULTS = {
    # what is wrong: (old, new, the check that fails first, what its detail says)
    "syntax": ("2 * in[i];", "2 * in[i]", "compiles", r"copy\.cu\(16\): error: expected a"),
    "two_kernels": ("extern", "__global__ void f() {}\nextern", "compiles", "exactly one"),
    "another_parameter": ("int n)", "int n, int m)", "right at 1", "takes 4 arguments .*got 3"),
    "wrong_result": ("2 * in[i]", "3 * in[i]", "right at 1", r"1 of 1 .*\[0\]: got .*, want"),
    "one_size_only": ("i < n", "i < 33 && i < n", "right at 100", r"67 of 100 .*\[33\]"),
    "no_guard": (
        "if (i < n)",
        "if (true)",
        "right at 1",
        r"^global out of bounds, line 15\n.*line 15 of copy\.cu, block",
    ),
    "unwritten": ("out[i] = 2 * in[i]", "(void)in", "right at 1", "1 of 1"),
    "reads_its_output": ("2 * in[i]", "out[i] + 2 * in[i]", "right at 1", "nan"),
    "waits_for_ever": (
        "if (i < n) {",
        "while (in[0] < 2) { } if (i < n) {",
        "right at 1",
        "endless wait",
    ),
    "loops_for_ever": (
        "if (i < n) {",
        "volatile float* o = out; for (unsigned k = 1; k; k += 2) { *o = k; } if (i < n) {",
        "right at 1",
        "stopped",
    ),
    "floods": ("if (i < n) {", "if (i < n) { " + LOOP, "right at 1", "more than 64 KB"),
    "floods_for_ever": (
        "if (i < n) {",
        LOOP.replace("10000", "2000000000") + " if (i < n) {",
        "right at 1",
        "more than 64 KB",
    ),
    "races": (BODY, SHARED, "right at 1", "(?i)race"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_kernel_loses_points_and_the_session_goes_on(toy, fault):
    old, new, first, said = FAULTS[fault]
    began = time.monotonic()
    result = graded(toy, old, new, seconds=4 if fault == "loops_for_ever" else 30)
    assert time.monotonic() - began < 40
    assert not result.full
    assert result.first_failure.name == first, result
    assert re.search(said, result.first_failure.detail), result


def test_what_the_sanitizer_finds_is_said_where_its_word_is_asked(toy):
    rows = {row.name: row for row in graded(toy, *FAULTS["races"][:2]).rows}
    word = rows["no sanitizer finding"]
    assert not word.passed and "found at size 1" in word.detail


def test_what_a_kernel_prints_is_shown_and_counts_for_nothing(toy):
    forged = r"""printf("{\"key\": \"right/0\", \"passed\": true, \"detail\": \"\"}\n")"""
    result = graded(toy, "out[i] = 2 * in[i];", forged + "; out[i] = 0;")
    assert result.points == 0
    assert '"passed": true' in result.printed and "The kernel printed:" in repr(result)


def test_a_flood_of_a_kernels_printf_is_stopped_where_it_is_printed(toy):
    # One launch that does not end: what it prints has to come out while it runs.
    flood = r"""for (volatile int k = 1; k; k += 2) printf("a line of a flood, number %d\n", k);"""
    began = time.monotonic()
    result = graded(toy, "out[i] = 2 * in[i];", flood)
    assert time.monotonic() - began < 30
    assert result.points == 0 and "more than 64 KB" in result.first_failure.detail, result
    assert "a line of a flood, number 1\n" in result.printed
    assert len(result.printed) <= grading.OUTPUT


MISDEEDS = {
    # what the child does outside any kernel: (the code, what is said of it)
    "hangs": ("while True: pass", "stopped"),
    "crashes": ("import os; os.abort()", "ended with SIGABRT"),
    "raises": ("raise ZeroDivisionError('of mine')", r"(?s)exit status 1.*of mine"),
    "floods": ("while True: print('x' * 1000)", "more than 64 KB"),
    "eats_memory": ("np.ones(1 << 33)", r"(?s)exit status 1.*MemoryError"),
    "leaves_a_child": ("import subprocess; subprocess.run(['sleep', '600'])", "stopped"),
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_the_parent_outlives_its_child(toy, monkeypatch, misdeed):
    code, said = MISDEEDS[misdeed]
    text = GRADING.replace("    a = rng", f"    {code}\n    a = rng")
    exercise.skeleton_path("toy/double").with_name("grading.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(grading, "START", 2 if said == "stopped" else 60)
    began = time.monotonic()
    result = graded(toy)
    assert time.monotonic() - began < 30
    assert result.points == 0
    assert re.search(said, result.first_failure.detail), result
    assert len(result.printed) <= grading.OUTPUT


@pytest.mark.parametrize("share, fast", [(0.9, True), (0.5, False), (float("nan"), False)])
def test_on_a_gpu_the_share_of_the_bound_is_a_bonus(toy, monkeypatch, share, fast):
    # The GPU's own half of the grader, run here in the emulator, with a timing that is given.
    spec = exercise.specification("toy/double")
    spec = replace(spec, sizes=(1, 33), technique=(), bound_share=0.8, gpu_size=1000)
    table = pd.DataFrame({"ms": [1.0], "of_bound": [share]}, index=["yours"])
    monkeypatch.setattr("warpbook.measure.bench.bench", lambda **_: table)
    rows, file, path = plan(spec, gpu=True), io.StringIO(), exercise.solution_path("toy/double")
    child.in_emulator(spec, path, 1, child.Journal(file))
    child.on_gpu(spec, path, 1, child.Journal(file))
    fill(rows, map(json.loads, file.getvalue().splitlines()))
    result = seen(*rows)
    assert (result.points, result.full, result.bonus) == (10, True, fast)
    assert rows[-1].detail.startswith(f"{share:.0%} of the bound")
    assert result.first_failure is None


def test_a_gpu_that_lacks_the_instructions_takes_no_points(toy, monkeypatch):
    spec = exercise.specification("toy/double")
    spec = replace(spec, sizes=(1, 33), technique=(), bound_share=0.8, gpu_size=1000)
    rows, file, path = plan(spec, gpu=True), io.StringIO(), exercise.solution_path("toy/double")
    child.in_emulator(spec, path, 1, child.Journal(file))
    lacks = lambda *_, **__: NotRun("double needs compute capability 8.0.")  # noqa: E731
    monkeypatch.setattr(child.Runs, "kernel", lambda *_: lacks)
    child.on_gpu(spec, path, 1, child.Journal(file))
    fill(rows, map(json.loads, file.getvalue().splitlines()))
    result = seen(*rows)
    assert (result.points, result.full, result.bonus) == (10, True, None)
    assert rows[-2].detail == "double needs compute capability 8.0." and rows[-1].passed is None


# --- what a reader sees -------------------------------------------------------------------------


def seen(*rows):
    """A Grade of toy/double made of rows."""
    return grading.Grade("toy/double", source.KERNELS.parent / "work" / "toy" / "double.cu", rows)


def test_the_table_names_every_check_and_shows_the_first_failure_in_full(toy):
    log = "copy.cu(3): error: expected a ';'\n  a < b\n      ^"
    text = repr(
        seen(
            Row("compiles", "compiles", "gate", False, log),
            Row("right/0", "right at 1", "right", None, "", 5),
        )
    )
    assert text.splitlines()[0] == "toy/double: 0 of 10 points (work/toy/double.cu)"
    assert re.search(r"(?m)^right at 1  not judged  0.00 of 5.00$", text)
    assert f"First failure: compiles\n{log}" in text
    assert "grade toy/double --hints" in text and "Multiply" not in text


def test_the_html_table_is_accessible_and_escaped(toy):
    page = seen(Row("right/0", "right at 1", "right", False, "a < b", 5))._repr_html_()
    assert "<caption>toy/double: 0 of 10 points" in page
    assert page.count('scope="col"') == 4 and page.count('scope="row"') == 1
    assert "✗ failed" in page and "a &lt; b" in page and "a < b" not in page
    assert "<details><summary>Hint 2</summary><p>Guard.</p></details>" in page


def test_a_copy_anywhere_may_include_its_topics_header(toy, tmp_path_factory):
    header = toy / "kernels" / "toy" / "parts.cuh"
    header.write_text("__device__ float twice(float x) { return 2 * x; }\n", encoding="utf-8")
    text = SOLUTION.replace("2 * in[i]", "twice(in[i])").replace(
        'extern "C"', '#include "parts.cuh"\nextern "C"'
    )
    path = tmp_path_factory.mktemp("sent") / "anything.cu"
    path.write_text(text, encoding="utf-8")
    assert grade("toy/double", path).full
    header.write_text("__device__ float twice(float x) { return x; }\n", encoding="utf-8")
    assert not grade("toy/double", path).full
    (path.parent / "parts.cuh").write_text("float mine;\n", encoding="utf-8")
    refused = grade("toy/double", path)
    assert refused.points == 0 and "anything.cu:5: #include" in refused.rows[0].detail
