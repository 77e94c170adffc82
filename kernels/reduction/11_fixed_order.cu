// reduction/11_fixed_order: a block for every tile. The GPU deals out the
//     blocks as SMs become free, and who adds what depends on n alone.
//
// total[0] = sum of in
//
// Changed:  a loop over tiles -> one large tile        (from 09_last_block)
// Launch:   block (THREADS), grid (ceil(n/(4*THREADS*LOADS)))
// Defines:  THREADS = 1024, LOADS = 16
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a multiple of 32; in starts at a multiple of 16 bytes;
//           n + 4*THREADS*LOADS < 2^31;
//           arrived is 0 before the first launch; each launch leaves it 0
#ifndef THREADS
#define THREADS 1024
#endif
#ifndef LOADS
#define LOADS 16
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

// What a thread adds up: LOADS float4 of its block's one tile.
__device__ __forceinline__ float thread_sum(const float* in, int n)
{
    const float4* quads = reinterpret_cast<const float4*>(in);
    const int TILE = THREADS * LOADS;   // float4 that a block loads at once
    int tiles = n / (4 * TILE);
    float sum = 0.0f;
    if (blockIdx.x < tiles) {
        int first = blockIdx.x * TILE + threadIdx.x;
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
void reduction_fixed_order(
    const float* __restrict__ in,    // [n]
    float* partial,                  // [blocks]
    unsigned* arrived,               // [1]
    float* __restrict__ total,       // [1]
    int n)
{
    float sum = block_sum(thread_sum(in, n));
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();   // who sees the ticket also sees the sum
        unsigned ticket = atomicInc(arrived, gridDim.x - 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        sum = 0.0f;
        for (int block = threadIdx.x; block < gridDim.x; block += THREADS)
            sum += __ldcg(&partial[block]);
        sum = block_sum(sum);
        if (threadIdx.x == 0) total[0] = sum;
    }
}
