"""The command line: what each command prints and how it exits."""

import re

import pandas as pd
import pytest
import yaml
from helpers import ROOT

from warpbook.__main__ import main
from warpbook.grading import exercises
from warpbook.grading.grade import Grade, Row
from warpbook.launch import source
from warpbook.measure import run_line
from warpbook.recording import chapters, same_everywhere

SOLUTION = """\
// HINT 1: Write it.
// BEGIN SOLUTION 1
int a;
// END SOLUTION 1
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A project with one exercise, toy/double, and no skeleton yet."""
    folder = tmp_path / "kernels" / "toy" / "exercises"
    (folder / "solutions").mkdir(parents=True)
    (folder / "solutions" / "double.cu").write_text(SOLUTION, encoding="utf-8")
    monkeypatch.setattr(source, "KERNELS", tmp_path / "kernels")
    return folder


def test_skeleton_writes_then_has_nothing_to_do(toy, capsys):
    assert main(["skeleton"]) == 0
    assert capsys.readouterr().out == "wrote kernels/toy/exercises/double.cu\n"
    assert (toy / "double.cu").read_text(encoding="utf-8") == "// YOUR CODE 1\n"
    assert main(["skeleton"]) == 0
    assert capsys.readouterr().out == ""


def test_skeleton_check_reports_and_writes_nothing(toy, capsys):
    assert main(["skeleton", "--check"]) == 1
    assert "kernels/toy/exercises/double.cu" in capsys.readouterr().out
    assert not (toy / "double.cu").exists()
    main(["skeleton"])
    assert main(["skeleton", "--check"]) == 0


def test_a_malformed_solution_is_named_with_its_line(toy, capsys):
    (toy / "solutions" / "double.cu").write_text("// BEGIN SOLUTION 1\n", encoding="utf-8")
    assert main(["skeleton"]) == 2
    assert "double.cu:1: solution 1 is never closed" in capsys.readouterr().err


@pytest.mark.parametrize("passed, status", [(True, 0), (False, 1)])
def test_grade_exits_0_only_at_full_points(toy, monkeypatch, capsys, passed, status):
    rows = [Row("right/0", "right at 1", "right", passed, "why", 10.0)]
    monkeypatch.setattr("warpbook.grading.grade.grade", lambda name, file: Grade(name, toy, rows))
    assert main(["grade", "toy/double"]) == status
    assert f"toy/double: {10 if passed else 0} of 10 points" in capsys.readouterr().out


def test_grade_shows_hints_on_request(toy, capsys):
    assert main(["grade", "toy/double", "--hints"]) == 0
    assert capsys.readouterr().out == "Hint 1: Write it.\n"


def test_an_unknown_exercise_is_a_sentence(toy, capsys):
    assert main(["grade", "toy/treble"]) == 2
    told = capsys.readouterr().err
    assert told == "warpbook grade: there is no exercise 'toy/treble'. There are: toy/double.\n"


def test_record_hands_its_chapters_on(monkeypatch, capsys):
    calls = []
    left = iter([[], [], ["05_coalescing"]])
    monkeypatch.setattr(chapters, "record", lambda *given: calls.append(given) or next(left))
    assert main(["record"]) == 0
    assert main(["record", "05", "03_measure", "--results"]) == 0
    assert main(["record", "--seconds", "540", "--gpus", "2", "--all"]) == 1
    assert calls == [
        ([], False, None, 1, False),
        (["05", "03_measure"], True, None, 1, False),
        ([], False, 540.0, 2, True),
    ]
    assert "No time was left for: 05_coalescing" in capsys.readouterr().out


def test_record_writes_listings_without_a_gpu(monkeypatch, capsys):
    monkeypatch.setattr(
        same_everywhere, "refresh", lambda names: [f"{name}.ipynb" for name in names]
    )
    assert main(["record", "--listings", "05"]) == 0
    assert capsys.readouterr().out == "wrote 05.ipynb\n"


