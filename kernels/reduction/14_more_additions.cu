// reduction/14_more_additions: a control: every element goes through MORE
//     further additions before it is added to the sum.
//
// partial[block] = sum of the block's tiles of in: block, block + blocks, ...
//
// Changed:  an element is added -> MORE additions of zero first
//           (from 07_vectors)
// Launch:   block (THREADS), grid (PER_SM*SMs)
// Defines:  THREADS = 256, LOADS = 4, PER_SM = 8, MORE = 0
// Cost:     4*n bytes, n*(MORE+1) flops
// Assumes:  THREADS a multiple of 32; in starts at a multiple of 16 bytes;
//           n + 4*threads*LOADS < 2^31; zero is 0
#ifndef THREADS
#define THREADS 256
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef PER_SM
#define PER_SM 8
#endif
#ifndef MORE
#define MORE 0
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

// The same value after MORE further additions, each of which waits for the
// one before. The compiler does not know that zero is 0.
__device__ __forceinline__ float more(float value, float zero)
{
    #pragma unroll
    for (int k = 0; k < MORE; ++k)
        value += zero;
    return value;
}

// What a thread adds up: LOADS float4 of each of its block's tiles.
__device__ __forceinline__ float thread_sum(
    const float* in, int n, float zero)
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
            sum += (more(held[k].x, zero) + more(held[k].y, zero))
                + (more(held[k].z, zero) + more(held[k].w, zero));
    }
    // The elements that fill no tile, one at a time.
    int done = 4 * tiles * TILE;
    #pragma unroll 1
    for (int i = done + blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        sum += more(in[i], zero);
    return sum;
}

extern "C" __global__
void reduction_more_additions(
    const float* __restrict__ in,    // [n]
    float* __restrict__ partial,     // [blocks]
    int n, float zero)
{
    float sum = block_sum(thread_sum(in, n, zero));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
}
