"""`grade` as it is typed: slips, pipes, places that cannot be written, a bare Python."""

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
    (toy / "-dash.cu").write_text(SOLUTION)
    assert main(["grade", "toy/double", "-dash.cu"]) == 1
    assert "Rename the file: dash.cu." in capsys.readouterr().out


def test_the_time_is_given_in_seconds(toy, capsys):
    (toy / "copy.cu").write_text(SOLUTION)
    assert main(["grade", "toy/double", str(toy / "copy.cu"), "--seconds", "0.001"]) == 1
    assert "allow more: --seconds 0.002" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["grade", "coalescing/align", str(SKELETON)],
                                     ["grade", "coalescing/align", "--hints"]])  # fmt: skip
def test_head_has_read_enough_and_nothing_is_said_of_a_pipe(command):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-m", "warpbook", *command], cwd=ROOT, stdout=write,
                          stderr=subprocess.PIPE, env=ENVIRONMENT)  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("command", ["grade coalescing/align", "record 05"])
def test_a_python_without_the_packages_is_told_where_one_is(command):
    done = subprocess.run([sys.executable, "-S", "-m", "warpbook", *command.split()], cwd=ROOT,
                          capture_output=True, text=True, env=ENVIRONMENT)  # fmt: skip
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"this Python ({sys.executable}) has no " in done.stderr
    assert ".venv/bin/python -m warpbook" in done.stderr


def test_the_doctor_needs_no_packages():
    done = subprocess.run([sys.executable, "-S", "-m", "warpbook", "doctor"], cwd=ROOT,
                          capture_output=True, text=True, env=ENVIRONMENT)  # fmt: skip
    assert done.returncode == 1 and done.stderr == ""
    assert "no numpy" in done.stdout


def test_a_module_of_our_own_that_is_missing_is_a_fault_and_no_advice(monkeypatch):
    monkeypatch.setitem(sys.modules, "warpbook.gpu.doctor", None)
    with pytest.raises(ModuleNotFoundError):
        main(["doctor"])


def test_a_place_that_cannot_be_written_is_a_sentence(toy):
    (toy / "work").write_text("a file, where the folder should be")
    with pytest.raises(OSError, match=r"work/toy/double\.cu cannot be written .*Copy kernels/toy/"):
        exercises.start("toy/double")


def test_a_read_only_checkout_is_graded_from_a_folder_of_ones_own(toy, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise OSError(30, "Read-only file system")

    path = tmp_path / "mine.cu"
    path.write_text(SOLUTION)
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
