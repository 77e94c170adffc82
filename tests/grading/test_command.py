"""`grade` as it is typed: slips, pipes, places that cannot be written, a bare Python."""

import json
import os
import subprocess
import sys

import pytest
from grading_helpers import SOLUTION
from helpers import ROOT

from warpbook.__main__ import main
from warpbook.grading import exercises

ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
SKELETON = ROOT / "kernels" / "coalescing" / "exercises" / "align.cu"


@pytest.mark.parametrize("wrong", ["toy/doubel", "tou/double", "double", "Toy/Double"])
def test_a_slip_of_the_pen_is_understood(toy, capsys, wrong):
    assert main(["grade", wrong]) == 2
    told = capsys.readouterr().err
    assert f"no exercise '{wrong}'. Did you mean 'toy/double'? There are: toy/double," in told


def test_a_file_whose_name_begins_with_a_dash_is_no_option(toy, monkeypatch, capsys):
    monkeypatch.chdir(toy)
    (toy / "-dash.cu").write_text(SOLUTION, encoding="utf-8")
    assert main(["grade", "toy/double", "-dash.cu"]) == 1
    assert "Rename the file: dash.cu." in capsys.readouterr().out


def test_the_time_is_given_in_seconds(toy, capsys):
    slow = SOLUTION.replace("if (i < n) {", "for (volatile long long j = 0; j < 1LL << 40; ++j); {")
    (toy / "copy.cu").write_text(slow, encoding="utf-8")
    assert main(["grade", "toy/double", str(toy / "copy.cu"), "--seconds", "0.25"]) == 1
    assert "allow more: --seconds 0.5" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [["grade", "coalescing/align", str(SKELETON)], ["grade", "coalescing/align", "--hints"]],
)
def test_head_has_read_enough_and_nothing_is_said_of_a_pipe(command):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "warpbook", *command],
        cwd=ROOT,
        stdout=write,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("command", ["grade coalescing/align", "record 05"])
