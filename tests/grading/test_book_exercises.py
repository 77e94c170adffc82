"""Every exercise of the book: what is right gets full points, and nothing planted beside it does.

Each file is graded with one seed here; `tools/grade_seeds.py` grades solutions with many.
"""

import numpy as np
import planted
import pytest

from warpbook.grading import exercises, technique
from warpbook.grading import grade as grading
from warpbook.grading.draws import Draw
from warpbook.grading.grade import grade
from warpbook.launch import source
from warpbook.measure.tracing import Trace
from warpemu.counters import FIELDS

ALL = exercises.exercises()
PLANTED = {name: planted.planted(name) for name in ALL}
SEED = 20260101
# A test's id begins with its exercise: tiers.py knows by it which topic's files call for the test.


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


def sections(right):
    """(exercise, what is planted for it) of the right ones, or of the wrong ones, as parameters."""
    return [
        pytest.param(name, one, id=f"{name}-{one.stem}")
        for name in ALL
        for one in PLANTED[name]
        if one.right == right
    ]


def test_every_skeleton_is_current():
    assert exercises.skeletons(check=True) == []


def test_every_skeleton_and_every_planted_file_has_its_exercise():
    skeletons = {f"{p.parents[1].name}/{p.stem}" for p in source.KERNELS.glob("*/exercises/*.cu")}
    assert skeletons == set(ALL)
    assert set(planted.names()) <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_an_exercise_has_hints_and_wrong_solutions(name):
    assert exercises.hints(name)
    assert sum(not one.right for one in PLANTED[name]) >= 2


@pytest.mark.parametrize("name", ALL)
def test_what_is_planted_is_no_other_solution_again(name):
    texts = [exercises.solution_path(name).read_text(encoding="utf-8")]
    texts += [one.text for one in PLANTED[name]]
    assert len({tuple(technique.tokens(text)) for text in texts}) == len(texts)


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


@pytest.mark.parametrize("name, one", sections(right=True))
def test_what_is_right_in_another_way_passes(name, one, tmp_path):
    result = grade(name, one.write(tmp_path), seed=SEED)
    assert result.full, result


@pytest.mark.parametrize("name, one", sections(right=False))
def test_a_wrong_solution_compiles_and_is_refused(name, one, tmp_path):
    result = grade(name, one.write(tmp_path), seed=SEED)
    assert result.rows[0].passed, result
    assert not result.full, result
