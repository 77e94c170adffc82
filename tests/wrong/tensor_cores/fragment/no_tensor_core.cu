// Wrong: right, but without a tensor core.
__device__ float widen(unsigned short word)
{
    return __int_as_float(word << 16);
}

extern "C" __global__
void tensor_cores_fragment(
    const unsigned short* __restrict__ a,   // [m, 16]
    const unsigned short* __restrict__ b,   // [16, n]
    float* __restrict__ c,                  // [m, n]
    int m, int n)
{
    for (int e = threadIdx.x; e < 128; e += 32) {
        int row = blockIdx.y * 16 + e / 8, col = blockIdx.x * 8 + e % 8;
        float sum = 0.0f;
        for (int i = 0; i < 16; ++i)
            sum += widen(a[row * 16 + i]) * widen(b[i * n + col]);
        c[row * n + col] = sum;
    }
}
