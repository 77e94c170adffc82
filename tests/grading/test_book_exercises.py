"""Every exercise of the book: its solution gets full points, and nothing planted beside it does."""

import numpy as np
import pytest
from helpers import TESTS

from warpbook.emulator.counters import FIELDS
from warpbook.grading import exercises
from warpbook.grading.grade import grade
from warpbook.launch import source
from warpbook.measure.tracing import Trace

ALL = exercises.exercises()
WRONG = TESTS / "wrong"
# A test's id begins with its exercise: conftest gives the tests of one exercise to one worker.


def wrong(name):
    """The planted wrong solutions of an exercises."""
    return sorted((WRONG / name).glob("*.cu"))


def test_every_skeleton_is_current():
    assert exercises.skeletons(check=True) == []


def test_every_skeleton_and_every_wrong_solution_has_its_exercise():
    skeletons = {f"{p.parents[1].name}/{p.stem}" for p in source.KERNELS.glob("*/exercises/*.cu")}
    planted = {f"{path.parents[1].name}/{path.parent.name}" for path in WRONG.glob("*/*/*.cu")}
    assert skeletons == set(ALL)
    assert planted <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_an_exercise_has_hints_and_wrong_solutions(name):
    assert exercises.hints(name)
    assert len(wrong(name)) >= 2
    for path in wrong(name):
        assert path.read_text().startswith("// "), f"{path.name}: say what is wrong in line 1"


@pytest.mark.parametrize("name", ALL)
def test_a_specification_fits_its_kernel(name):
    spec, kernel = exercises.specification(name), source.parse(exercises.solution_path(name))
    for size in spec.sizes:
        case = spec.make(size, np.random.default_rng(1))
        outs = [a for a in case.args if isinstance(a, exercises.Out)]
        wants = case.want if isinstance(case.want, tuple) else (case.want,)
        assert [np.zeros(o.shape).shape for o in outs] == [np.shape(w) for w in wants]
        assert len(case.args) == len(kernel.parameters)
        assert case.defines.keys() <= kernel.defines.keys()
    assert all(limit in FIELDS or hasattr(Trace, limit) for limit in spec.limits)
    assert spec.bound_share is None or 0 < spec.bound_share <= 1 and (case.bytes or case.flops)


@pytest.mark.parametrize("name", ALL)
def test_the_solution_passes(name):
    result = grade(name, exercises.solution_path(name))
    assert result.full, result


@pytest.mark.parametrize("name", ALL)
def test_the_skeleton_compiles_and_fails(name):
    result = grade(name, exercises.skeleton_path(name))
    assert result.rows[0].passed, result
    assert not result.full, result


@pytest.mark.parametrize(
    "name, path",
    [pytest.param(name, path, id=f"{name}-{path.stem}") for name in ALL for path in wrong(name)],
)
def test_a_wrong_solution_compiles_and_is_refused(name, path):
    result = grade(name, path)
    assert result.rows[0].passed, result
    assert not result.full, result
