// softmax/04_one_meeting: a warp takes its own maximum and its own sum, and
//     the warps merge them at one barrier instead of two.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  block_max, then block_sum -> one merge of Parts
//           (from 03_registers)
// Launch:   block (32*ceil(cols/(32*VEC*ITEMS))), grid (rows)
// Defines:  VEC = 4, ITEMS = 4
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  cols a multiple of VEC, and at most 1024*VEC*ITEMS, or the block
//           has too many threads; in and out start at multiples of 4*VEC
//           bytes
#ifndef VEC
#define VEC 4
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0

struct alignas(4 * VEC) Word { float at[VEC]; };

// Of some elements: the greatest, and the sum of exp(element - max).
struct Part { float max, sum; };

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

// The Part of the elements that the warps have; every thread has it.
__device__ __forceinline__ Part block_merged(Part part)
{
    __shared__ Part of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) of_warp[warp] = part;
    __syncthreads();
    part = lane < blockDim.x / 32 ? of_warp[lane] : Part{LOWEST, 0.0f};
    float max = warp_max(part.max);
    return {max, warp_sum(part.sum * expf(part.max - max))};
}

extern "C" __global__
void __launch_bounds__(1024) softmax_one_meeting(
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
    Part part = {LOWEST, 0.0f};   // of this thread, then of its warp
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e)
            part.max = fmaxf(part.max, held[k].at[e]);
    part.max = warp_max(part.max);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e) {
            held[k].at[e] = expf(held[k].at[e] - part.max);
            part.sum += held[k].at[e];
        }
    part.sum = warp_sum(part.sum);
    Part all = block_merged(part);
    float scale = expf(part.max - all.max) / all.sum;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        for (int e = 0; e < VEC; ++e) held[k].at[e] *= scale;
        if (w < words) result[w] = held[k];
    }
}
