// reduction/05_first_add: a thread loads two elements and adds them before
//     the tree begins: half the trees, half the blocks.
//
// partial[block] = sum of the block's 2*THREADS elements of in
//
// Changed:  one element a thread -> two, THREADS apart     (from 04_shuffles)
// Launch:   block (THREADS), grid (ceil(n/(2*THREADS)))
// Defines:  THREADS = 256
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a multiple of 32; n + 2*THREADS < 2^31
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
void reduction_first_add(
    const float* __restrict__ in,    // [n]
    float* __restrict__ partial,     // [blocks]
    int n)
{
    int i = 2 * blockIdx.x * THREADS + threadIdx.x;
    float left = i < n ? in[i] : 0.0f;
    float right = i + THREADS < n ? in[i + THREADS] : 0.0f;
    float sum = block_sum(left + right);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
}
