// Wrong: right, but every power is multiplied together from the start.
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
        for (int k = 1; k < terms; ++k) {
            float power = value;
            for (int j = 1; j < k; ++j) power *= value;
            acc = fmaf(c[k], power, acc);
        }
        out[i] = acc;
    }
}
