"""tools/grade_seeds.py grades with many seeds, and says which grade is not as it must be."""

import sys

import planted
import pytest
from grading_helpers import write_toy
from helpers import ROOT, module

from warpbook.grading import exercises
from warpbook.grading import grade as grading
from warpbook.launch import source

WRONG = """\
// WRONG right: it is not.
// BEGIN SOLUTION 1
    if (i < n) out[i] = in[i] + in[i];
// END SOLUTION 1
"""
grade_seeds = module(ROOT / "tools" / "grade_seeds.py")


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A project with two exercises, and a place for planted files."""
    monkeypatch.setattr(source, "KERNELS", write_toy(tmp_path))
    monkeypatch.setattr(grading, "GPU", False)
    monkeypatch.setattr(planted, "PLANTED", tmp_path / "planted")
    exercises.skeletons()
    return tmp_path


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["grade_seeds.py", *words])
    return grade_seeds.main()


def test_solutions_are_graded_with_each_seed(toy, monkeypatch, capsys):
    assert run(monkeypatch, "--seeds", "2") == 0
    said = capsys.readouterr().out
    assert said == "4 gradings of 2 exercises with 2 seeds: 0 amiss\n"


def test_a_planted_wrong_solution_that_passes_is_amiss(toy, monkeypatch, capsys):
    (toy / "planted" / "toy").mkdir(parents=True)
    (toy / "planted" / "toy" / "double.cu").write_text(WRONG, encoding="utf-8")
    assert run(monkeypatch, "toy/double", "--seeds", "1", "--all") == 1
    said = capsys.readouterr().out
    assert "toy/double, right.cu, seed 1: 10\n" in said
    assert said.endswith("3 gradings of 1 exercises with 1 seeds: 1 amiss\n")
