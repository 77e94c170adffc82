// Wrong: lanes behind the end are not at the shuffle that names them.
extern "C" __global__
void reduction_dot(
    const float* __restrict__ x,     // [n]
    const float* __restrict__ y,     // [n]
    float* __restrict__ partial,     // [ceil(n/256)]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (i < n) {
        sum = x[i] * y[i];
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        }
    }
    __shared__ float sums[8];
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < 8 ? sums[threadIdx.x] : 0.0f;
        for (int offset = 4; offset > 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        }
        if (threadIdx.x == 0) partial[blockIdx.x] = sum;
    }
}
