// reduction/04_shuffles: a warp adds up in registers: each lane takes its
//     neighbour's sum by a shuffle. Shared memory holds a sum for each warp.
//
// partial[block] = sum of the block's THREADS elements of in
//
// Changed:  rewrite: five levels of the tree inside each warp need neither
//           shared memory nor a barrier               (from 03_sequential)
// Launch:   block (THREADS), grid (ceil(n/THREADS))
// Defines:  THREADS = 256
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a multiple of 32; n + THREADS < 2^31
#ifndef THREADS
#define THREADS 256
#endif

// The sum over a warp; lane 0 has it.
__device__ __forceinline__ float warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffff, value, offset);
    }
    return value;
}

// The sum over a block; thread 0 has it.
__device__ __forceinline__ float block_sum(float value)
{
    __shared__ float sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_sum(lane < THREADS / 32 ? sums[lane] : 0.0f);
    }
    return value;
}

extern "C" __global__
void reduction_shuffles(
    const float* __restrict__ in,    // [n]
    float* __restrict__ partial,     // [blocks]
    int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = block_sum(i < n ? in[i] : 0.0f);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
}
