// clusters/02_groups: the same exchange, in the words of cooperative groups.
//
// out = in, but the blocks' pieces of 256 go round within each cluster:
//     block r writes the piece of block (r + 1) % CLUSTER
//
// Changed:  built-in functions -> a cluster_group     (from 01_exchange)
// Launch:   block (256), grid (CLUSTER*ceil(n/(256*CLUSTER)))
// Defines:  CLUSTER = 2
// Cost:     8*n bytes, 0 flops
// Assumes:  n + 2^12 < 2^31; sm_90
#include <cooperative_groups.h>
#ifndef CLUSTER
#define CLUSTER 2
#endif

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_groups(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n], 0 for what lies behind in
    int n)
{
    auto cluster = cooperative_groups::this_cluster();
    __shared__ float mine[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    mine[threadIdx.x] = i < n ? in[i] : 0;

    cluster.sync();                         // all have written

    int next = (cluster.block_rank() + 1) % cluster.num_blocks();
    auto theirs = cluster.map_shared_rank(mine, next);
    float value = theirs[threadIdx.x];

    cluster.sync();                         // all have read
    if (i < n) out[i] = value;
}
