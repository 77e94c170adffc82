// norms/03_merged: layer norm in one meeting. A warp takes its own mean and
//     the squares apart from it, and warps merge these by Chan's rule.
//
// out[r, c] = (in[r, c] - mean) / sqrt(variance + eps) * weight[c] + bias[c]
//
// Changed:  sums and sums of squares -> means and squares apart from them
//           (from 02_squares)
// Launch:   block (32*ceil(cols/(32*VEC*ITEMS))), grid (rows)
// Defines:  VEC = 4, ITEMS = 4
// Cost:     8*rows*cols + 8*cols bytes, 8*rows*cols flops
// Assumes:  cols a multiple of VEC, and at most 1024*VEC*ITEMS, or the block
//           has too many threads; all arrays start at multiples of 4*VEC
//           bytes
#ifndef VEC
#define VEC 4
#endif
#ifndef ITEMS
#define ITEMS 4
#endif

struct alignas(4 * VEC) Word { float at[VEC]; };

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
void __launch_bounds__(1024) norms_merged(
    const float* __restrict__ in,       // [rows, cols]
    const float* __restrict__ weight,   // [cols]
    const float* __restrict__ bias,     // [cols]
    float* __restrict__ out,            // [rows, cols]
    int rows, int cols, float eps)
{
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)blockIdx.x * cols);
    int words = cols / VEC;
    Word held[ITEMS];
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        if (w < words)
            held[k] = row[w];
        else
            for (int e = 0; e < VEC; ++e) held[k].at[e] = 0.0f;
    }
    int mine = 0;   // how many of the held elements belong to the row
    float sum = 0.0f, squares = 0.0f;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (threadIdx.x + k * blockDim.x < words) mine += VEC;
        for (int e = 0; e < VEC; ++e) sum += held[k].at[e];
    }
    float count = warp_sum(mine);
    float middle = warp_sum(sum) / fmaxf(count, 1.0f);   // mean of the warp
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e) {
            float apart = held[k].at[e] - middle;
            if (threadIdx.x + k * blockDim.x < words)
                squares += apart * apart;
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
            Word by = scales[w], plus = shifts[w];
            for (int e = 0; e < VEC; ++e)
                held[k].at[e] = (held[k].at[e] - mean) * scale * by.at[e]
                              + plus.at[e];
            result[w] = held[k];
        }
    }
}
