// softmax/05_shared: the row waits in shared memory, where 16 bytes at a time
//     arrive without passing through a register; a thread reads its own.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  registers -> shared memory, of which a row takes what it needs
//           (from 04_one_meeting)
// Launch:   block (THREADS), grid (rows), shared_bytes 4*cols
// Defines:  VEC = 4, THREADS = 512
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  sm_80; cols a multiple of VEC; in and out start at multiples of
//           4*VEC bytes; THREADS a multiple of 32; a row fits a block's
//           shared memory
#ifndef VEC
#define VEC 4
#endif
#ifndef THREADS
#define THREADS 512
#endif
#define LOWEST -3.402823466e38f   // of all finite floats

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

// Global to shared memory, a word, with no register in between.
__device__ __forceinline__ void copy_async(Word* to, const Word* from)
{
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
#if VEC == 4
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"(place), "l"(from) : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :: "r"(place), "l"(from), "n"(4 * VEC) : "memory");
#endif
}

extern "C" __global__
void __launch_bounds__(THREADS) softmax_shared(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    extern __shared__ Word held[];
    const Word* row = reinterpret_cast<const Word*>(
        in + (long long)blockIdx.x * cols);
    Word* result = reinterpret_cast<Word*>(
        out + (long long)blockIdx.x * cols);
    int words = cols / VEC;
    for (int w = threadIdx.x; w < words; w += THREADS)
        copy_async(held + w, row + w);
    asm volatile("cp.async.wait_all;" ::: "memory");   // for this thread's
    Part part = {LOWEST, 0.0f};   // of this thread, then of its warp
    for (int w = threadIdx.x; w < words; w += THREADS) {
        Word word = held[w];
        for (int e = 0; e < VEC; ++e)
            part.max = fmaxf(part.max, word.at[e]);
    }
    part.max = warp_max(part.max);
    for (int w = threadIdx.x; w < words; w += THREADS) {
        Word word = held[w];
        for (int e = 0; e < VEC; ++e) {
            word.at[e] = expf(word.at[e] - part.max);
            part.sum += word.at[e];
        }
        held[w] = word;
    }
    part.sum = warp_sum(part.sum);
    Part all = block_merged(part);
    float scale = expf(part.max - all.max) / all.sum;
    for (int w = threadIdx.x; w < words; w += THREADS) {
        Word word = held[w];
        for (int e = 0; e < VEC; ++e) word.at[e] *= scale;
        result[w] = word;
    }
}
