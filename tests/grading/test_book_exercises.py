"""Every exercise of the book: what is right gets full points, and nothing planted beside it does.

Each file is graded with one seed here; `tools/grade_seeds.py` grades solutions with many.
"""

import numpy as np
import pytest
from helpers import TESTS

from warpbook.emulator.counters import FIELDS
from warpbook.grading import exercises, technique
from warpbook.grading import grade as grading
from warpbook.grading.draws import Draw
from warpbook.grading.grade import grade
from warpbook.launch import source
from warpbook.measure.tracing import Trace

ALL = exercises.exercises()
WRONG, RIGHT = TESTS / "wrong", TESTS / "right"
SEED = 20260101
# A test's id begins with its exercise: conftest gives the tests of one exercise to one worker.


@pytest.fixture(scope="module", autouse=True)
def judged():
    """A skeleton runs once for its own grading and for those of all copies, with the same seed."""
    run, kept = grading._run, {}

    def once(stage, name, path, clock, *drawn):
        if path.resolve() != exercises.skeleton_path(name).resolve():
            return run(stage, name, path, clock, *drawn)
        if (stage, name, *drawn) not in kept:
            kept[stage, name, *drawn] = run(stage, name, path, clock, *drawn)
        return kept[stage, name, *drawn]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grading, "_run", once)
        yield kept


def planted(folder):
    """(exercise, file) of what is planted in tests/wrong or tests/right, as parameters."""
    return [
        pytest.param(name, path, id=f"{name}-{path.stem}")
        for name in ALL
        for path in sorted((folder / name).glob("*.cu"))
    ]


def test_every_skeleton_is_current():
    assert exercises.skeletons(check=True) == []


def test_every_skeleton_and_every_wrong_solution_has_its_exercise():
    skeletons = {f"{p.parents[1].name}/{p.stem}" for p in source.KERNELS.glob("*/exercises/*.cu")}
    there = [*WRONG.glob("*/*/*.cu"), *RIGHT.glob("*/*/*.cu")]
    assert skeletons == set(ALL)
    assert {f"{path.parents[1].name}/{path.parent.name}" for path in there} <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_an_exercise_has_hints_and_wrong_solutions(name):
    assert exercises.hints(name)
    assert len(list((WRONG / name).glob("*.cu"))) >= 2


@pytest.mark.parametrize("folder", [WRONG, RIGHT])
def test_a_planted_file_says_what_it_is(folder):
    for path in folder.glob("*/*/*.cu"):
        first = path.read_text().splitlines()[0]
        assert first.startswith("// Right: " if folder == RIGHT else "// "), path


@pytest.mark.parametrize("name", ALL)
def test_a_specification_fits_its_kernel(name):
    spec, kernel = exercises.specification(name), source.parse(exercises.solution_path(name))
    sizes = [Draw(seed).all_sizes(spec.sizes) for seed in (1, 2)]
    assert sizes[0] != sizes[1], "no size is drawn anew: see `drawn`"
    for size in sizes[0]:
        case = spec.make(size, np.random.default_rng(1))
        outs = [a for a in case.args if isinstance(a, exercises.Out)]
        wants = case.want if isinstance(case.want, tuple) else (case.want,)
        assert [np.zeros(o.shape).shape for o in outs] == [np.shape(w) for w in wants]
        assert len(case.args) == len(kernel.parameters)
        assert case.defines.keys() <= kernel.defines.keys()
    for criterion in spec.technique:
        assert criterion.title(sizes[0][-1])
        counter = getattr(criterion, "counter", "instructions")
        known = {*FIELDS, *technique.OPCODES, *technique.RESOURCES, "loads_ahead"}
        assert counter in known or counter.startswith("ptx ") or hasattr(Trace, counter)
    assert spec.bound_share is None or 0 < spec.bound_share <= 1 and (case.bytes or case.flops)


@pytest.mark.parametrize("name", ALL)
def test_the_solution_passes(name):
    result = grade(name, exercises.solution_path(name), seed=SEED)
    assert result.full, result


@pytest.mark.parametrize("name", ALL)
def test_the_skeleton_compiles_and_has_no_points(name):
    result = grade(name, exercises.skeleton_path(name), seed=SEED)
    assert result.rows[0].passed, result
    assert result.points == 0, result


@pytest.mark.parametrize("name, path", planted(RIGHT))
def test_what_is_right_in_another_way_passes(name, path):
    result = grade(name, path, seed=SEED)
    assert result.full, result


@pytest.mark.parametrize("name, path", planted(WRONG))
def test_a_wrong_solution_compiles_and_is_refused(name, path):
    result = grade(name, path, seed=SEED)
    assert result.rows[0].passed, result
    assert not result.full, result
