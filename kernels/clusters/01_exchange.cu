// clusters/01_exchange: a block reads the shared memory of the next block
//     of its cluster.
//
// out = in, but the blocks' pieces of 256 go round within each cluster:
//     block r writes the piece of block (r + 1) % CLUSTER
//
// Changed:  nothing, the first step
// Launch:   block (256), grid (CLUSTER*ceil(n/(256*CLUSTER)))
// Defines:  CLUSTER = 2
// Cost:     8*n bytes, 0 flops
// Assumes:  n + 2^12 < 2^31; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_exchange(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n], 0 for what lies behind in
    int n)
{
    __shared__ float mine[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    mine[threadIdx.x] = i < n ? in[i] : 0;

    __cluster_barrier_arrive();             // I have written;
    __cluster_barrier_wait();               // so have all others

    int next = (__clusterRelativeBlockRank() + 1)
               % __clusterSizeInBlocks();
    auto theirs = static_cast<float*>(
        __cluster_map_shared_rank(mine, next));
    float value = theirs[threadIdx.x];

    __cluster_barrier_arrive();             // nobody leaves
    __cluster_barrier_wait();               // while it is read
    if (i < n) out[i] = value;
}
