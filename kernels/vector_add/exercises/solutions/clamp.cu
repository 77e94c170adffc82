// vector_add/exercises/clamp: a grid-stride loop that is right for whatever
//     grid it is given.
//
// out[i] = min(max(in[i], low), high)
//
// Launch:   block (128), grid (any)
// Defines:  none
// Cost:     8*n bytes, 2*n flops
// Assumes:  n + gridDim.x * blockDim.x <= 2^31, so that i does not overflow
// HINT 1: Every thread begins at its own index in the grid and advances by
//         the grid's thread count.
// HINT 2: gridDim.x blocks of blockDim.x threads; fminf and fmaxf
//         need no header.
extern "C" __global__
void vector_add_clamp(
    const float* __restrict__ in,  // [n]
    float* __restrict__ out,       // [n]
    float low, float high, int n)
{
    // BEGIN SOLUTION 1: a loop over every element that is this thread's
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) {
        out[i] = fminf(fmaxf(in[i], low), high);
    }
    // END SOLUTION 1
}
