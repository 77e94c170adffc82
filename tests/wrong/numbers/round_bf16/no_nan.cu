// A NaN with its fraction in the lower half becomes infinity, and one of ones becomes 0.
extern "C" __global__
void numbers_round_bf16(
    const float* __restrict__ in,       // [n]
    unsigned short* __restrict__ out,   // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = __float_as_uint(in[i]);
        unsigned rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
        out[i] = rounded;
    }
}
