// scan/06_one_block: the second of three passes: one block scans tile after
//     tile, and carries the sum along.
//
// out[i] = in[0] + ... + in[i]
//
// Changed:  a block for each tile -> one block for all tiles
//           (from 04_items)
// Launch:   block (THREADS), grid (1)
// Defines:  TYPE = float, THREADS = 1024, ITEMS = 16
// Cost:     8*n bytes, n flops
// Assumes:  n + THREADS*ITEMS < 2^31; in and out start at multiples of 16
//           bytes
#ifndef TYPE
#define TYPE float
#endif
#ifndef THREADS
#define THREADS 1024
#endif
#ifndef ITEMS
#define ITEMS 16
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

extern "C" __global__
void __launch_bounds__(THREADS) scan_one_block(
    const TYPE* __restrict__ in,    // [n]
    TYPE* __restrict__ out,         // [n]
    int n)
{
    __shared__ TYPE before_warp[WARPS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    TYPE before_tile = 0;       // warp 0 carries it from tile to tile
    for (int tile = 0; tile * TILE < n; ++tile) {
        Four held[ITEMS / 4];
        load_tile(held, in, tile, n);
        TYPE sum = scan_warp(held);
        if (lane == 31)
            before_warp[warp] = sum;
        __syncthreads();

        if (warp == 0) {
            TYPE own = lane < WARPS ? before_warp[lane] : 0;
            TYPE sums = scan_lanes(own);
            TYPE before = __shfl_up_sync(~0u, sums, 1);
            if (lane < WARPS)
                before_warp[lane] = before_tile + (lane > 0 ? before : 0);
            before_tile += __shfl_sync(~0u, sums, 31);
        }
        __syncthreads();
        store_tile(held, before_warp[warp], out, tile, n);
        __syncthreads();
    }
}
