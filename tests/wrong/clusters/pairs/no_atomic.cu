// Wrong: two threads may read the same counter before either writes it.
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
    __shared__ int bins[8192];
    for (int b = threadIdx.x; b < 8192; b += blockDim.x) bins[b] = 0;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n - 1; i += threads) {
        int pair = 256 * in[i] + in[i + 1];
        auto owner = static_cast<int*>(
            __cluster_map_shared_rank(bins, pair / 8192));
        owner[pair % 8192] += 1;
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    int base = 8192 * (blockIdx.x % 8);
    for (int b = threadIdx.x; b < 8192; b += blockDim.x)
        if (bins[b]) atomicAdd(&counts[base + b], bins[b]);
}
