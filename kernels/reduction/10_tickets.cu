// reduction/10_tickets: a block that is done with a tile takes the next one
//     that nobody has: no block is left alone at the end.
//
// total[0] = sum of in
//
// Changed:  tiles in turn -> by ticket; larger blocks    (from 09_last_block)
// Launch:   block (THREADS), grid (PER_SM*SMs)
// Defines:  THREADS = 1024, LOADS = 4, PER_SM = 2
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a multiple of 32; in starts at a multiple of 16 bytes;
//           n + 4*threads*LOADS < 2^31;
//           arrived and taken are 0 before the first launch; each launch
//           leaves them 0
#ifndef THREADS
#define THREADS 1024
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef PER_SM
#define PER_SM 2
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

// What a thread adds up: LOADS float4 of each tile that its block takes.
__device__ __forceinline__ float thread_sum(
    const float* in, unsigned* taken, int n)
{
    __shared__ int next[2];             // this turn's and the last one's
    const float4* quads = reinterpret_cast<const float4*>(in);
    const int TILE = THREADS * LOADS;   // float4 that a block loads at once
    int tiles = n / (4 * TILE);
    float sum = 0.0f;
    int tile = blockIdx.x;
    #pragma unroll 1
    for (int turn = 0; tile < tiles; ++turn) {
        int ticket = 0;
        if (threadIdx.x == 0) ticket = gridDim.x + atomicAdd(taken, 1u);
        int first = tile * TILE + threadIdx.x;
        float4 held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = quads[first + k * THREADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            sum += (held[k].x + held[k].y) + (held[k].z + held[k].w);
        if (threadIdx.x == 0) next[turn % 2] = ticket;
        __syncthreads();
        tile = next[turn % 2];
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
void reduction_tickets(
    const float* __restrict__ in,    // [n]
    float* partial,                  // [blocks]
    unsigned* arrived,               // [1]
    unsigned* taken,                 // [1]
    float* __restrict__ total,       // [1]
    int n)
{
    float sum = block_sum(thread_sum(in, taken, n));
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
        if (threadIdx.x == 0) {
            total[0] = sum;
            taken[0] = 0;
        }
    }
}
