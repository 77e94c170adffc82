// numbers/04_half: the same with one half a thread: half the bytes,
//     and half the bytes in flight.
//
// out[i] = scale * a[i] + b[i], rounded once
//
// Changed:  float -> half, fmaf -> __hfma  (from 03_axpy)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     6*n bytes, 2*n flops
// Assumes:  nothing
#include <cuda_fp16.h>

extern "C" __global__
void numbers_half(
    const half* __restrict__ a,   // [n]
    const half* __restrict__ b,   // [n]
    half* __restrict__ out,       // [n]
    int n,
    float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = __hfma(__float2half(scale), a[i], b[i]);
    }
}
