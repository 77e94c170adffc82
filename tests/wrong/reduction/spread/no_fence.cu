// Wrong: a block may draw its ticket before its results can be seen.
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
    __shared__ bool last;
    if (threadIdx.x == 0) {
        lows[blockIdx.x] = low;
        highs[blockIdx.x] = high;
        last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        bool mine = threadIdx.x < gridDim.x;
        low = mine ? __ldcg(&lows[threadIdx.x]) : INF;
        high = mine ? __ldcg(&highs[threadIdx.x]) : -INF;
        bring_together(low, high);
        if (threadIdx.x == 0) spread[0] = high - low;
    }
}
