// numbers/05_half2: two halves in one register: one load, one multiply-add,
//     one store for both.
//
// out[i] = scale * a[i] + b[i], rounded once
//
// Changed:  half -> half2, __hfma -> __hfma2, and a tail for the last n % 2
//           (from 04_half)
// Launch:   block (256), grid (ceil(n/512))
// Defines:  none
// Cost:     6*n bytes, 2*n flops
// Assumes:  a, b and out start at multiples of 4 bytes
#include <cuda_fp16.h>

extern "C" __global__
void numbers_half2(
    const half* __restrict__ a,   // [n]
    const half* __restrict__ b,   // [n]
    half* __restrict__ out,       // [n]
    int n,
    float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pairs = n / 2;
    if (i < pairs) {
        half2 a_pair = reinterpret_cast<const half2*>(a)[i];
        half2 b_pair = reinterpret_cast<const half2*>(b)[i];
        reinterpret_cast<half2*>(out)[i] =
            __hfma2(__float2half2_rn(scale), a_pair, b_pair);
    }
    if (n % 2 && i == pairs) {
        out[n - 1] = __hfma(__float2half(scale), a[n - 1], b[n - 1]);
    }
}
