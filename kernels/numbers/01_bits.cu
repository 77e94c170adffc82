// numbers/01_bits: the bits with which a type writes a number.
//
// bits[i] = the bits of TYPE(in[i]), in the low end of a 64-bit word
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  TYPE = float
// Cost:     16*n bytes, 0 flops
// Assumes:  TYPE is double, float, half or __nv_bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef TYPE
#define TYPE float
#endif

extern "C" __global__
void numbers_bits(
    const double* __restrict__ in,   // [n]
    long long* __restrict__ bits,    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        TYPE value = TYPE(in[i]);
        long long word = 0;
        // A cast would convert the value; a copy of its bytes keeps the bits.
        memcpy(&word, &value, sizeof(TYPE));
        bits[i] = word;
    }
}
