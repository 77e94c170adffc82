"""What the README says of one kernel is what happens."""

import re
from pathlib import Path

import numpy as np
import pytest

import warpemu
from warpemu import nvrtc

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
WALK = README[README.index("## One kernel") :]


def block(language, text=WALK):
    """The README's block of code in a language."""
    return re.search(rf"^```{language}\n(.*?)^```", text, re.M | re.S)[1]


@pytest.fixture
def program():
    return warpemu.compile(block("ptx"), "scale", "scale.cu", block("cuda", README))


def launch(program):
    a = np.arange(80, dtype="f4")
    report = program.launch((3,), (32,), [a, np.float32(2), np.int32(70)], trace=True)
    assert (a == np.where(np.arange(80) < 70, 2, 1) * np.arange(80)).all()
    return report


def test_the_generated_python_is_that_of_the_ptx(program):
    assert block("python") == program.blocks[1].source + "\n"
    assert [sorted(b.successors) for b in program.blocks] == [[1, 2], [2], []]
    assert [program.generator.names[r] for r in ("%f1", "%r1", "%rd1")] == ["v1", "v6", "v0"]


def test_the_report_is_that_of_the_launch(program):
    report = launch(program)
    for name, number in re.findall(r"(\w+) +(\d+)", block("text")):
        assert getattr(report, name) == int(number), name


def test_the_ptx_does_what_the_compilers_does_today(program):
    today = warpemu.compile(
        nvrtc.ptx(block("cuda", README), "scale.cu"), "scale", "scale.cu", block("cuda", README)
    )
    assert vars(launch(today))["global_ld_sectors"] == launch(program).global_ld_sectors
    assert today.parameters == program.parameters