@pytest.fixture
def two_stale(tmp_path, monkeypatch):
    """A book of which two pages are stale; returns a function that writes its CHANGELOG."""
    found = {"measure": ["its code"], "caches": ["kernels/a/01_b.cu", "warpbook/gpu/clock.py"]}
    monkeypatch.setattr(chapters, "stale", lambda: found)
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    return lambda text: (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")


def test_stale_lists_pages_and_why(two_stale, capsys):
    assert main(["stale"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "measure: recorded before its code changed"
    assert said[1].endswith("before kernels/a/01_b.cu and warpbook/gpu/clock.py changed")
    assert said[2].startswith("2 of ")


@pytest.mark.parametrize(
    "text, status",
    [
        ("## Now\n\nStale pages: measure, caches.\n", 0),
        ("## Now\n\nStale pages: measure.\n", 1),
        ("## Now\n\n## Before\n\nStale pages: measure, caches.\n", 1),
    ],
)
def test_a_release_that_does_not_name_its_stale_pages_is_refused(two_stale, capsys, text, status):
    two_stale(text)
    assert main(["stale", "--check"]) == status
    assert ("\n\nStale pages: measure, caches.\n" in capsys.readouterr().out) == bool(status)


def test_the_workflow_refuses_before_it_publishes():
    text = (ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["publish"]["steps"]
    runs = [step.get("run", step.get("uses", "")) for step in steps]
    at = next(i for i, run in enumerate(runs) if "warpbook stale --check" in run)
    assert at < next(i for i, run in enumerate(runs) if "deploy-pages" in run)


def test_no_command_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    assert all(name in told for name in ("record", "skeleton", "grade", "trace", "doctor"))


def test_only_trace_takes_words_of_its_own(capsys):
    for words in (["doctor", "n=1"], ["trace", "a.cu", "--grid=1", "--block=1", "--what"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        assert f"unrecognized arguments: {words[-1]}" in capsys.readouterr().err
    assert main(["trace", "nowhere.cu", "n=1", "--grid=1", "--block=1", "m=2"]) == 2
    assert "nowhere.cu" in capsys.readouterr().err


def test_start_and_grade_are_public():
    import warpbook

    assert warpbook.start is exercises.start
    assert callable(warpbook.grade)
    with pytest.raises(AttributeError, match="It has: .*bench, ceil_div, check"):
        warpbook.grades  # noqa: B018


def test_run_launches_a_line_checks_it_and_counts(capsys):
    assert main(["run", "coalescing/01_strided n=500 STRIDE=4"]) == 0
    told = capsys.readouterr().out
    assert "coalescing_strided in the emulator: grid (2,), block (256,)" in told
    assert "out: every element is what the header's formula gives." in told
    assert re.search(r"^global_ld_sectors +250$", told, re.M)
    assert main(["run", "coalescing/01_strided", "n=500", "STRIDE=4"]) == 0
    assert capsys.readouterr().out == told


def test_run_says_where_nothing_was_checked(capsys):
    assert main(["run", "scan/01_hillis_steele n=33"]) == 0
    assert "Nothing was checked: its header" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line, said",
    [
        ("coalescing/01_stridd n=5", "Did you mean 'coalescing/01_strided'?"),
        (
            "coalescing/01_strided",
            "no value for n. Add n=... It takes n (int); and, if you like, ST",
        ),
        ("coalescing/01_strided n=5 m=3", "has no 'm'. It takes n (int)"),
        ("coalescing/01_strided n=5 TILE=3", "has no 'TILE'. It takes n (int); and, if you like"),
        ("coalescing/01_strided n", "'n' in 'coalescing/01_strided n' is no NAME=VALUE"),
        ("coalescing/01_strided n=2.5", "'n' is declared int, but got 2.5"),
        ("coalescing/01_strided n=64 STRIDE=0", "STRIDE counts floats, from 1"),
    ],
)
def test_run_says_what_is_wrong_with_a_line(capsys, line, said):
    assert main(["run", line]) == 2
    assert said in capsys.readouterr().err


WRONG = """\
// toy/01_wrong: planted.
//
// out[i] = 2 * in[i]
//
// Launch:   block (32), grid (ceil(n/32))
extern "C" __global__
void toy_wrong(
    const float* in,   // [n]
    float* out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n%s) out[i] = 2 * in[i];
}
"""


@pytest.mark.parametrize(
    "fault, said", [(" - 1", "1 of 40 elements are wrong"), (" + 1", "in[40]")]
)
def test_run_finds_a_wrong_result_and_a_fault(toy, capsys, fault, said):
    (toy.parents[0] / "01_wrong.cu").write_text(WRONG % fault, encoding="utf-8")
    assert main(["run", "toy/01_wrong n=40"]) == 1
    assert said in capsys.readouterr().err


def test_run_times_on_a_gpu_by_what_the_header_says_it_costs(monkeypatch, capsys):
    """The GPU is planted: the launch is the emulator's, the clock's table a made-up one."""
    given = []

    def bench(bytes, flops, **contestants):
        given.append((bytes, flops))
        for run in contestants.values():
            run()
        return pd.DataFrame({"ms": [0.25]}, index=[*contestants])

    monkeypatch.setattr(run_line, "GPU", True)
    monkeypatch.setattr(run_line, "bench", bench)
    assert main(["run", "coalescing/01_strided n=500 STRIDE=4"]) == 0
    told = capsys.readouterr().out
    assert "coalescing_strided on the GPU: grid (2,)" in told and re.search(
        "^ms +0.25$", told, re.M
    )
    assert given == [(4000, None)]
