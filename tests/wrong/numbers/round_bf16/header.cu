// Wrong: cuda_bf16.h does the work.
#include <cuda_bf16.h>

extern "C" __global__
void numbers_round_bf16(
    const float* __restrict__ in,       // [n]
    unsigned short* __restrict__ out,   // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __bfloat16_as_ushort(__float2bfloat16_rn(in[i]));
}
