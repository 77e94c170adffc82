// Wrong: the coefficients are read from the wrong end: right with one term only.
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
        float acc = c[0];
        for (int k = 1; k < terms; ++k) acc = fmaf(acc, value, c[k]);
        out[i] = acc;
    }
}
