// Wrong: no tile: a thread reads its mirror image from memory.
extern "C" __global__
void occupancy_one_tile(
    const float* __restrict__ a,   // [n]
    const float* __restrict__ b,   // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x;
    if (i < n) out[i] = j < n ? a[j] - 2 * b[j] : 0.0f;
}
