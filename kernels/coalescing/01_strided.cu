// coalescing/01_strided: lane i reads STRIDE * i, so one warp's load spreads
//     over more sectors.
//
// out[i] = in[STRIDE * i]
//
// Changed:  nothing, the first step
// Launch:   block (256), grid (ceil(n/256))
// Defines:  STRIDE = 1
// Cost:     8*n bytes, 0 flops
// Assumes:  STRIDE * n < 2^31
#ifndef STRIDE
#define STRIDE 1
#endif
static_assert(STRIDE >= 1, "STRIDE counts floats, from 1");

extern "C" __global__
void coalescing_strided(
    const float* __restrict__ in,   // [STRIDE * n]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[STRIDE * i];
    }
}
