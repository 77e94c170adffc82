// WRONG half_down: Rounds ties towards zero, not to even.
// BEGIN SOLUTION 1
        unsigned rounded = (bits + 0x7fffu) >> 16;
        out[i] = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
// END SOLUTION 1

// WRONG half_up: Rounds ties away from zero, not to even.
// BEGIN SOLUTION 1
        unsigned rounded = (bits + 0x8000u) >> 16;
        out[i] = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
// END SOLUTION 1

// WRONG header: cuda_bf16.h does the work.
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

// WRONG infinity_is_nan: Takes infinity for a NaN.
// BEGIN SOLUTION 1
        unsigned rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
        out[i] = (bits & 0x7fffffffu) >= 0x7f800000u ? 0x7fffu : rounded;
// END SOLUTION 1

// WRONG no_nan: A NaN with its fraction in the lower half becomes infinity, and one of ones becomes 0.
// BEGIN SOLUTION 1
        unsigned rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
        out[i] = rounded;
// END SOLUTION 1

// WRONG truncates: Cuts the lower half off: rounds towards zero.
// BEGIN SOLUTION 1
        unsigned rounded = bits >> 16;
        out[i] = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
// END SOLUTION 1
