// reduction/13_slow_tree: a control: the sum of many elements a thread, with
//     the slowest tree of all at its end.
//
// partial[block] = sum of the block's tiles of in: block, block + blocks, ...
//
// Changed:  a tree of shuffles -> the tree of 01_interleaved
//           (from 07_vectors)
// Launch:   block (THREADS), grid (PER_SM*SMs)
// Defines:  THREADS = 256, LOADS = 4, PER_SM = 8
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a power of two, 32 or more; in starts at a multiple of
//           16 bytes; n + 4*threads*LOADS < 2^31
#ifndef THREADS
#define THREADS 256
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef PER_SM
#define PER_SM 8
#endif

// The sum over a block; thread 0 has it. The slowest tree there is, that of
// 01_interleaved: eight levels, a division and a barrier at each.
__device__ __forceinline__ float block_sum(float value)
{
    __shared__ float sums[THREADS];
    int thread = threadIdx.x;
    sums[thread] = value;
    __syncthreads();
    #pragma unroll 1
    for (int stride = 1; stride < THREADS; stride *= 2) {
        if (thread % (2 * stride) == 0) {
            sums[thread] += sums[thread + stride];
        }
        __syncthreads();
    }
    return sums[0];
}

// What a thread adds up: LOADS float4 of each of its block's tiles.
__device__ __forceinline__ float thread_sum(const float* in, int n)
{
    const float4* quads = reinterpret_cast<const float4*>(in);
    const int TILE = THREADS * LOADS;   // float4 that a block loads at once
    int tiles = n / (4 * TILE);
    float sum = 0.0f;
    #pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int first = tile * TILE + threadIdx.x;
        float4 held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = quads[first + k * THREADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            sum += (held[k].x + held[k].y) + (held[k].z + held[k].w);
    }
    // The elements that fill no tile, one at a time.
    int done = 4 * tiles * TILE;
    #pragma unroll 1
    for (int i = done + blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        sum += in[i];
    return sum;
}

extern "C" __global__
void reduction_slow_tree(
    const float* __restrict__ in,    // [n]
    float* __restrict__ partial,     // [blocks]
    int n)
{
    float sum = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
}
