// norms/07_three_passes: layer norm as it is defined. A block reads its row
//     three times: for the mean, for the variance, for the results.
//
// out[r, c] = (in[r, c] - mean) / sqrt(variance + eps) * weight[c] + bias[c]
//
// Changed:  a row that is kept -> a row that is read in each pass
//           (from 01_two_meetings)
// Launch:   block (THREADS), grid (rows)
// Defines:  THREADS = 256
// Cost:     8*rows*cols + 8*cols bytes, 8*rows*cols flops
// Assumes:  THREADS a multiple of 32
#ifndef THREADS
#define THREADS 256
#endif

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// The sum over a block; every thread has it. Each call has its own memory.
template <int CALL>
__device__ __forceinline__ float block_sum(float value)
{
    __shared__ float of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    return warp_sum(lane < THREADS / 32 ? of_warp[lane] : 0.0f);
}

extern "C" __global__
void norms_three_passes(
    const float* __restrict__ in,       // [rows, cols]
    const float* __restrict__ weight,   // [cols]
    const float* __restrict__ bias,     // [cols]
    float* __restrict__ out,            // [rows, cols]
    int rows, int cols, float eps)
{
    const float* row = in + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int c = threadIdx.x; c < cols; c += THREADS) sum += row[c];
    float mean = block_sum<0>(sum) / cols;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        float apart = row[c] - mean;
        squares += apart * apart;
    }
    float variance = block_sum<1>(squares) / cols;
    float scale = rsqrtf(variance + eps);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        result[c] = (row[c] - mean) * scale * weight[c] + bias[c];
}
