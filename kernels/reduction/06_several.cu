// reduction/06_several: as many blocks as fit at once. A thread adds up many
//     elements, and loads LOADS of them before it adds the first.
//
// partial[block] = sum of the block's tiles of in: block, block + blocks, ...
//
// Changed:  two elements a thread -> a loop over tiles of LOADS elements for
//           each thread; one tree a block             (from 05_first_add)
// Launch:   block (THREADS), grid (PER_SM*SMs)
// Defines:  THREADS = 256, LOADS = 1, PER_SM = 8
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a multiple of 32; n + threads*LOADS < 2^31
#ifndef THREADS
#define THREADS 256
#endif
#ifndef LOADS
#define LOADS 1
#endif
#ifndef PER_SM
#define PER_SM 8
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

// What a thread adds up: LOADS elements of each of its block's tiles.
__device__ __forceinline__ float thread_sum(const float* in, int n)
{
    const int TILE = THREADS * LOADS;   // elements that a block loads at once
    int tiles = n / TILE;
    float sum = 0.0f;
    #pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int first = tile * TILE + threadIdx.x;
        float held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = in[first + k * THREADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            sum += held[k];
    }
    // The elements that fill no tile, one at a time.
    int done = tiles * TILE;
    #pragma unroll 1
    for (int i = done + blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        sum += in[i];
    return sum;
}

extern "C" __global__
void reduction_several(
    const float* __restrict__ in,    // [n]
    float* __restrict__ partial,     // [blocks]
    int n)
{
    float sum = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
}
