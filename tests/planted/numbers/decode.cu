// WRONG header: cuda_fp16.h does the work.
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

// WRONG infinity_is_a_number: Exponent 31 is taken for a power of two: infinity becomes 65536.
// BEGIN SOLUTION 1
        unsigned bits = (exponent - 15 + 127) << 23 | fraction << 13;
        if (exponent == 0) bits = __float_as_uint(fraction * 0x1p-24f);
// END SOLUTION 1

// WRONG instruction: one instruction does the work, with no header.
extern "C" __global__
void numbers_decode(
    const unsigned short* __restrict__ words,   // [n]
    float* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float number;
        asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(words[i]));
        out[i] = number;
    }
}

// WRONG nan_is_infinity: The fraction is dropped at exponent 31: a NaN becomes infinity.
// BEGIN SOLUTION 1
        unsigned bits = (exponent - 15 + 127) << 23 | fraction << 13;
        if (exponent == 31) bits = 0xffu << 23;
        if (exponent == 0) bits = __float_as_uint(fraction * 0x1p-24f);
// END SOLUTION 1

// WRONG no_sign_of_subnormals: The sign is lost where the number is subnormal.
// INSTEAD OF
        out[i] = __uint_as_float(sign | bits);
// WRITE
        out[i] = __uint_as_float(exponent ? sign | bits : bits);
// END

// WRONG no_subnormals: Exponent 0 is taken for zero: the 2,046 subnormals are lost.
// BEGIN SOLUTION 1
        unsigned bits = (exponent - 15 + 127) << 23 | fraction << 13;
        if (exponent == 31) bits = 0xffu << 23 | fraction << 13;
        if (exponent == 0) bits = 0;
// END SOLUTION 1

// WRONG wrong_bias: The bias of a half is taken for 16: all normal numbers are half as large.
// BEGIN SOLUTION 1
        unsigned bits = (exponent - 16 + 127) << 23 | fraction << 13;
        if (exponent == 31) bits = 0xffu << 23 | fraction << 13;
        if (exponent == 0) bits = __float_as_uint(fraction * 0x1p-24f);
// END SOLUTION 1
