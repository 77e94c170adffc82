"""async_copies/wait: what it asks for comes from barriers that are asked, and waits bear it out."""

import re

import numpy as np
import planted
import pytest

from warpbook import Finding, load_path, trace
from warpbook.grading import exercises
from warpbook.grading.grade import grade

NEVER = -1
RINGS = [(1, 1, 4), (2, 2, 5), (3, 2, 7), (5, 1, 3)]  # stages, arrivals, copies
# One thread makes `made` arrivals; then the other one waits while the first makes `further` ones.
WAITS = """
extern "C" __global__ void waits(int* passed, int stages, int arrivals, int made, int further,
                                 int stage, int parity)
{
    __shared__ unsigned long long ring[8];
    unsigned int at = (unsigned int)__cvta_generic_to_shared(ring);
    if (threadIdx.x < stages)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                     :: "r"(at + 8 * threadIdx.x), "r"(arrivals) : "memory");
    __syncthreads();
    for (int i = 0; i < made + further; ++i) {
        if (i == made) __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }"
                         :: "r"(at + 8 * (i / arrivals % stages)) : "memory");
    }
    if (further == 0) __syncthreads();
    if (threadIdx.x == 32)
        asm volatile("{ .reg .pred over;\\n"
                     "again: mbarrier.try_wait.parity.shared.b64 over, [%0], %1;\\n"
                     "@!over bra again; }"
                     :: "r"(at + 8 * stage), "r"(parity) : "memory");
    passed[threadIdx.x / 32] = 1;
}
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    path = tmp_path_factory.mktemp("waits") / "waits.cu"
    path.write_text(WAITS, encoding="utf-8")
    return load_path(path)


def more(ring):
    """What the exercise wants to be predicted of a ring."""
    spec = exercises.specification("async_copies/wait")
    return spec.make(ring, np.random.default_rng(1)).want[1]


def goes_on(kernel, *numbers):
    """Whether a wait that blocks comes back, in the emulator, which sees that one never does."""
    try:
        trace(kernel, 1, 64, np.zeros(2, np.int32), *numbers)
    except Finding as finding:
        assert finding.kind == "endless wait"
        return False
    return True


@pytest.mark.parametrize("ring", RINGS)
def test_a_wait_that_blocks_does_what_is_to_be_predicted(kernel, ring):
    stages, arrivals, copies = ring
    wanted = more(ring)
    rng = np.random.default_rng(ring)
    for made, stage, parity in rng.permutation(list(np.ndindex(wanted.shape)))[:20].tolist():
        until, left = wanted[made, stage, parity], arrivals * copies - made
        asked = stages, arrivals, made
        if until == NEVER:
            assert not goes_on(kernel, *asked, left, stage, parity)
            continue
        assert goes_on(kernel, *asked, int(until), stage, parity)
        if until:
            assert not goes_on(kernel, *asked, int(until) - 1, stage, parity)


@pytest.mark.parametrize(
    "file, size, said",
    [
        ("no_parity", "2 x 1 x 6", "[2, 1]: got 0, want 1"),
        ("parity_of_copy", "2 x 1 x 6", "[1, 1]: got 1, want 0"),
        ("next_phase", "1 x 1 x 4", "[0, 1]: got 1, want 0"),
        ("all_stand", "3 x 2 x 7", "[0, 0, 1]: got 2, want 0"),
        ("fresh_stands", "3 x 2 x 7", "[0, 0, 1]: got 8, want 0"),
        ("missed_is_over", "2 x 1 x 6", "[3, 0, 0]: got 0, want 2"),
        ("never_never", "5 x 2 x 3", "[0, 3, 0]: got 8, want -1"),
    ],
)
def test_a_wrong_prediction_is_told_what_was_expected_where(file, size, said, tmp_path):
    there = {one.stem: one for one in planted.planted("async_copies/wait")}
    rows = grade("async_copies/wait", there[file].write(tmp_path), seed=1).rows
    detail = next(row.detail for row in rows if row.name == f"right at {size}")
    assert re.search(rf"First at {re.escape(said)}\b", detail)
