// norms/04_rms: RMS norm. No mean is taken away, so what warps have to tell
//     one another is one number, the sum of the squares.
//
// out[r, c] = in[r, c] / sqrt(mean over c of in[r, c]^2 + eps) * weight[c]
//
// Changed:  mean and variance -> mean of the squares   (from 01_two_meetings)
// Launch:   block (32*ceil(cols/(32*VEC*ITEMS))), grid (rows)
// Defines:  VEC = 4, ITEMS = 4
// Cost:     8*rows*cols + 4*cols bytes, 4*rows*cols flops
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

__device__ __forceinline__ float warp_sum(float value)
{
    for (int far = 16; far > 0; far /= 2)
        value += __shfl_xor_sync(0xffffffff, value, far);
    return value;
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
void __launch_bounds__(1024) norms_rms(
    const float* __restrict__ in,       // [rows, cols]
    const float* __restrict__ weight,   // [cols]
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
    float squares = 0.0f;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        for (int e = 0; e < VEC; ++e)
            squares += held[k].at[e] * held[k].at[e];
    float scale = rsqrtf(block_sum(squares) / cols + eps);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)blockIdx.x * cols);
    const Word* scales = reinterpret_cast<const Word*>(weight);
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int w = threadIdx.x + k * blockDim.x;
        if (w < words) {
            Word by = scales[w];
            for (int e = 0; e < VEC; ++e)
                held[k].at[e] = held[k].at[e] * scale * by.at[e];
            result[w] = held[k];
        }
    }
}
