// clusters/15_lines: a load of the same line after every barrier, against the
//     clock.
//
// out[b] = next[next[...[0]]], rounds times; cycles[b]: of all these loads
//
// Changed:  barriers in a row -> a load after each of them (from 04_barriers)
// Launch:   block (256), grid (blocks)
// Defines:  CLUSTER = 2, BARRIER = 2
// Cost:     4*blocks bytes, 0 flops
// Assumes:  blocks is the grid, a multiple of CLUSTER; next holds positions
//           from 0 to n - 1; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef BARRIER
#define BARRIER 2
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
void __cluster_dims__(CLUSTER) clusters_lines(
    const int* next,                    // [n]
    int* out,                           // [blocks]
    long long* __restrict__ cycles,     // [blocks]
    int blocks, int n, int rounds)
{
    __shared__ volatile int seen;
    int at = 0;
    long long spent = 0;
    #pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        meet();
        if (threadIdx.x == 0) {
            long long start = clock64();
            at = next[at];
            seen = at;                      // waits until the load is back
            spent += clock64() - start;
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = at;
        cycles[blockIdx.x] = spent;
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}
