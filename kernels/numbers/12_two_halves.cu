// numbers/12_two_halves: as many elements a thread as with half2,
//     and as many blocks; only the requests are narrow.
//
// out[i] = scale * a[i] + b[i], rounded once
//
// Changed:  one half a thread -> two, half the grid apart     (from 04_half)
// Launch:   block (256), grid (ceil(n/512))
// Defines:  none
// Cost:     6*n bytes, 2*n flops
// Assumes:  nothing
#include <cuda_fp16.h>

extern "C" __global__
void numbers_two_halves(
    const half* __restrict__ a,   // [n]
    const half* __restrict__ b,   // [n]
    half* __restrict__ out,       // [n]
    int n,
    float scale)
{
    int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    #pragma unroll
    for (int part = 0; part < 2; ++part, i += threads) {
        if (i < n) {
            out[i] = __hfma(__float2half(scale), a[i], b[i]);
        }
    }
}
