// softmax/09_bfloat16: numbers of 16 bits in memory, float in between: half
//     the bytes, and an exponential with fewer instructions.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  words of four floats -> words of eight bfloat16, expf -> __expf
//           if FAST                                   (from 04_one_meeting)
// Launch:   block (32*ceil(cols/(32*VEC*ITEMS))), grid (rows)
// Defines:  VEC = 8, ITEMS = 4, FAST = 1
// Cost:     4*rows*cols bytes, 3*rows*cols flops
// Assumes:  sm_90; cols a multiple of VEC, and at most 1024*VEC*ITEMS, or the
//           block has too many threads; in and out start at multiples of
//           2*VEC bytes
#ifndef VEC
#define VEC 8
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef FAST
#define FAST 1
#endif
#define LOWEST -3.402823466e38f   // of all finite floats
#define NOTHING __int_as_float(0xff800000)   // minus infinity: exp gives 0

struct alignas(2 * VEC) Word { unsigned short at[VEC]; };

// A bfloat16 is the upper half of a float.
__device__ __forceinline__ float widened(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}

// Rounded to the nearest bfloat16.
__device__ __forceinline__ unsigned short rounded(float value)
{
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

__device__ __forceinline__ float exponential(float x)
{
    return FAST ? __expf(x) : expf(x);
}

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
    return {max, warp_sum(part.sum * exponential(part.max - max))};
}

extern "C" __global__
void __launch_bounds__(1024) softmax_bfloat16(
    const unsigned short* __restrict__ in,   // [rows, cols]
    unsigned short* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)blockIdx.x * cols);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)blockIdx.x * cols);
    int words = cols / VEC;
    float held[ITEMS][VEC];
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        if (w < words) {
            Word word = row[w];
            for (int e = 0; e < VEC; ++e) held[k][e] = widened(word.at[e]);
        } else
            for (int e = 0; e < VEC; ++e) held[k][e] = NOTHING;
    }
    Part part = {LOWEST, 0.0f};   // of this thread, then of its warp
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e)
            part.max = fmaxf(part.max, held[k][e]);
    part.max = warp_max(part.max);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e) {
            held[k][e] = exponential(held[k][e] - part.max);
            part.sum += held[k][e];
        }
    part.sum = warp_sum(part.sum);
    Part all = block_merged(part);
    float scale = exponential(part.max - all.max) / all.sum;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        Word word;
        for (int e = 0; e < VEC; ++e)
            word.at[e] = rounded(held[k][e] * scale);
        if (w < words) result[w] = word;
    }
}
