// Right: the loop as it stands, without the compiler's unrolling.
extern "C" __global__
void peaks_horner(
    const float* __restrict__ x,    // [n]
    const float* __restrict__ c,    // [terms]
    float* __restrict__ out,        // [n]
    int n, int terms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float value = x[i];
        float acc = c[terms - 1];
        #pragma unroll 1
        for (int k = terms - 2; k >= 0; --k) acc = fmaf(acc, value, c[k]);
        out[i] = acc;
    }
}
