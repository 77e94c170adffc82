// WRONG arrives_only: arrives and leaves; it must wait for the others, who may still read.
// BEGIN SOLUTION 1
    __cluster_barrier_arrive();
    if (n < 0) __cluster_barrier_wait();
// END SOLUTION 1

// WRONG before_the_load: the barrier stands before the loads from other blocks.
// BEGIN SOLUTION 1
// END SOLUTION 1
// INSTEAD OF
    float sum = 0;
// WRITE
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    float sum = 0;
// END

// WRONG block_barrier: a barrier of the block lets others read on.
// BEGIN SOLUTION 1
    __syncthreads();
// END SOLUTION 1

// WRONG no_exchange: each block loads the values of the whole cluster itself.
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
    float sum = 0;
    for (int other = 0; other < CLUSTER; ++other)
    {
        int i = (blockIdx.x / CLUSTER * CLUSTER + other) * 32 + threadIdx.x;
        float value = i < n ? in[i] : 0;
        for (int far = 16; far > 0; far /= 2)
            value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, far));
        sum += value;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// RIGHT one_stays: one thread of each block stays for all of them.
// BEGIN SOLUTION 1
    if (threadIdx.x == 0) {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
// END SOLUTION 1

// WRONG waits_a_while: goes round a loop for a while in place of the barrier.
// BEGIN SOLUTION 1
    for (int round = 0; round < 100; ++round) __nanosleep(100);
// END SOLUTION 1
