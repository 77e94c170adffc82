// host_memory/01_smooth: replace each sample by a weighted mean of itself
//     and its two neighbours.
//
// out[i] = weights[0] * in[i - 1] + weights[1] * in[i]
//          + weights[2] * in[i + 1]   (beyond an end, the sample at that end)
//
// Changed:  nothing, the first step
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 5*n flops
// Assumes:  nothing
extern "C" __global__
void host_memory_smooth(
    const float* __restrict__ in,        // [n]
    const float* __restrict__ weights,   // [3]
    float* __restrict__ out,             // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = in[max(i - 1, 0)], right = in[min(i + 1, n - 1)];
        out[i] = weights[0] * left + weights[1] * in[i] + weights[2] * right;
    }
}
