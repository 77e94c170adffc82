// scan/01_hillis_steele: in round after round, each element adds the one d
//     places before it, for d = 1, 2, 4 ...
//
// out[i] = in[first of its tile] + ... + in[i]
//
// Changed:  nothing, the first step
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

extern "C" __global__
void scan_hillis_steele(
    const TYPE* __restrict__ in,    // [n]
    TYPE* __restrict__ out,         // [n]
    int n)
{
    __shared__ TYPE sums[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    TYPE sum = i < n ? in[i] : 0;
    sums[threadIdx.x] = sum;
    __syncthreads();

    for (int d = 1; d < TILE; d *= 2) {
        if (threadIdx.x >= d)
            sum += sums[threadIdx.x - d];
        __syncthreads();                    // all have read ...
        sums[threadIdx.x] = sum;
        __syncthreads();                    // ... before the next round
    }
    if (i < n)
        out[i] = sum;
}