def test_a_python_without_the_packages_is_told_where_one_is(command):
    done = subprocess.run(
        [sys.executable, "-S", "-m", "warpbook", *command.split()],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        env=ENVIRONMENT,
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"this Python ({sys.executable}) has no " in done.stderr
    assert ".venv/bin/python -m warpbook" in done.stderr


def test_the_doctor_needs_no_packages():
    done = subprocess.run(
        [sys.executable, "-S", "-m", "warpbook", "doctor"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        env=ENVIRONMENT,
    )
    assert done.returncode == 1 and done.stderr == ""
    assert "no numpy" in done.stdout


def test_a_module_of_our_own_that_is_missing_is_a_fault_and_no_advice(monkeypatch):
    monkeypatch.setitem(sys.modules, "warpbook.gpu.doctor", None)
    with pytest.raises(ModuleNotFoundError):
        main(["doctor"])


def test_a_place_that_cannot_be_written_is_a_sentence(toy):
    (toy / "work").write_text("a file, where the folder should be", encoding="utf-8")
    with pytest.raises(OSError, match=r"work/toy/double\.cu cannot be written .*Copy kernels/toy/"):
        exercises.start("toy/double")


def test_a_read_only_checkout_is_graded_from_a_folder_of_ones_own(toy, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise OSError(30, "Read-only file system")

    path = tmp_path / "mine.cu"
    path.write_text(SOLUTION, encoding="utf-8")
    monkeypatch.setattr("pathlib.Path.write_text", refused)
    with pytest.raises(OSError, match=r"Read-only file system.*run grade\(\"toy/double\", "):
        exercises.start("toy/double")
    assert main(["grade", "toy/double", str(path)]) == 0


def test_a_copy_in_latin_1_is_shown(toy):
    path = exercises.work_path("toy/double")
    path.parent.mkdir(parents=True)
    path.write_bytes(SOLUTION.replace("twice", "zwölf").encode("latin-1"))
    shown = exercises.start("toy/double")
    assert "zwölf" in repr(shown) and "zwölf" in shown._repr_html_()


# --- list, start, reset, hints; whose copies are whose --------------------------------------------


def test_the_shell_lists_starts_resets_and_hints(toy, capsys):
    assert main(["start", "toy/double"]) == 0
    told = capsys.readouterr().out
    assert told == "Edit work/toy/double.cu, then run: python -m warpbook grade toy/double\n"
    copy = toy / "work" / "toy" / "double.cu"
    copy.write_text(SOLUTION, encoding="utf-8")
    assert main(["start", "toy/double"]) == 0
    assert "stays as it is. To begin anew: python -m warpbook reset" in capsys.readouterr().out
    assert main(["list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "toy (20 points)",
        "  toy/double              begun      twice each element.",
        "  toy/neighbours                     copy, a warp's lanes side by side.",
        "",
        "Your copies lie in work.",
    ]
    assert main(["grade", "toy/double"]) == 0
    capsys.readouterr()
    assert main(["reset", "toy/double"]) == 0
    assert "Your earlier copy is now work/toy/double_1.cu." in capsys.readouterr().out
    assert main(["list", "toy"]) == 0
    assert "  toy/double              unchanged  twice" in capsys.readouterr().out
    assert main(["hints", "toy/double"]) == 0
    assert capsys.readouterr().out == "Hint 1: Multiply by two.\nHint 2: Guard.\n"


def test_the_list_goes_by_chapter(toy, capsys):
    cells = [
        {"cell_type": "markdown", "source": ["### Exercise 1\n", "\n", "**Modify** (15 minutes)."]},
        {"cell_type": "code", "source": ['start("toy/neighbours")']},
        {"cell_type": "markdown", "source": ["**Write** (5 minutes, 2 lines). In 90 minutes"]},
        {"cell_type": "code", "source": ['start("toy/double")']},
    ]
    (toy / "book").mkdir()
    text = json.dumps({"cells": cells})
    (toy / "book" / "07_toys.ipynb").write_text(text, encoding="utf-8")
    assert main(["list"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "07_toys (20 points, 20 minutes)",
        "  toy/neighbours  15 min             copy, a warp's lanes side by side.",
        "  toy/double       5 min             twice each element.",
    ]


def test_the_book_s_list_has_minutes_for_every_exercise():
    lines = exercises.listing().splitlines()
    listed = [line for line in lines if line.startswith("  ")]
    assert len(listed) == len(exercises.exercises())
    assert all(" min " in line and " 0 min" not in line for line in listed)
    chapters = [line.split()[0] for line in lines if line[:1].isdigit()]
    assert chapters == sorted(chapters) and "05_coalescing" in chapters


def test_an_unknown_exercise_is_told_the_nearest_few():
    with pytest.raises(LookupError) as refused:
        exercises.skeleton_path("coalescing/fix_strid")
    assert "Did you mean 'coalescing/fix_stride'?" in str(refused.value)
    assert "`python -m warpbook list` lists all" in str(refused.value)
    assert len(str(refused.value)) < 300
    with pytest.raises(LookupError, match="The nearest: streams/"):
        exercises.skeleton_path("streams")


def test_a_file_that_is_not_there_is_named(toy, capsys):
    assert main(["grade", "toy/double", "mine.cu"]) == 2
    told = capsys.readouterr().err
    assert "there is no " in told and "mine.cu" in told
    assert "`python -m warpbook start toy/double` in a shell" in told
    main(["start", "toy/double"])
    assert main(["grade", "toy/double", "mine.cu"]) == 2
    assert "Leave it out to grade work/toy/double.cu, your copy." in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["start", "toy/doubel"], ["reset", "x"], ["hints", "x"], ["list", "toys"]]
)
def test_the_shell_says_what_there_is(toy, capsys, words):
    assert main(words) == 2
    assert "toy" in capsys.readouterr().err


def test_a_folder_of_ones_own_holds_the_copies(toy, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WARPBOOK_WORK", str(tmp_path / "of mine"))
    assert main(["start", "toy/double"]) == 0
    path = tmp_path / "of mine" / "toy" / "double.cu"
    assert path.is_file() and not (toy / "work").exists()
    path.write_text(SOLUTION, encoding="utf-8")
    assert main(["grade", "toy/double"]) == 0


def test_a_copy_outside_the_project_is_no_link(toy, tmp_path_factory, monkeypatch):
    monkeypatch.setenv("WARPBOOK_WORK", str(tmp_path_factory.mktemp("mine")))
    assert "href" not in exercises.start("toy/double")._repr_html_().partition("<style>")[0]


def test_a_folder_that_is_another_users_is_left_alone(toy, tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    assert exercises.work_folder() == toy / "work"
    monkeypatch.setattr(os, "getuid", lambda: os.stat(toy).st_uid + 1)
    assert exercises.work_folder() == home / "warpbook-work"
    assert exercises.start("toy/double").path.is_relative_to(home)
    assert (home / "warpbook-work").stat().st_mode & 0o777 == 0o700
    (toy / "work").mkdir()
    assert exercises.start("toy/double").path.is_relative_to(home)
    monkeypatch.undo()


def test_a_checkout_that_cannot_be_written_is_worked_in_from_home(toy, monkeypatch):
    monkeypatch.setenv("HOME", str(toy / "home"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert exercises.start("toy/double").path == toy / "home" / "warpbook-work" / "toy/double.cu"
