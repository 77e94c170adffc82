// Wrong: it stores the sums and reads them again.
__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// The sum over a block; every thread has it.
__device__ __forceinline__ float block_sum(float value)
{
    __shared__ float of_warp[4];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    return of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
}

extern "C" __global__
void norms_add_rms(
    const float* __restrict__ in,         // [rows, cols]
    const float* __restrict__ residual,   // [rows, cols]
    const float* __restrict__ weight,     // [cols]
    float* __restrict__ total,            // [rows, cols]
    float* __restrict__ out,              // [rows, cols]
    int rows, int cols, float eps)
{
    const float* a = in + (long long)blockIdx.x * cols;
    const float* b = residual + (long long)blockIdx.x * cols;
    float* sums = total + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;
    float squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 128) {
        float sum = a[c] + b[c];
        sums[c] = sum;
        squares += sum * sum;
    }
    float scale = rsqrtf(block_sum(squares) / cols + eps);
    for (int c = threadIdx.x; c < cols; c += 128)
        result[c] = sums[c] * scale * weight[c];
}
