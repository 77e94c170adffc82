// Wrong: the division is done in integers, and gives 0 or 1.
extern "C" __global__
void peaks_recompute(
    const float* __restrict__ in,        // [n]
    const float* __restrict__ weights,   // [n]: weight(0), weight(1), ...
    float* __restrict__ out,             // [n]
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float place = (2 * i + 1) / n;
        const float weight = 1.0f - fabsf(place - 1.0f);
        out[i] = in[i] * weight;
    }
}
