"""tools/planted.py makes whole solutions of sections, and refuses what it cannot place."""

import sys

import planted
import pytest
from grading_helpers import SOLUTION, write_toy

from warpbook.grading import exercises
from warpbook.grading import grade as grading
from warpbook.launch import source

WRONG = """\
// WRONG no_guard: writes past the end.
// BEGIN SOLUTION 1
    out[i] = 2 * in[i];
// END SOLUTION 1
"""
FIRST = """\
// WRONG a_block_late: the first block is left out.
// INSTEAD OF
    int i = blockIdx.x * blockDim.x + threadIdx.x;
// WRITE
    int i = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
// END
"""
BOTH = """\
// RIGHT by_addition: an addition.
// INSTEAD OF
        out[i] = in[i] + twice;
// WRITE
        out[i] = in[i] + in[i];
// END
// BEGIN SOLUTION 1
    if (i < n)
        out[i] = in[i] + twice;
// END SOLUTION 1
"""
WHOLE = """\
// WRONG nothing: does nothing.
extern "C" __global__
void toy_double(const float* in, float* out, int n)
{
}
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A project with toy/double; call it with what is planted."""
    monkeypatch.setattr(source, "KERNELS", write_toy(tmp_path))
    monkeypatch.setattr(grading, "GPU", False)
    monkeypatch.setattr(planted, "PLANTED", tmp_path / "planted")
    exercises.skeletons()

    def plant(*sections):
        path = tmp_path / "planted" / "toy" / "double.cu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(sections), encoding="utf-8")
        return {one.stem: one for one in planted.planted("toy/double")}

    return plant


def test_a_region_an_edit_both_and_a_whole_kernel(toy):
    there = toy(WRONG, FIRST, BOTH, WHOLE)
    assert list(there) == ["no_guard", "a_block_late", "by_addition", "nothing"]
    assert [one.right for one in there.values()] == [False, False, True, False]
    begin = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    for stem, middle in (
        ("no_guard", begin + "    out[i] = 2 * in[i];\n}\n"),
        ("by_addition", begin + "    if (i < n)\n        out[i] = in[i] + in[i];\n}\n"),
        ("a_block_late", "threadIdx.x;\n    if (i < n) {\n        out[i] = 2 * in[i];\n    }\n}\n"),
    ):
        assert there[stem].text.endswith(middle)
    assert there["nothing"].text == WHOLE.replace("WRONG nothing:", "Wrong:")
    assert there["by_addition"].text.startswith("// Right: an addition.\n// toy/exercises/double:")
    for one in there.values():
        assert not any(word in one.text for word in ("HINT", "GIVEN", "SOLUTION", "INSTEAD"))


def test_an_exercise_with_nothing_planted_has_none(toy):
    assert planted.planted("toy/neighbours") == [] and planted.names() == []
    toy(WRONG)
    assert planted.names() == ["toy/double"]


@pytest.mark.parametrize(
    "section, said",
    [
        (WRONG.replace("SOLUTION 1", "SOLUTION 2"), "no_guard: the solution has no region 2"),
        (FIRST.replace("int i = b", "int j = b"), "a_block_late: .* stand 0 times in the solution"),
        (
            FIRST.replace("    int i = blockIdx.x * blockDim.x + threadIdx.x;\n", ""),
            "stand 0 times",
        ),
        (WRONG + "    out[i] = 3;\n", "no_guard: 'out.i. = 3;' stands in no region"),
        (WRONG + WRONG, "no_guard is there twice"),
        ("// Wrong: no name.\n" + WRONG, "'// Wrong: no name.' stands above"),
        (WRONG.replace("END SOLUTION 1", "END SOLUTION"), "'// BEGIN SOLUTION 1' begins or ends"),
    ],
)
def test_a_section_that_fits_nowhere_is_named(toy, section, said):
    with pytest.raises(ValueError, match=said):
        toy(section)


def test_lines_that_stand_twice_are_no_place(toy):
    twice = SOLUTION.replace("        out[i]", "        out[i] = 0;\n        out[i]")
    path = exercises.solution_path("toy/double")
    path.write_text(twice.replace("= 2 * in[i]", "= 0"), encoding="utf-8")
    with pytest.raises(ValueError, match="stand 2 times"):
        toy("// WRONG x: y.\n// INSTEAD OF\n        out[i] = 0;\n// WRITE\n// END\n")


def run(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["planted.py", *words])
    return planted.main()


def test_the_command_lists_prints_and_grades(toy, monkeypatch, capsys):
    toy(WRONG, BOTH)
    assert run(monkeypatch, "toy/double") == 0
    said = capsys.readouterr().out
    assert said == ("wrong  no_guard: writes past the end.\nright  by_addition: an addition.\n")
    assert run(monkeypatch, "toy/double", "no_guard", "--text") == 0
    assert capsys.readouterr().out.startswith("// Wrong: writes past the end.\n")
    assert run(monkeypatch, "toy/double", "no_guard") == 0  # it is refused, as it must be
    assert "out of bounds" in capsys.readouterr().out
    assert run(monkeypatch, "toy/double", "by_addition") == 0
    assert "10 of 10 points" in capsys.readouterr().out
    assert run(monkeypatch, "toy/double", "no_gard") == 2


def test_the_command_fails_where_a_grade_is_not_as_it_must_be(toy, monkeypatch):
    toy(BOTH.replace("RIGHT", "WRONG"), WRONG.replace("WRONG", "RIGHT"))
    assert run(monkeypatch, "toy/double", "by_addition") == 1
    assert run(monkeypatch, "toy/double", "no_guard") == 1
