// scan/03_shuffles: a warp scans in registers; shared memory holds nothing
//     but one sum a warp.
//
// out[i] = in[first of its tile] + ... + in[i]
//
// Changed:  log2(TILE) rounds with barriers -> five rounds of shuffles, twice
//           (from 01_hillis_steele)
// Launch:   block (TILE), grid (ceil(n/TILE))
// Defines:  TYPE = float, TILE = 1024
// Cost:     8*n bytes, n flops
// Assumes:  n + TILE < 2^31
#ifndef TYPE
#define TYPE float
#endif
#ifndef TILE
#define TILE 1024
#endif
#define WARPS (TILE / 32)

// What this lane and those before it hold, added up.
__device__ __forceinline__ TYPE scan_lanes(TYPE sum)
{
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        TYPE below = __shfl_up_sync(~0u, sum, d);
        if (lane >= d)
            sum += below;
    }
    return sum;
}

extern "C" __global__
void scan_shuffles(
    const TYPE* __restrict__ in,    // [n]
    TYPE* __restrict__ out,         // [n]
    int n)
{
    __shared__ TYPE before_warp[WARPS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int i = blockIdx.x * TILE + threadIdx.x;
    TYPE sum = scan_lanes(i < n ? in[i] : 0);
    if (lane == 31)
        before_warp[warp] = sum;
    __syncthreads();

    if (warp == 0) {
        TYPE own = lane < WARPS ? before_warp[lane] : 0;
        TYPE before = __shfl_up_sync(~0u, scan_lanes(own), 1);
        if (lane < WARPS)
            before_warp[lane] = lane > 0 ? before : 0;
    }
    __syncthreads();
    if (i < n)
        out[i] = before_warp[warp] + sum;
}
