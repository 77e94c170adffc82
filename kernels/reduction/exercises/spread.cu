// reduction/exercises/spread: the largest element minus the smallest, in one
//     launch and one reading.
//
// spread[0] = max of in - min of in
//
// Launch:   block (256), grid (BLOCKS)
// Defines:  BLOCKS = 6
// Cost:     4*n bytes, 2*n flops
// Assumes:  n + 256*BLOCKS < 2^31; no element is NaN;
//           arrived is 0 before the first launch, and 0 again after each
//
// Each block's smallest and largest element are found already; thread 0 has
// them. Asked: the block that arrives last brings the blocks' results
// together, one atomic and one fence (or two) a block, and in read once.
#ifndef BLOCKS
#define BLOCKS 6
#endif
#define INF __int_as_float(0x7f800000)

// The smallest and the largest of a block's values; thread 0 has both.
__device__ __forceinline__ void bring_together(float& low, float& high)
{
    __shared__ float lows[8], highs[8];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int offset = 16; offset > 0; offset /= 2) {
        low = fminf(low, __shfl_down_sync(0xffffffff, low, offset));
        high = fmaxf(high, __shfl_down_sync(0xffffffff, high, offset));
    }
    __syncthreads();   // who reads what an earlier call left is done
    if (lane == 0) {
        lows[warp] = low;
        highs[warp] = high;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int other = 1; other < 8; ++other) {
            low = fminf(low, lows[other]);
            high = fmaxf(high, highs[other]);
        }
    }
}

extern "C" __global__
void reduction_spread(
    const float* __restrict__ in,    // [n]
    float* lows,                     // [BLOCKS]
    float* highs,                    // [BLOCKS]
    unsigned* arrived,               // [1]
    float* __restrict__ spread,      // [1]
    int n)
{
    float low = INF, high = -INF;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        low = fminf(low, in[i]);
        high = fmaxf(high, in[i]);
    }
    bring_together(low, high);
    // YOUR CODE 1: store them, draw a ticket (about 10 lines)
    // YOUR CODE 2: what the last block does (about 8 lines)
}
