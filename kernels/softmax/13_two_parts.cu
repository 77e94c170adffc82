// softmax/13_two_parts: a thread keeps two Parts, which take turns, so that
//     an element need not wait for the one before it.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  one Part of a thread -> two, merged at the end   (from 02_online)
// Launch:   block (THREADS), grid (rows)
// Defines:  THREADS = 256
// Cost:     8*rows*cols bytes, 3*rows*cols flops
// Assumes:  THREADS a multiple of 32
#ifndef THREADS
#define THREADS 256
#endif
#define LOWEST -3.402823466e38f   // of all finite floats

// Of some elements: the greatest, and the sum of exp(element - max).
struct Part { float max, sum; };

// The Part of the elements of both.
__device__ __forceinline__ Part merged(Part a, Part b)
{
    float max = fmaxf(a.max, b.max);
    return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

// Takes one more element into a Part.
__device__ __forceinline__ void take(Part& part, float value)
{
    if (value > part.max) {   // what is summed up so far is too large
        part.sum *= expf(part.max - value);
        part.max = value;
    }
    part.sum += expf(value - part.max);
}

__device__ __forceinline__ Part warp_merged(Part part)
{
    for (int far = 16; far > 0; far /= 2)
        part = merged(part, {__shfl_xor_sync(0xffffffff, part.max, far),
                             __shfl_xor_sync(0xffffffff, part.sum, far)});
    return part;
}

// The Part of all elements of a block; every thread has it.
__device__ __forceinline__ Part block_merged(Part part)
{
    __shared__ Part of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    part = warp_merged(part);
    if (lane == 0) of_warp[warp] = part;
    __syncthreads();
    return warp_merged(lane < blockDim.x / 32 ? of_warp[lane]
                                              : Part{LOWEST, 0.0f});
}

extern "C" __global__
void softmax_two_parts(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    const float* row = in + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;
    Part part = {LOWEST, 0.0f}, other = {LOWEST, 0.0f};
    for (int c = threadIdx.x; c < cols; c += 2 * THREADS) {
        take(part, row[c]);
        if (c + THREADS < cols) take(other, row[c + THREADS]);
    }
    part = merged(part, other);
    part = block_merged(part);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        result[c] = expf(row[c] - part.max) / part.sum;
}
