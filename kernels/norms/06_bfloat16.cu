// norms/06_bfloat16: norms of numbers of 16 bits: a layer norm, or an RMS
//     norm (RMS = 1). Words stay as they came, two numbers a register.
//
// out[r, c] = (in[r, c] - mean) / sqrt(variance + eps) * weight[c] + bias[c],
// or with RMS, in[r, c] / sqrt(mean of in[r, c]^2 + eps) * weight[c]
//
// Changed:  float -> bfloat16 in memory                    (from 03_merged)
// Launch:   block (32*ceil(cols/(32*VEC*ITEMS))), grid (rows)
// Defines:  RMS = 0, VEC = 8, ITEMS = 4
// Cost:     4*rows*cols + 4*cols bytes, 8*rows*cols flops
// Assumes:  sm_90; cols a multiple of VEC, and at most 512*VEC*ITEMS, or the
//           block has too many threads; all arrays start at multiples of
//           2*VEC bytes
#ifndef RMS
#define RMS 0
#endif
#ifndef VEC
#define VEC 8
#endif
#ifndef ITEMS
#define ITEMS 4
#endif

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

// Lets the compiler forget what it has made of a word: it would keep the
// eight floats, which take twice the registers.
__device__ __forceinline__ void forget(Word& word)
{
    if (VEC == 8) {
        uint4& bits = reinterpret_cast<uint4&>(word);
        asm volatile("" : "+r"(bits.x), "+r"(bits.y), "+r"(bits.z),
                          "+r"(bits.w));
    }
}

// Of some elements: how many, their mean, and the sum of the squares of what
// lies apart from that mean.
struct Part { float count, mean, squares; };

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
}

// The Part of the elements that all lanes have together.
__device__ __forceinline__ Part warp_merged(Part part)
{
    float count = warp_sum(part.count);
    float mean = warp_sum(part.count * part.mean) / fmaxf(count, 1.0f);
    float apart = part.mean - mean;
    return {count, mean,
            warp_sum(part.squares + part.count * apart * apart)};
}

// The Part of the elements that the warps have; every thread has it.
__device__ __forceinline__ Part block_merged(Part part)
{
    __shared__ Part of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) of_warp[warp] = part;
    __syncthreads();
    part = lane < blockDim.x / 32 ? of_warp[lane] : Part{};
    return warp_merged(part);
}

extern "C" __global__
void __launch_bounds__(512, 2) norms_bfloat16(
    const unsigned short* __restrict__ in,       // [rows, cols]
    const unsigned short* __restrict__ weight,   // [cols]
    const unsigned short* __restrict__ bias,     // [cols], not with RMS
    unsigned short* __restrict__ out,            // [rows, cols]
    int rows, int cols, float eps)
{
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)blockIdx.x * cols);
    int words = cols / VEC;
    Word held[ITEMS];
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        held[k] = w < words ? row[w] : Word{};   // zeros behind the row
    }
    int mine = 0;   // how many of the held elements belong to the row
    float sum = 0.0f, squares = 0.0f;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (threadIdx.x + k * blockDim.x < words) mine += VEC;
        for (int e = 0; e < VEC; ++e) sum += widened(held[k].at[e]);
        forget(held[k]);
    }
    float count = warp_sum(mine);
    float middle = RMS ? 0.0f : warp_sum(sum) / fmaxf(count, 1.0f);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        for (int e = 0; e < VEC; ++e) {
            float apart = widened(held[k].at[e]) - middle;
            if (threadIdx.x + k * blockDim.x < words)
                squares += apart * apart;
        }
        forget(held[k]);
    }
    Part all = block_merged({count, middle, warp_sum(squares)});
    float mean = all.mean;
    float scale = rsqrtf(all.squares / cols + eps);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)blockIdx.x * cols);
    const Word* scales = reinterpret_cast<const Word*>(weight);
    const Word* shifts = reinterpret_cast<const Word*>(bias);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        if (w < words) {
            Word by = scales[w], plus = RMS ? Word{} : shifts[w];
            for (int e = 0; e < VEC; ++e)
                held[k].at[e] = rounded(
                    (widened(held[k].at[e]) - mean) * scale
                        * widened(by.at[e]) + widened(plus.at[e]));
            result[w] = held[k];
        }
    }
}
