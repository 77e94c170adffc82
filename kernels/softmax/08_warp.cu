// softmax/08_warp: a short row needs no block: a warp has it to itself, and
//     nobody meets anybody.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  a block a row -> a warp a row           (from 03_registers)
// Launch:   block (32*ceil(cols/(32*VEC*ITEMS)), ROWS),
//           grid (ceil(rows/ROWS))
// Defines:  VEC = 4, ITEMS = 8, ROWS = 4
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  cols a multiple of VEC, and at most 32*VEC*ITEMS, or the block
//           has too many threads; in and out start at multiples of 4*VEC
//           bytes
#ifndef VEC
#define VEC 4
#endif
#ifndef ITEMS
#define ITEMS 8
#endif
#ifndef ROWS
#define ROWS 4
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

extern "C" __global__
void __launch_bounds__(32 * ROWS) softmax_warp(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    int r = blockIdx.x * ROWS + threadIdx.y;
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)r * cols);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)r * cols);
    int words = r < rows ? cols / VEC : 0;
    Word held[ITEMS];
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * 32;
        if (w < words)
            held[k] = row[w];
        else
            for (int e = 0; e < VEC; ++e) held[k].at[e] = NOTHING;
    }
    float max = LOWEST, sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e) max = fmaxf(max, held[k].at[e]);
    max = warp_max(max);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e) {
            held[k].at[e] = expf(held[k].at[e] - max);
            sum += held[k].at[e];
        }
    float scale = 1.0f / warp_sum(sum);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * 32;
        for (int e = 0; e < VEC; ++e) held[k].at[e] *= scale;
        if (w < words) result[w] = held[k];
    }
}
