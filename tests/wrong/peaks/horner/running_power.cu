// Wrong: the power goes along, a multiplication more for each term.
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
        float acc = 0.0f, power = 1.0f;
        for (int k = 0; k < terms; ++k) {
            acc += c[k] * power;
            power *= value;
        }
        out[i] = acc;
    }
}
