// numbers/exercises/round_bf16: round floats to bfloat16 with integer
//     operations alone.
//
// out[i] = the bits of in[i] in bfloat16: the nearest,
//          of two equally near the even one
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     6*n bytes, 0 flops
// Assumes:  nothing
//
// A bfloat16 is the upper half of a float. The code as given cuts the lower
// half off, which rounds towards zero. Asked: round to nearest even, and
// 0x7fff for every NaN. No cuda_bf16.h.
extern "C" __global__
void numbers_round_bf16(
    const float* __restrict__ in,       // [n]
    unsigned short* __restrict__ out,   // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = __float_as_uint(in[i]);
        // YOUR CODE 1: to nearest even, NaN to 0x7fff (roughly 2 lines)
        out[i] = bits >> 16;
    }
}
