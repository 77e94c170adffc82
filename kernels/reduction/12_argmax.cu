// reduction/12_argmax: the same with pairs: a value, and where it stands.
//     Every order gives the same answer.
//
// most[0] = the largest element of in, where[0] = the first place where it
//           stands
//
// Changed:  float and + -> Best and better()             (from 09_last_block)
// Launch:   block (THREADS), grid (PER_SM*SMs)
// Defines:  THREADS = 512, LOADS = 4, PER_SM = 4
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a multiple of 32; in starts at a multiple of 16 bytes;
//           n + 4*threads*LOADS < 2^31;
//           arrived is 0 before the first launch; each launch leaves it 0;
//           no element is NaN
#ifndef THREADS
#define THREADS 512
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef PER_SM
#define PER_SM 4
#endif

#define NOTHING Best{-__int_as_float(0x7f800000), -1}   // minus infinity

// A value and where it stands. -1: nowhere.
struct Best {
    float value;
    int index;
};

// The larger value; of equal ones, the one that stands first.
__device__ __forceinline__ Best better(Best a, Best b)
{
    bool take = b.value > a.value
             || (b.value == a.value && unsigned(b.index) < unsigned(a.index));
    return take ? b : a;
}

// The best of a warp; lane 0 has it.
__device__ __forceinline__ Best warp_best(Best best)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        Best other = {__shfl_down_sync(0xffffffff, best.value, offset),
                      __shfl_down_sync(0xffffffff, best.index, offset)};
        best = better(best, other);
    }
    return best;
}

// The best of a block; thread 0 has it.
__device__ __forceinline__ Best block_best(Best best)
{
    __shared__ Best bests[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    best = warp_best(best);
    if (lane == 0) bests[warp] = best;
    __syncthreads();
    if (warp == 0) {
        best = warp_best(lane < THREADS / 32 ? bests[lane] : NOTHING);
    }
    return best;
}

// The best of LOADS float4 of each of the block's tiles.
__device__ __forceinline__ Best thread_best(const float* in, int n)
{
    const float4* quads = reinterpret_cast<const float4*>(in);
    const int TILE = THREADS * LOADS;   // float4 that a block loads at once
    int tiles = n / (4 * TILE);
    Best best = NOTHING;
    #pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int first = tile * TILE + threadIdx.x;
        float4 held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = quads[first + k * THREADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            int i = 4 * (first + k * THREADS);
            best = better(best, {held[k].x, i});
            best = better(best, {held[k].y, i + 1});
            best = better(best, {held[k].z, i + 2});
            best = better(best, {held[k].w, i + 3});
        }
    }
    // The elements that fill no tile, one at a time.
    int done = 4 * tiles * TILE;
    #pragma unroll 1
    for (int i = done + blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        best = better(best, {in[i], i});
    return best;
}

extern "C" __global__
void reduction_argmax(
    const float* __restrict__ in,    // [n]
    int2* partial,                   // [blocks]
    unsigned* arrived,               // [1]
    float* __restrict__ most,        // [1]
    int* __restrict__ where,         // [1]
    int n)
{
    Best best = block_best(thread_best(in, n));
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = {__float_as_int(best.value), best.index};
        __threadfence();   // who sees the ticket also sees the pair
        unsigned ticket = atomicInc(arrived, gridDim.x - 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        best = NOTHING;
        for (int block = threadIdx.x; block < gridDim.x; block += THREADS) {
            int2 pair = __ldcg(&partial[block]);
            best = better(best, {__int_as_float(pair.x), pair.y});
        }
        best = block_best(best);
        if (threadIdx.x == 0) {
            most[0] = best.value;
            where[0] = best.index;
        }
    }
}
