// Rounds ties away from zero, not to even.
extern "C" __global__
void numbers_round_bf16(
    const float* __restrict__ in,       // [n]
    unsigned short* __restrict__ out,   // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = __float_as_uint(in[i]);
        unsigned rounded = (bits + 0x8000u) >> 16;
        out[i] = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
    }
}
