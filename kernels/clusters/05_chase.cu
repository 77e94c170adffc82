// clusters/05_chase: a chain of loads through the shared memory of one
//     block of the cluster.
//
// at = next[at], `hops` times, next copied into the owner's shared memory;
//     the first block of the cluster asks, against the clock
//
// Changed:  rewrite: a pointer chase, as in caches/01_chase
// Launch:   block (256), grid (CLUSTER)
// Defines:  CLUSTER = 2, MAPPED = 1
// Cost:     4*n + 4*hops bytes, 0 flops
// Assumes:  n <= 4096; next holds positions from 0 to n - 1;
//           owner < CLUSTER, and 0 unless MAPPED; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef MAPPED
#define MAPPED 1
#endif

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_chase(
    const int* __restrict__ next,     // [n]
    int* __restrict__ end,            // [1]
    long long* __restrict__ cycles,   // [1]
    int n, int owner, int hops)
{
    __shared__ int ring[4096];
    for (int i = threadIdx.x; i < n; i += blockDim.x) ring[i] = next[i];
    __cluster_barrier_arrive();
    __cluster_barrier_wait();

    const int* from = ring;
    if (MAPPED)
        from = static_cast<int*>(__cluster_map_shared_rank(ring, owner));
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int at = 0;
        for (int hop = 0; hop < n; ++hop) at = from[at];    // to warm up
        long long start = clock64();
        for (int hop = 0; hop < hops; ++hop) at = from[at];
        cycles[0] = clock64() - start;
        end[0] = at;
    }
    __cluster_barrier_arrive();             // the owner stays till the end
    __cluster_barrier_wait();
}
