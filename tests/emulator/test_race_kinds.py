"""A race is labelled lane by lane: within a warp, or between warps."""

import numpy as np
import pytest
from emulator_helpers import program

from warpbook.emulator import Finding

THREADS = 64


@pytest.mark.parametrize("shift", [1, 5, 31, 32, 40])
def test_each_lane_of_a_request_is_labelled_by_the_thread_that_it_races_with(shift):
    """Thread t reads what thread t + shift wrote; both sit in one warp for 32 - shift of them."""
    text = f"""
        extern "C" __global__ void k(int* out) {{
            __shared__ int tile[{THREADS}];
            tile[threadIdx.x] = threadIdx.x + 1;
            out[threadIdx.x] = tile[(threadIdx.x + {shift}) % {THREADS}];
        }}"""
    with pytest.raises(Finding) as found:
        program(text).launch((1,), (THREADS,), [np.zeros(THREADS, np.int32)], not_on_gpu="a race")
    threads = np.arange(THREADS)
    within = int((threads // 32 == (threads + shift) % THREADS // 32).sum())
    counts = found.value.counts
    assert counts.get("missing __syncwarp", 0) == within
    assert counts.get("shared race", 0) == THREADS - within
