// numbers/exercises/decode: read a half with integer operations alone.
//
// out[i] = the number that the 16 bits of words[i] stand for
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     6*n bytes, 0 flops
// Assumes:  nothing
//
// A half has 1 bit of sign, 5 of exponent (bias 15) and 10 of fraction;
// a float 1, 8 (bias 127) and 23. The code as given is right for exponents
// from 1 to 30. Asked: every one of the 65,536 patterns, bit for bit; any NaN
// will do for a NaN. No cuda_fp16.h.
// HINT 1: Exponent 31 means infinity when the fraction is 0, and NaN when it
//         is not. What is the exponent of a float's infinity?
// HINT 2: Exponent 0 has no hidden 1: the number is fraction * 2^-24.
//         A float holds that exactly.
// HINT 3: __float_as_uint gives the bits of a float, so a float product may
//         stand in the middle.
extern "C" __global__
void numbers_decode(
    const unsigned short* __restrict__ words,   // [n]
    float* __restrict__ out,                    // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned sign = (words[i] & 0x8000u) << 16;
        unsigned exponent = words[i] >> 10 & 0x1fu;
        unsigned fraction = words[i] & 0x3ffu;
        // BEGIN SOLUTION 1: the float's bits, for exponents 0 and 31 as well
        // GIVEN: unsigned bits =
        // GIVEN:     (exponent - 15 + 127) << 23 | fraction << 13;
        unsigned bits = (exponent - 15 + 127) << 23 | fraction << 13;
        if (exponent == 31) bits = 0xffu << 23 | fraction << 13;
        if (exponent == 0) bits = __float_as_uint(fraction * 0x1p-24f);
        // END SOLUTION 1
        out[i] = __uint_as_float(sign | bits);
    }
}
