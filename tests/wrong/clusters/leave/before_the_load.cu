// Wrong: the barrier stands before the loads from other blocks.
// clusters/exercises/leave: add up the maxima of a cluster's blocks,
//     and leave when it is safe.
//
// out[b] = sum over the blocks of b's cluster of the maximum of their 32
//     values, which are in[32 * block ...], and 0 beyond n
//
// Launch:   block (32), grid (CLUSTER*ceil(n/(32*CLUSTER)))
// Defines:  CLUSTER = 4
// Cost:     4*n bytes, 0 flops
// Assumes:  in is not negative; n + 128 < 2^31; sm_90
//
// The sums come out right nearly always. Asked: that they always do, and that
// each block loads its own values only.
#ifndef CLUSTER
#define CLUSTER 4
#endif

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_leave(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [CLUSTER*ceil(n/(32*CLUSTER))]
    int n)
{
    __shared__ float best;
    int i = blockIdx.x * 32 + threadIdx.x;
    float value = i < n ? in[i] : 0;
    for (int far = 16; far > 0; far /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, far));
    if (threadIdx.x == 0) best = value;

    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    float sum = 0;
    for (int other = 0; other < CLUSTER; ++other)
        sum += *static_cast<float*>(__cluster_map_shared_rank(&best, other));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
