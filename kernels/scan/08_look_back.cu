// scan/08_look_back: one pass: a tile publishes its own sum, and adds up what
//     the tiles before it have published.
//
// out[i] = in[0] + ... + in[i]
//
// Changed:  sums from two passes before -> from the blocks that run now
//           (from 07_three_passes)
// Launch:   block (THREADS), grid (ceil(n/(THREADS*ITEMS)))
// Defines:  TYPE = float, THREADS = 512, ITEMS = 32, LOOK = 1
// Cost:     8*n bytes, n flops
// Assumes:  n + THREADS*ITEMS < 2^31; in and out start at multiples of 16
//           bytes
#ifndef TYPE
#define TYPE float
#endif
static_assert(sizeof(TYPE) == 4, "a sum has half of a 64-bit word");
#ifndef THREADS
#define THREADS 512
#endif
#ifndef ITEMS
#define ITEMS 32
#endif
#ifndef LOOK
#define LOOK 1
#endif
#define TILE (THREADS * ITEMS)
#define WARPS (THREADS / 32)
struct alignas(16) Four { TYPE at[4]; };

// What this lane and those before it hold, added up.
__device__ __forceinline__ TYPE scan_lanes(TYPE sum)
{
    int lane = threadIdx.x % 32;
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        TYPE below = __shfl_up_sync(~0u, sum, d);
        if (lane >= d)
            sum += below;
    }
    return sum;
}

// The first of this thread's elements. A warp has 32 * ITEMS in a row; a
// lane has four of every 128.
__device__ __forceinline__ int first_of(int tile)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return tile * TILE + warp * 32 * ITEMS + lane * 4;
}

__device__ __forceinline__ void load_tile(
    Four held[ITEMS / 4], const TYPE* in, int tile, int n)
{
    int i = first_of(tile);
    #pragma unroll
    for (int k = 0; k < ITEMS / 4; ++k, i += 128) {
        if (tile * TILE + TILE <= n)
            held[k] = *reinterpret_cast<const Four*>(in + i);
        else
            for (int e = 0; e < 4; ++e)
                held[k].at[e] = i + e < n ? in[i + e] : 0;
    }
}

__device__ __forceinline__ void store_tile(
    Four held[ITEMS / 4], TYPE before, TYPE* out, int tile, int n)
{
    int i = first_of(tile);
    #pragma unroll
    for (int k = 0; k < ITEMS / 4; ++k, i += 128) {
        for (int e = 0; e < 4; ++e)
            held[k].at[e] += before;
        if (tile * TILE + TILE <= n)
            *reinterpret_cast<Four*>(out + i) = held[k];
        else
            for (int e = 0; e < 4; ++e)
                if (i + e < n)
                    out[i + e] = held[k].at[e];
    }
}

// Scans what a warp holds; returns the sum of all of it.
__device__ __forceinline__ TYPE scan_warp(Four held[ITEMS / 4])
{
    TYPE sums[ITEMS / 4], total = 0;
    #pragma unroll
    for (int k = 0; k < ITEMS / 4; ++k) {
        for (int e = 1; e < 4; ++e)
            held[k].at[e] += held[k].at[e - 1];
        sums[k] = scan_lanes(held[k].at[3]);
    }
    #pragma unroll
    for (int k = 0; k < ITEMS / 4; ++k) {
        TYPE below = __shfl_up_sync(~0u, sums[k], 1);
        TYPE before = threadIdx.x % 32 ? total + below : total;
        for (int e = 0; e < 4; ++e)
            held[k].at[e] += before;
        total += __shfl_sync(~0u, sums[k], 31);
    }
    return total;
}

// What a tile has published, in one word so that both halves change at once:
// above, whether the sum below is of the tile alone or of all up to it.
typedef unsigned long long Status;
#define ALONE 1u
#define ALL 2u

__device__ __forceinline__ Status packed(unsigned state, TYPE sum)
{
    return Status(state) << 32 | reinterpret_cast<unsigned&>(sum);
}

__device__ __forceinline__ unsigned state_of(Status status)
{
    return unsigned(status >> 32);
}

__device__ __forceinline__ TYPE sum_of(Status status)
{
    unsigned bits = unsigned(status);
    return reinterpret_cast<TYPE&>(bits);
}

// The sum of all tiles before this one. A warp looks at 32 of them at once,
// back to one that knows the sum of all up to it. (LOOK = 0 leaves it out,
// to see what it costs.)
__device__ __forceinline__ TYPE look_back(volatile Status* board, int tile)
{
    int lane = threadIdx.x % 32;
    TYPE sum = 0;
    unsigned knows = tile == 0;
    for (int other = tile - 1 - lane; !knows; other -= 32) {
        Status seen;
        do
            seen = other < 0 ? packed(ALL, 0) : board[other];
        while (__any_sync(~0u, state_of(seen) == 0));
        knows = __ballot_sync(~0u, state_of(seen) == ALL);
        if (!knows || lane < __ffs(knows))  // as far as the nearest of these
            sum += sum_of(seen);
    }
    #pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    return sum;
}

extern "C" __global__
void __launch_bounds__(THREADS, 1024 / THREADS) scan_look_back(
    const TYPE* __restrict__ in,    // [n]
    TYPE* __restrict__ out,         // [n]
    unsigned long long* board,  // [ceil(n/(THREADS*ITEMS)) + 1], zeros
    int n)
{
    __shared__ TYPE before_warp[WARPS];
    __shared__ int drawn;
    volatile Status* published = board;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        drawn = atomicAdd(&board[gridDim.x], 1);
    __syncthreads();
    int tile = drawn;       // those before it were drawn by running blocks
    Four held[ITEMS / 4];
    load_tile(held, in, tile, n);
    TYPE sum = scan_warp(held);
    if (lane == 31)
        before_warp[warp] = sum;
    __syncthreads();

    if (warp == 0) {
        TYPE own = lane < WARPS ? before_warp[lane] : 0;
        TYPE sums = scan_lanes(own);
        TYPE total = __shfl_sync(~0u, sums, 31);
        if (lane == 0)
            published[tile] = packed(ALONE, total);
        TYPE before_tile = LOOK ? look_back(published, tile) : 0;
        if (lane == 0)
            published[tile] = packed(ALL, before_tile + total);
        TYPE before = __shfl_up_sync(~0u, sums, 1);
        if (lane < WARPS)
            before_warp[lane] = before_tile + (lane > 0 ? before : 0);
    }
    __syncthreads();
    store_tile(held, before_warp[warp], out, tile, n);
}
