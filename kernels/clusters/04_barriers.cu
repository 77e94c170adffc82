// clusters/04_barriers: barriers one after the other, against the clock.
//
// out[t] = rounds, after so many barriers; cycles[b]: of all of them
//
// Changed:  rewrite: no data, only barriers
// Launch:   block (256), grid (blocks)
// Defines:  CLUSTER = 2, BARRIER = 2, STORE = 0
// Cost:     4*threads bytes, 0 flops
// Assumes:  blocks is the grid, a multiple of CLUSTER; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef BARRIER
#define BARRIER 2
#endif
#ifndef STORE
#define STORE 0
#endif

__device__ __forceinline__ void meet() {
    if (BARRIER == 3)                       // a control: the fence alone
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
    if (BARRIER == 0 || BARRIER == 3) __syncthreads();
    if (BARRIER == 1) __cluster_barrier_arrive_relaxed();
    if (BARRIER == 2) __cluster_barrier_arrive();
    if (BARRIER == 1 || BARRIER == 2) __cluster_barrier_wait();
}

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_barriers(
    volatile int* __restrict__ out,     // [threads]
    long long* __restrict__ cycles,     // [blocks]
    int blocks, int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    meet();
    long long start = clock64();
    #pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        if (STORE) out[thread] = round;     // on its way at the barrier
        meet();
    }
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
    out[thread] = rounds;
}
