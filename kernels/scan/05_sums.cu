// scan/05_sums: the first of three passes: the sum of each tile.
//
// sums[t] = in[TILE * t] + ... + in[TILE * t + TILE - 1]
//
// Changed:  nothing is stored but one sum a tile  (from 04_items)
// Launch:   block (THREADS), grid (ceil(n/(THREADS*ITEMS)))
// Defines:  TYPE = float, THREADS = 256, ITEMS = 16
// Cost:     4*n bytes, n flops
// Assumes:  n + THREADS*ITEMS < 2^31; in starts at a multiple of 16 bytes
#ifndef TYPE
#define TYPE float
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef ITEMS
#define ITEMS 16
#endif
#define TILE (THREADS * ITEMS)
#define WARPS (THREADS / 32)
struct alignas(16) Four { TYPE at[4]; };

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

__device__ __forceinline__ TYPE sum_lanes(TYPE sum)
{
    #pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    return sum;
}

extern "C" __global__
void __launch_bounds__(THREADS) scan_sums(
    const TYPE* __restrict__ in,    // [n]
    TYPE* __restrict__ sums,        // [ceil(n/(THREADS*ITEMS))]
    int n)
{
    __shared__ TYPE of_warp[WARPS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int tile = blockIdx.x;
    Four held[ITEMS / 4];
    load_tile(held, in, tile, n);
    TYPE sum = 0;
    #pragma unroll
    for (int k = 0; k < ITEMS / 4; ++k)
        for (int e = 0; e < 4; ++e)
            sum += held[k].at[e];
    sum = sum_lanes(sum);
    if (lane == 0)
        of_warp[warp] = sum;
    __syncthreads();

    if (warp == 0) {
        sum = sum_lanes(lane < WARPS ? of_warp[lane] : 0);
        if (lane == 0)
            sums[tile] = sum;
    }
}
