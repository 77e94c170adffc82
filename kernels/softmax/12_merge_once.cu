// softmax/12_merge_once: a warp finds its maximum first, and then each lane
//     rescales its sum once, where 02_online rescales at each of five levels.
//
// out[r, c] = exp(in[r, c] - max) / sum
//
// Changed:  five merges of Parts -> a maximum, one rescaling, a sum
//           (from 02_online)
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

__device__ __forceinline__ Part warp_merged(Part part)
{
    float max = part.max;
    for (int far = 16; far > 0; far /= 2)
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, far));
    float sum = part.sum * expf(part.max - max);
    for (int far = 16; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, far);
    return {max, sum};
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
void softmax_merge_once(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    const float* row = in + (long long)blockIdx.x * cols;
    float* result = out + (long long)blockIdx.x * cols;
    Part part = {LOWEST, 0.0f};
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        float value = row[c];
        if (value > part.max) {   // what is summed up so far is too large
            part.sum *= expf(part.max - value);
            part.max = value;
        }
        part.sum += expf(value - part.max);
    }
    part = block_merged(part);
    for (int c = threadIdx.x; c < cols; c += THREADS)
        result[c] = expf(row[c] - part.max) / part.sum;
}
