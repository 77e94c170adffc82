// softmax/03_registers: a block reads its row once and keeps it: every
//     thread holds ITEMS words of VEC floats in registers.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  three passes over memory -> three over registers
//           (from 01_three_passes)
// Launch:   block (32*ceil(cols/(32*VEC*ITEMS))), grid (rows)
// Defines:  VEC = 1, ITEMS = 16
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  cols a multiple of VEC, and at most 1024*VEC*ITEMS, or the block
//           has too many threads; in and out start at multiples of 4*VEC
//           bytes
#ifndef VEC
#define VEC 1
#endif
#ifndef ITEMS
#define ITEMS 16
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0

struct alignas(4 * VEC) Word { float at[VEC]; };

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
void __launch_bounds__(1024) softmax_registers(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)blockIdx.x * cols);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)blockIdx.x * cols);
    int words = cols / VEC;
    Word held[ITEMS];
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        if (w < words)
            held[k] = row[w];
        else
            for (int e = 0; e < VEC; ++e) held[k].at[e] = NOTHING;
    }
    float max = LOWEST, sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e) max = fmaxf(max, held[k].at[e]);
    max = block_max(max);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e) {
            held[k].at[e] = expf(held[k].at[e] - max);
            sum += held[k].at[e];
        }
    float scale = 1.0f / block_sum(sum);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        for (int e = 0; e < VEC; ++e) held[k].at[e] *= scale;
        if (w < words) result[w] = held[k];
    }
}
