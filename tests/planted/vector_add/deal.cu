// WRONG by_lane: all warps do the same elements; right values, and each of them several times.
// BEGIN SOLUTION 1
    int first = threadIdx.x % 32, end = n;
    int step = 32;
// END SOLUTION 1

// WRONG one_round: every thread takes one element; right while the block is as long as the array.
// BEGIN SOLUTION 1
    int first = threadIdx.x, end = min(n, (int)blockDim.x);
    int step = blockDim.x;
// END SOLUTION 1

// WRONG pairs: neighbouring threads leave a gap, which a second pass fills: 8 sectors a request.
extern "C" __global__
void vector_add_deal(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    for (int odd = 0; odd < 2; ++odd) {
        for (int i = 2 * threadIdx.x + odd; i < n; i += 2 * blockDim.x) {
            out[i] = in[i] + 1.0f;
        }
    }
}

// WRONG whole_rounds: the last round goes on beyond the end of the arrays.
// BEGIN SOLUTION 1
    int first = threadIdx.x, end = (n + blockDim.x - 1) / blockDim.x * blockDim.x;
    int step = blockDim.x;
// END SOLUTION 1
