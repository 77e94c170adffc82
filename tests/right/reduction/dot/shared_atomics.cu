// Right: the warps add to one float of shared memory by atomics.
extern "C" __global__
void reduction_dot(
    const float* __restrict__ x,     // [n]
    const float* __restrict__ y,     // [n]
    float* __restrict__ partial,     // [ceil(n/256)]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? x[i] * y[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    __shared__ float total;
    if (threadIdx.x == 0) total = 0.0f;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0) partial[blockIdx.x] = total;
}
