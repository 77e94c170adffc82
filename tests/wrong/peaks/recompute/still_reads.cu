// Wrong: right, but the weight is still read from memory where it matters.
extern "C" __global__
void peaks_recompute(
    const float* __restrict__ in,        // [n]
    const float* __restrict__ weights,   // [n]: weight(0), weight(1), ...
    float* __restrict__ out,             // [n]
    int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float place = (2.0f * i + 1.0f) / n;
        const float weight = place < 1.0f ? place : weights[i];
        out[i] = in[i] * weight;
    }
}
