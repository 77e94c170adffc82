// Wrong: every pair is an addition in global memory.
// clusters/exercises/pairs: count pairs of neighbouring bytes, with 65,536
//     counters spread over a cluster.
//
// counts[256 * a + b] += how many i in 0 ... n - 2 have in[i] = a and
//     in[i + 1] = b
//
// Launch:   block (256), grid (8*ceil(n/65536))
// Defines:  none
// Cost:     n bytes, 0 flops
// Assumes:  n + 2^24 < 2^31; sm_90
//
// As given, every pair is an addition in global memory. Asked: additions in
// the shared memory of a cluster of 8, where each block has an eighth of the
// counters, and at most one addition in global memory for each counter and
// cluster. Each byte is still loaded by one block alone (and its neighbours).
extern "C" __global__
void __cluster_dims__(8) clusters_pairs(
    const unsigned char* __restrict__ in,   // [n]
    int* __restrict__ counts,               // [65536], zeros at first
    int n)
{
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n - 1; i += threads) {
        int pair = 256 * in[i] + in[i + 1];
        atomicAdd(counts + pair, 1);  // as given, in other words
    }
}
