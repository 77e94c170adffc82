// The bias of a half is taken for 16: all normal numbers are half as large.
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
        unsigned bits = (exponent - 16 + 127) << 23 | fraction << 13;
        if (exponent == 31) bits = 0xffu << 23 | fraction << 13;
        if (exponent == 0) bits = __float_as_uint(fraction * 0x1p-24f);
        out[i] = __uint_as_float(sign | bits);
    }
}
