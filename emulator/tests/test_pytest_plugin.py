"""The pytest plugin: a launch, a fault, a budget that is missed, an annotation."""

import pytest

pytest_plugins = ["pytester"]

SCALE = """\
extern "C" __global__ void scale(float* a, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[STRIDE * i] = factor * a[STRIDE * i];
}
"""
HEAD = """\
import numpy as np
def test_scale(cuda):
    scale = cuda("scale.cu", defines={"STRIDE": %d})
    a = np.arange(1000, dtype=np.float32)
    report = scale((4,), (32,), a, np.float32(2), np.int32(%d))
    assert a[3] == 6
    assert report.global_ld_sectors <= 1.1 * 100 / 8
"""


@pytest.fixture
def outside(pytester, monkeypatch):
    """Run pytest in a process that has only the plugin; returns its result."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    pytester.makefile(".cu", scale=SCALE)

    def run(test):
        pytester.makepyfile(test)
        return pytester.runpytest_subprocess(
            "-p", "warpemu.pytest_plugin", "-p", "no:cacheprovider"
        )

    return run


def test_a_launch_within_its_budget_passes(outside):
    outside(HEAD % (1, 100)).assert_outcomes(passed=1)


def test_a_missed_budget_fails(outside):
    result = outside(HEAD % (3, 100))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert * <= *"])


def test_a_fault_fails_with_its_line(outside, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = outside((HEAD % (1, 2000)).replace("(4,)", "(40,)"))
    result.assert_outcomes(failed=1)
    said = result.stdout.str()
    assert "global out of bounds" in said and ">    3     if (i < n)" in said
    assert "::error file=scale.cu,line=3::" in said
    assert "launch.py" not in said, "the emulator's own calls do not help the reader"


def test_a_kernel_that_is_not_there(outside):
    result = outside((HEAD % (1, 100)).replace('"scale.cu"', '"scale.cu", "scalar"'))
    result.stdout.fnmatch_lines(["*no kernel 'scalar' The file has scale.*"])
