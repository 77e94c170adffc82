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
# Another, whose skeleton is right and slow: its technique alone makes the points.
NEIGHBOURS = """\
// toy/exercises/neighbours: copy, a warp's lanes side by side.
// HINT 1: Which elements does a warp take at once?
extern "C" __global__
void toy_neighbours(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = threadIdx.x;
    // BEGIN SOLUTION 1: let lanes be neighbours
    // GIVEN: i = i % 8 * 16 + i / 8;
    // END SOLUTION 1
    if (i < n)
        out[i] = in[i];
}
"""
GRADING = """\
import numpy as np

from warpbook import Case, drawn, exercise, most, out


@exercise(
    sizes=(1, 33, 100, drawn(65, 128)),
    technique=(most("global_ld_sectors", 1, lambda n: -(-n // 8)),),
)
def double(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(grid=(-(-size // 64),), block=(64,), args=(a, out(size, np.float32), size),
                want=2 * a, bytes=8 * size)


@exercise(sizes=(1, 33, 128), technique=(most("global_ld_sectors", 1, lambda n: n / 8),))
def neighbours(size, rng):
    a = rng.random(size, dtype=np.float32)
    return Case(grid=(1,), block=(128,), args=(a, out(size, np.float32), size), want=a)
"""


def write_toy(folder):
    """Make a folder a project with toy/double and toy/neighbours; return its kernels/."""
    exercises = folder / "kernels" / "toy" / "exercises"
    (exercises / "solutions").mkdir(parents=True)
    (exercises / "solutions" / "double.cu").write_text(SOLUTION, encoding="utf-8")
    (exercises / "solutions" / "neighbours.cu").write_text(NEIGHBOURS, encoding="utf-8")
    (exercises / "grading.py").write_text(GRADING, encoding="utf-8")
    return folder / "kernels"


def edited(old="", new=""):
    """The toy's solution with ``old`` replaced by ``new``, once."""
    assert old in SOLUTION
    return SOLUTION.replace(old, new, 1) if old else SOLUTION


def graded(toy, old="", new="", **limits):
    """Grade the toy solution with ``old`` replaced by ``new``."""
    path = toy / "copy.cu"
    path.write_text(edited(old, new), encoding="utf-8")
    return grade("toy/double", path, **limits)
