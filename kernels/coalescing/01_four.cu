// coalescing/01_four: the same copy with four loads a thread, so that memory
//     and not the wait for a single load is the limit.
//
// out[i] = in[STRIDE * i]
//
// Changed:  one element a thread -> four, 32 elements apart; all four loads
//           leave before the first store    (from 01_strided)
// Launch:   block (256), grid (ceil(n/1024))
// Defines:  STRIDE = 1
// Cost:     8*n bytes, 0 flops
// Assumes:  STRIDE * (n + 1024) < 2^31
#ifndef STRIDE
#define STRIDE 1
#endif
static_assert(STRIDE >= 1, "STRIDE counts floats, from 1");

extern "C" __global__
void coalescing_four(
    const float* __restrict__ in,   // [STRIDE * n]
    float* __restrict__ out,        // [n]
    int n)
{
    int warp = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    int first = warp * 128 + lane;   // a warp copies 128 elements
    float held[4];
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = first + 32 * k;
        if (i < n) held[k] = in[STRIDE * i];
    }
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = first + 32 * k;
        if (i < n) out[i] = held[k];
    }
}
