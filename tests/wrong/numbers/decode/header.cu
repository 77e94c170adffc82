// Wrong: cuda_fp16.h does the work.
#include <cuda_fp16.h>

extern "C" __global__
void numbers_decode(
    const unsigned short* __restrict__ words,   // [n]
    float* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __half2float(__ushort_as_half(words[i]));
}
