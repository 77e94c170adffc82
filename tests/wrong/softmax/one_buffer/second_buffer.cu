// Wrong: right, with a second buffer.
__device__ __forceinline__ float warp_max(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, far));
    return value;
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

extern "C" __global__
void softmax_one_buffer(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    __shared__ float of_warp[8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float* row = in + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;

    float max = -3.402823466e38f, sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 256) max = fmaxf(max, row[c]);
    max = warp_max(max);
    if (lane == 0) of_warp[warp] = max;
    __syncthreads();
    max = warp_max(of_warp[lane % 8]);

    for (int c = threadIdx.x; c < cols; c += 256) sum += expf(row[c] - max);
    sum = warp_sum(sum);
    __shared__ float sums[8];
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < 8; ++w) sum += sums[w];

    for (int c = threadIdx.x; c < cols; c += 256)
        result[c] = expf(row[c] - max) / sum;
}
