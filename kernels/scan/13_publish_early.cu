// scan/13_publish_early: a tile is added up and published while the one
//     before waits for its turn.
//
// out[i] = in[0] + ... + in[i]
//
// Changed:  published when the tile has come, not when it is scanned
//           (from 11_stay)
// Launch:   block (THREADS), grid (ceil(n/(THREADS*ITEMS))
//           if n < PER_SM*SMs*THREADS*ITEMS else PER_SM*SMs),
//           shared_bytes 8*THREADS*ITEMS
// Defines:  TYPE = float, THREADS = 384, ITEMS = 32, LOOK = 1, PER_SM = 2
// Cost:     8*n bytes, n flops
// Assumes:  n + 2^24 < 2^31; in and out start at multiples of 16 bytes;
//           sm_80
#ifndef TYPE
#define TYPE float
#endif
static_assert(sizeof(TYPE) == 4, "a sum has half of a 64-bit word");
#ifndef THREADS
#define THREADS 384
#endif
#ifndef ITEMS
#define ITEMS 32
#endif
#ifndef LOOK
#define LOOK 1
#endif
#ifndef PER_SM
#define PER_SM 2
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

// The first of this thread's elements in its tile. A warp has 32 * ITEMS in
// a row; a lane has four of every 128.
__device__ __forceinline__ int first_of()
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return warp * 32 * ITEMS + lane * 4;
}

// Starts to copy a tile. A thread copies exactly what it will read, so it
// needs no barrier to find it there. Past the end there are zeros.
__device__ __forceinline__ void fetch_tile(
    TYPE* stage, const TYPE* in, int tile, int n)
{
    #pragma unroll
    for (int k = 0; k < ITEMS / 4; ++k) {
        int place = first_of() + 128 * k, i = tile * TILE + place;
        unsigned to = __cvta_generic_to_shared(stage + place);
        if (tile * TILE + TILE <= n)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                         :: "r"(to), "l"(in + i) : "memory");
        else
            for (int e = 0; e < 4; ++e)
                stage[place + e] = i + e < n ? in[i + e] : 0;
    }
}

__device__ __forceinline__ void wait_for_copies()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ __forceinline__ void take_tile(
    Four held[ITEMS / 4], const TYPE* stage)
{
    #pragma unroll
    for (int k = 0; k < ITEMS / 4; ++k)
        held[k] = *reinterpret_cast<const Four*>(
            stage + first_of() + 128 * k);
}

// The sum of what this warp has of a tile.
__device__ __forceinline__ TYPE sum_warp(const TYPE* stage)
{
    Four held[ITEMS / 4];
    take_tile(held, stage);
    TYPE sum = 0;
    #pragma unroll
    for (int k = 0; k < ITEMS / 4; ++k)
        for (int e = 0; e < 4; ++e)
            sum += held[k].at[e];
    #pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    return sum;
}

__device__ __forceinline__ void store_tile(
    Four held[ITEMS / 4], TYPE before, TYPE* out, int tile, int n)
{
    int i = tile * TILE + first_of();
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

// The warps' sums of a tile, added up from the first to each lane's.
__device__ __forceinline__ TYPE scan_warps(const TYPE of_warp[WARPS])
{
    int lane = threadIdx.x % 32;
    return scan_lanes(lane < WARPS ? of_warp[lane] : 0);
}

extern "C" __global__
void __launch_bounds__(THREADS, 1024 / THREADS) scan_publish_early(
    const TYPE* __restrict__ in,    // [n]
    TYPE* __restrict__ out,         // [n]
    unsigned long long* board,  // [ceil(n/(THREADS*ITEMS)) + 1], zeros
    int n)
{
    extern __shared__ __align__(16) TYPE stages[];    // [2][TILE]
    __shared__ TYPE of_warp[2][WARPS], before_warp[WARPS];
    __shared__ int drawn[2];
    volatile Status* published = board;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int tiles = (n + TILE - 1) / TILE, s = 0;
    if (threadIdx.x == 0)
        drawn[1] = atomicAdd(&board[tiles], 1);
    __syncthreads();
    // Each turn the block stores one tile, publishes the next one, and then
    // fetches the one after. In the first turn there is none to store.
    int tile = -1, next = drawn[1];
    fetch_tile(stages + TILE, in, next, n);
    do {
        TYPE* stage = stages + s * TILE;
        int number = 0;
        if (threadIdx.x == THREADS - 1)
            number = atomicAdd(&board[tiles], 1);
        wait_for_copies();
        TYPE sum = sum_warp(stages + (s ^ 1) * TILE);
        if (lane == 0)
            of_warp[s ^ 1][warp] = sum;
        if (threadIdx.x == THREADS - 1)
            drawn[s] = number;
        __syncthreads();

        int after = drawn[s];
        if (warp == 0) {
            TYPE sums = scan_warps(of_warp[s ^ 1]);
            if (lane == 31 && next < tiles)
                published[next] = packed(ALONE, sums);
        }
        Four held[ITEMS / 4];
        if (tile >= 0)
            take_tile(held, stage);
        if (tile >= 0)
            scan_warp(held);
        if (warp == 0 && tile >= 0) {
            TYPE sums = scan_warps(of_warp[s]);
            TYPE before_tile = LOOK ? look_back(published, tile) : 0;
            if (lane == 31)
                published[tile] = packed(ALL, before_tile + sums);
            TYPE before = __shfl_up_sync(~0u, sums, 1);
            if (lane < WARPS)
                before_warp[lane] = before_tile + (lane > 0 ? before : 0);
        }
        __syncthreads();
        if (tile >= 0)
            store_tile(held, before_warp[warp], out, tile, n);
        fetch_tile(stage, in, after, n);
        tile = next;
        next = after;
        s ^= 1;
    } while (tile < tiles);
    wait_for_copies();      // none may be on its way when a block ends
}
