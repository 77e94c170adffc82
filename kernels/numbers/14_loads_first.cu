// numbers/14_loads_first: both halves are loaded before the first is stored,
//     so a thread waits for memory once.
//
// out[i] = scale * a[i] + b[i], rounded once
//
// Changed:  load, store, load, store -> load, load, store, store
//           (from 12_two_halves)
// Launch:   block (256), grid (ceil(n/512))
// Defines:  none
// Cost:     6*n bytes, 2*n flops
// Assumes:  n + 512 <= 2^31, so that j does not overflow
#include <cuda_fp16.h>

extern "C" __global__
void numbers_loads_first(
    const half* __restrict__ a,   // [n]
    const half* __restrict__ b,   // [n]
    half* __restrict__ out,       // [n]
    int n,
    float scale)
{
    int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half sums[2];
    #pragma unroll
    for (int part = 0; part < 2; ++part) {
        int j = i + part * threads;
        if (j < n) sums[part] = __hfma(__float2half(scale), a[j], b[j]);
    }
    #pragma unroll
    for (int part = 0; part < 2; ++part) {
        int j = i + part * threads;
        if (j < n) out[j] = sums[part];
    }
}
