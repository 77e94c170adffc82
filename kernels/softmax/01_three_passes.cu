// softmax/01_three_passes: a block has a row and reads it three times: for
//     the maximum, for the sum, for the result.
//
// out[r, c] = exp(in[r, c] - max) / sum,   max: the greatest of row r,
//                                          sum: of exp(in[r, c] - max)
//
// Launch:   block (THREADS), grid (rows)
// Defines:  THREADS = 256, MAXIMUM = 1
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  THREADS a multiple of 32
#ifndef THREADS
#define THREADS 256
#endif
#ifndef MAXIMUM
#define MAXIMUM 1
#endif
#define LOWEST -3.402823466e38f   // of all finite floats

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

// The maximum over a block; every thread has it.
__device__ __forceinline__ float block_max(float value)
{
    __shared__ float of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_max(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    return warp_max(lane < blockDim.x / 32 ? of_warp[lane] : LOWEST);
}

// The sum over a block; every thread has it.
__device__ __forceinline__ float block_sum(float value)
{
    __shared__ float of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    return warp_sum(lane < blockDim.x / 32 ? of_warp[lane] : 0.0f);
}

extern "C" __global__
void softmax_three_passes(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    const float* row = in + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;
    float max = LOWEST, sum = 0.0f;
    if (MAXIMUM) {
        for (int c = threadIdx.x; c < cols; c += THREADS)
            max = fmaxf(max, row[c]);
        max = block_max(max);
    } else {
        max = 0.0f;   // what the formula of the schoolbook does
    }
    for (int c = threadIdx.x; c < cols; c += THREADS)
        sum += expf(row[c] - max);
    sum = block_sum(sum);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        result[c] = expf(row[c] - max) / sum;
}
