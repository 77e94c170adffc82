"""What the tests of the grader share: an exercise of their own, and its grading."""

from warpbook.grading.grade import grade

SOLUTION = """\
// toy/exercises/double: twice each element.
// HINT 1: Multiply
//         by two.
// HINT 2: Guard.
extern "C" __global__
void toy_double(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION 1: guard, then write
    // GIVEN: out[i] = in[i];
    if (i < n) {
        out[i] = 2 * in[i];
    }
    // END SOLUTION 1
}
"""
GRADING = """\
import numpy as np

from warpbook import Case, exercise, out


@exercise(sizes=(1, 33, 100), limits={"sectors_per_ld_request": 4.0})
def double(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(grid=(-(-size // 64),), block=(64,), args=(a, out(size, np.float32), size),
                want=2 * a, bytes=8 * size)
"""


def write_toy(folder):
    """Make a folder a project with one exercise, toy/double; return its kernels/."""
    exercises = folder / "kernels" / "toy" / "exercises"
    (exercises / "solutions").mkdir(parents=True)
    (exercises / "solutions" / "double.cu").write_text(SOLUTION)
    (exercises / "grading.py").write_text(GRADING)
    return folder / "kernels"


def edited(old="", new=""):
    """The toy's solution with ``old`` replaced by ``new``, once."""
    assert old in SOLUTION
    return SOLUTION.replace(old, new, 1) if old else SOLUTION


def graded(toy, old="", new="", **limits):
    """Grade the toy solution with ``old`` replaced by ``new``."""
    path = toy / "copy.cu"
    path.write_text(edited(old, new))
    return grade("toy/double", path, **limits)
