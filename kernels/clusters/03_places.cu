// clusters/03_places: each block says on which SM it runs.
//
// out[b] = the number of the SM that runs block b
//
// Changed:  rewrite: blocks that do next to nothing
// Launch:   block (THREADS), grid (blocks)
// Defines:  CLUSTER = 2, THREADS = 128
// Cost:     4*blocks bytes, 0 flops
// Assumes:  blocks is the grid, a multiple of CLUSTER; CLUSTER is 0 for no
//           clusters at all; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef THREADS
#define THREADS 128
#endif

#if CLUSTER
#define GROUPED __cluster_dims__(CLUSTER)
#else
#define GROUPED
#endif

extern "C" GROUPED __global__
void clusters_places(
    int* __restrict__ out,          // [blocks]
    int blocks)
{
    int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) out[blockIdx.x] = sm;
}
