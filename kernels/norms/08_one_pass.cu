// norms/08_one_pass: one pass finds the sum and the sum of the squares; the
//     variance is the mean of the squares less the square of the mean.
//
// out[r, c] = (in[r, c] - mean) / sqrt(variance + eps) * weight[c] + bias[c]
//
// Changed:  two passes for mean and variance -> one   (from 07_three_passes)
// Launch:   block (THREADS), grid (rows)
// Defines:  THREADS = 256, NUMBER = float
// Cost:     8*rows*cols + 8*cols bytes, 8*rows*cols flops
// Assumes:  THREADS a multiple of 32
#ifndef THREADS
#define THREADS 256
#endif
// What is added up, and the variance.
#ifndef NUMBER
#define NUMBER float
#endif

__device__ __forceinline__ NUMBER warp_sum(NUMBER value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// The sum over a block; every thread has it. Each call has its own memory.
template <int CALL>
__device__ __forceinline__ NUMBER block_sum(NUMBER value)
{
    __shared__ NUMBER of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    return warp_sum(lane < THREADS / 32 ? of_warp[lane] : NUMBER(0));
}

extern "C" __global__
void norms_one_pass(
    const float* __restrict__ in,       // [rows, cols]
    const float* __restrict__ weight,   // [cols]
    const float* __restrict__ bias,     // [cols]
    float* __restrict__ out,            // [rows, cols]
    int rows, int cols, float eps)
{
    const float* row = in + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;
    NUMBER sum = 0, squares = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        NUMBER value = row[c];
        sum += value;
        squares += value * value;
    }
    NUMBER middle = block_sum<0>(sum) / cols;
    NUMBER variance = block_sum<1>(squares) / cols - middle * middle;
    float mean = middle;
    float scale = rsqrtf(fmaxf(variance, 0.0f) + eps);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        result[c] = (row[c] - mean) * scale * weight[c] + bias[c];
}
