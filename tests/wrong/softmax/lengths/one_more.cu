// Wrong: off by one: the element behind the last counts as well.
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
void softmax_lengths(
    const float* __restrict__ in,      // [rows, cols]
    const int* __restrict__ lengths,   // [rows]
    float* __restrict__ out,           // [rows, cols]
    int rows, int cols)
{
    int r = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (r >= rows) return;   // a whole warp, and there is no barrier
    const float* row = in + (long long)r * cols;
    float* result = out + (long long)r * cols;
    float max = -3.402823466e38f, sum = 0.0f;
    int count = min(lengths[r] + 1, cols);
    for (int c = lane; c < count; c += 32) max = fmaxf(max, row[c]);
    max = warp_max(max);
    for (int c = lane; c < count; c += 32) sum += expf(row[c] - max);
    sum = warp_sum(sum);
    for (int c = lane; c < cols; c += 32)
        result[c] = c < count ? expf(row[c] - max) / sum : 0.0f;
}
