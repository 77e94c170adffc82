// Wrong: right sums, but the whole tree is in shared memory.
extern "C" __global__
void reduction_dot(
    const float* __restrict__ x,     // [n]
    const float* __restrict__ y,     // [n]
    float* __restrict__ partial,     // [ceil(n/256)]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float sums[256];
    sums[threadIdx.x] = i < n ? x[i] * y[i] : 0.0f;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sums[0];
}
