// coalescing/exercises/align: work on a range that starts inside a sector.
//
// out[start + i] = 2 * in[start + i]     for i = 0 ... n - 1;
//                                        the rest of out stays untouched
//
// Launch:   block (256), grid (ceil((n + 31)/256))
// Defines:  none
// Cost:     8*n bytes, n flops
// Assumes:  start + n + 31 < 2^31
//
// The range starts at element `start`, seldom a multiple of 8, so a warp
// straddles one sector more than it needs. The grid has 31 threads to spare.
// Asked: 4 sectors a request, and not one element outside the range touched.
// HINT 1: A line holds 32 floats. How far past the last line boundary does
//         the range start?
// HINT 2: Shift every thread back by start % 32. What do the first threads
//         of the grid hold now?
extern "C" __global__
void coalescing_align(
    const float* __restrict__ in,   // [start + n]
    float* __restrict__ out,        // [start + n]
    int n, int start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION 1: start warps on 128-byte lines, and guard both ends
    // GIVEN: if (i < n) {
    i -= start % 32;
    if (i >= 0 && i < n) {
    // END SOLUTION 1
        out[start + i] = 2 * in[start + i];
    }
}
