"""The command line: what each command prints and how it exits."""

import pytest

from warpbook.__main__ import main
from warpbook.grading import exercises
from warpbook.grading.grade import Grade, Row
from warpbook.launch import source

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
    (folder / "solutions" / "double.cu").write_text(SOLUTION)
    monkeypatch.setattr(source, "KERNELS", tmp_path / "kernels")
    return folder


def test_skeleton_writes_then_has_nothing_to_do(toy, capsys):
    assert main(["skeleton"]) == 0
    assert capsys.readouterr().out == "wrote kernels/toy/exercises/double.cu\n"
    assert (toy / "double.cu").read_text() == "// YOUR CODE 1\n"
    assert main(["skeleton"]) == 0
    assert capsys.readouterr().out == ""


def test_skeleton_check_reports_and_writes_nothing(toy, capsys):
    assert main(["skeleton", "--check"]) == 1
    assert "kernels/toy/exercises/double.cu" in capsys.readouterr().out
    assert not (toy / "double.cu").exists()
    main(["skeleton"])
    assert main(["skeleton", "--check"]) == 0


def test_a_malformed_solution_is_named_with_its_line(toy, capsys):
    (toy / "solutions" / "double.cu").write_text("// BEGIN SOLUTION 1\n")
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


def test_record_hands_its_chapters_on(monkeypatch):
    calls = []
    record = "warpbook.recording.chapters.record"
    monkeypatch.setattr(record, lambda names, results_only: calls.append((names, results_only)))
    assert main(["record"]) == 0
    assert main(["record", "05", "03_measure", "--results"]) == 0
    assert calls == [([], False), (["05", "03_measure"], True)]


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
