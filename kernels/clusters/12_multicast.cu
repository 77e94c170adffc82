// clusters/12_multicast: each block of a cluster fetches a part of every
//     chunk, for all of them.
//
// out[b, t] = scale[b] * sum of in[q], q = t, t + T, ..., T threads a block
//
// Changed:  a copy to this block -> to all blocks of the cluster,
//           each fetching 1/CLUSTER of a chunk     (from 11_copies)
// Launch:   block (256), grid (blocks)
// Defines:  CLUSTER = 2, CHUNK = 512, STAGES = 4
// Cost:     16*quads bytes, 4*blocks*quads flops
// Assumes:  blocks is the grid, a multiple of CLUSTER; quads is a multiple
//           of CHUNK; sm_90
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef CHUNK
#define CHUNK 512
#endif
#ifndef STAGES
#define STAGES 4
#endif
typedef unsigned long long Barrier;

__device__ __forceinline__ unsigned at(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// One arrival completes a phase, together with all bytes announced.
__device__ __forceinline__ void init(Barrier* full) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                 :: "r"(at(full)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void expect(Barrier* full, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(at(full)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void wait(Barrier* full, int parity) {
    asm volatile("{.reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 "
                 "done, [%0], %1;\n"
                 "@!done bra again;}"
                 :: "r"(at(full)), "r"(parity) : "memory");
}

// Copy quads to the same place in all blocks of the cluster, and count their
// bytes at the barrier of each.
__device__ __forceinline__ void copy(
    float4* to, const float4* from, int quads, Barrier* full)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global"
        ".mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1], %2, [%3], %4;"
        :: "r"(at(to)), "l"(from), "r"(16 * quads), "r"(at(full)),
           "h"(static_cast<short>((1 << CLUSTER) - 1))
        : "memory");
}

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_multicast(
    const float4* __restrict__ in,      // [quads]
    const float* __restrict__ scale,    // [blocks]
    float* __restrict__ out,            // [threads]
    int blocks, int quads)
{
    __shared__ alignas(128) float4 stages[STAGES][CHUNK];
    __shared__ Barrier full[STAGES];
    int chunks = quads / CHUNK;
    bool first = threadIdx.x == 0;

    auto fetch = [&](int chunk) {
        int stage = chunk % STAGES;
        expect(&full[stage], 16 * CHUNK);
        int part = CHUNK / CLUSTER, from = part * (blockIdx.x % CLUSTER);
        copy(&stages[stage][from], in + size_t(chunk) * CHUNK + from,
             part, &full[stage]);
    };
    if (first)
        for (int stage = 0; stage < STAGES; ++stage) init(&full[stage]);
    __cluster_barrier_arrive();             // all barriers are ready
    __cluster_barrier_wait();
    if (first)
        for (int c = 0; c < min(chunks, STAGES); ++c) fetch(c);

    float sum = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        int stage = chunk % STAGES;
        wait(&full[stage], chunk / STAGES % 2);
        for (int q = threadIdx.x; q < CHUNK; q += blockDim.x) {
            float4 quad = stages[stage][q];
            sum += quad.x + quad.y + quad.z + quad.w;
        }
        __cluster_barrier_arrive();         // the stage is free
        __cluster_barrier_wait();           // in all blocks
        if (first && chunk + STAGES < chunks) fetch(chunk + STAGES);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = scale[blockIdx.x] * sum;
}
