// scan/02_blelloch: sums of pairs, of fours, of eights go up a tree; what
//     stands before each comes down it.
//
// out[i] = in[first of its tile] + ... + in[i]
//
// Changed:  rewrite: a tree adds n numbers 2n times in all, where rounds of
//           all elements add n * log2(TILE) times (from 01_hillis_steele)
// Launch:   block (TILE/2), grid (ceil(n/TILE))
// Defines:  TYPE = float, TILE = 1024, PAD = 0
// Cost:     8*n bytes, n flops
// Assumes:  n + TILE < 2^31
#ifndef TYPE
#define TYPE float
#endif
#ifndef TILE
#define TILE 1024
#endif
#ifndef PAD
#define PAD 0
#endif

// Where element k lies in shared memory; with PAD = 1, a spare word stands
// behind every 32.
__device__ __forceinline__ int at(int k)
{
    return k + PAD * (k / 32);
}

extern "C" __global__
void scan_blelloch(
    const TYPE* __restrict__ in,    // [n]
    TYPE* __restrict__ out,         // [n]
    int n)
{
    __shared__ TYPE sums[TILE + PAD * TILE / 32];
    int first = blockIdx.x * TILE, t = threadIdx.x;
    int low = first + t, high = first + t + TILE / 2;
    TYPE low_in = low < n ? in[low] : 0, high_in = high < n ? in[high] : 0;
    sums[at(t)] = low_in;
    sums[at(t + TILE / 2)] = high_in;
    __syncthreads();

    // Up: the last of every 2d elements gets their sum.
    for (int d = 1; d < TILE; d *= 2) {
        int last = 2 * d * (t + 1) - 1;
        if (last < TILE)
            sums[at(last)] += sums[at(last - d)];
        __syncthreads();
    }
    if (t == 0)
        sums[at(TILE - 1)] = 0;
    __syncthreads();

    // Down: the left half gets what stands before both, the right half that
    // and the left half's sum.
    for (int d = TILE / 2; d > 0; d /= 2) {
        int last = 2 * d * (t + 1) - 1;
        if (last < TILE) {
            TYPE before = sums[at(last)];
            sums[at(last)] = before + sums[at(last - d)];
            sums[at(last - d)] = before;
        }
        __syncthreads();
    }
    if (low < n)
        out[low] = sums[at(t)] + low_in;
    if (high < n)
        out[high] = sums[at(t + TILE / 2)] + high_in;
}
