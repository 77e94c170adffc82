// Wrong: it loads pairs, and then works on one half after the other.
#include <cuda_fp16.h>

extern "C" __global__
void numbers_pairs(
    const half* __restrict__ a,   // [n]
    const half* __restrict__ b,   // [n]
    half* __restrict__ out,       // [n]
    int n,
    float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        half2 a_pair = reinterpret_cast<const half2*>(a)[i];
        half2 b_pair = reinterpret_cast<const half2*>(b)[i];
        half low = __hfma(__float2half(scale), a_pair.x, b_pair.x);
        half high = __hfma(__float2half(scale), a_pair.y, b_pair.y);
        reinterpret_cast<half2*>(out)[i] =
            __halves2half2(__hmax(low, __float2half(0.0f)), __hmax(high, __float2half(0.0f)));
    }
    if (n % 2 && i == n / 2) {
        half sum = __hfma(__float2half(scale), a[n - 1], b[n - 1]);
        out[n - 1] = __hmax(sum, __float2half(0.0f));
    }
}
