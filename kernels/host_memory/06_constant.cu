// host_memory/06_constant: the weights are a variable of the module,
//     not an argument.
//
// out[i] = weights[0] * in[i - 1] + weights[1] * in[i]
//          + weights[2] * in[i + 1]   (beyond an end, the sample at that end)
//
// Changed:  parameter weights -> __constant__ weights[3]     (from 01_smooth)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 5*n flops
// Assumes:  nothing
// The host may set others.
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};

extern "C" __global__
void host_memory_constant(
    const float* __restrict__ in,        // [n]
    float* __restrict__ out,             // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = in[max(i - 1, 0)], right = in[min(i + 1, n - 1)];
        out[i] = weights[0] * left + weights[1] * in[i] + weights[2] * right;
    }
}
