// Right: by XOR, so that every lane has the sum, and a thread adds up the warps.
extern "C" __global__
void reduction_dot(
    const float* __restrict__ x,     // [n]
    const float* __restrict__ y,     // [n]
    float* __restrict__ partial,     // [ceil(n/256)]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? x[i] * y[i] : 0.0f;
    for (int lanes = 1; lanes < 32; lanes *= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, lanes);
    }
    __shared__ float sums[8];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; ++warp) sum += sums[warp];
        partial[blockIdx.x] = sum;
    }
}
