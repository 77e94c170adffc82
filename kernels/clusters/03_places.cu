// clusters/03_places: each block says on which SM it runs.
//
// out[b] = the number of the SM that runs block b
//
// Changed:  rewrite: blocks that do next to nothing
// Launch:   block (THREADS), grid (blocks)
// Defines:  CLUSTER = 2, THREADS = 128
// Cost:     4*blocks bytes, 0 flops
// Assumes:  blocks is the grid, a multiple of CLUSTER; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef THREADS
#define THREADS 128
#endif

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_places(
    int* __restrict__ out,          // [blocks]
    int blocks)
{
    int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) out[blockIdx.x] = sm;
}
