// compilation/02_promise: a line's slope and height lie in memory; may the
//     compiler keep them?
//
// out[i] = slope[0] * in[i] + height[0]
//
// Changed:  rewrite: another task
// Launch:   block (256), grid (8*SMs)
// Defines:  PROMISE = 0
// Cost:     8*n + 8 bytes, 2*n flops
// Assumes:  n + 2048*SMs <= 2^31, so that i does not overflow;
//           with PROMISE = 1, that out overlaps nothing
#ifndef PROMISE
#define PROMISE 0
#endif
#if !PROMISE
#define __restrict__  // nothing
#endif

extern "C" __global__
void compilation_promise(
    const float* __restrict__ in,      // [n]
    const float* __restrict__ slope,   // [1]
    const float* __restrict__ height,  // [1]
    float* __restrict__ out,           // [n]
    int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        out[i] = slope[0] * in[i] + height[0];
    }
}
