// numbers/02_round: what is left of a float after a trip through
//     a narrower type.
//
// out[i] = in[i], rounded to the nearest number that TYPE has
//
// Changed:  the bits -> the value that they stand for  (from 01_bits)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  TYPE = half
// Cost:     8*n bytes, 0 flops
// Assumes:  TYPE is float, half or __nv_bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef TYPE
#define TYPE half
#endif

extern "C" __global__
void numbers_round(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        TYPE value = TYPE(in[i]);
        out[i] = float(value);
    }
}
