// warps/06_chase: a warp walks through a table and has one load under
//     way, never two.
//
// out[i] = row after hops times row = next[row], from row = i / 32 % rows
//
// Changed:  rewrite: waits for memory, where 05_by_warp computes
//           (from 05_by_warp)
// Launch:   block (any multiple of 32), grid (any)
// Defines:  none
// Cost:     4*threads*hops bytes, 0 flops
// Assumes:  32 * rows < 2^31; the 32 entries of a row all hold one number,
//           from 0 to rows - 1
extern "C" __global__
void warps_chase(
    const int* __restrict__ next,   // [rows, 32]
    int* __restrict__ out,          // [threads]
    int rows, int hops)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int row = i / 32 % rows;
    // The next address is the value that this load brings: nothing can be
    // asked for ahead of time.
    #pragma unroll 1
    for (int hop = 0; hop < hops; ++hop)
        row = next[32 * row + lane];
    out[i] = row;
}
