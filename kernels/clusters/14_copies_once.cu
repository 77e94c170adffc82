// clusters/14_copies_once: copies of its own for each block, whose warps meet
//     before one of them says that a stage has been read.
//
// out[b, t] = scale[b] * sum of in[q], q = t, t + THREADS, ...
//
// Changed:  every warp says so -> the warps meet, and one of them says so, as
//           in 13_multicast_once                         (from 11_copies)
// Launch:   block (THREADS + 32), grid (blocks)
// Defines:  CLUSTER = 2, CHUNK = 512, STAGES = 4, THREADS = 256, APART = 0
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
#ifndef THREADS
#define THREADS 256
#endif
#ifndef APART
#define APART 0
#endif
typedef unsigned long long Barrier;

__device__ __forceinline__ unsigned at(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

__device__ __forceinline__ void init(Barrier* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(at(barrier)), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void expect(Barrier* full, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(at(full)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void wait(Barrier* barrier, int parity) {
    asm volatile("{.reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 "
                 "done, [%0], %1;\n"
                 "@!done bra again;}"
                 :: "r"(at(barrier)), "r"(parity) : "memory");
}

// Copy quads to this block, and count their bytes at its barrier.
__device__ __forceinline__ void copy(
    float4* to, const float4* from, int quads, Barrier* full)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global"
        ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        :: "r"(at(to)), "l"(from), "r"(16 * quads), "r"(at(full))
        : "memory");
}

// All warps have read the stage: tell the thread that fills it.
__device__ __forceinline__ void release(Barrier* empty) {
    asm volatile("bar.sync 1, %0;" :: "n"(THREADS) : "memory");
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                     :: "r"(at(empty)) : "memory");
}

extern "C" __global__
void __cluster_dims__(CLUSTER) clusters_copies_once(
    const float4* __restrict__ in,      // [quads]
    const float* __restrict__ scale,    // [blocks]
    float* __restrict__ out,            // [blocks * THREADS]
    int blocks, int quads)
{
    __shared__ alignas(128) float4 stages[STAGES][CHUNK];
    __shared__ Barrier full[STAGES], empty[STAGES];
    int chunks = quads / CHUNK;
    int begin = blockIdx.x / CLUSTER * APART % chunks;
    if (threadIdx.x == 0)
        for (int stage = 0; stage < STAGES; ++stage) {
            init(&full[stage], 1);
            init(&empty[stage], 1);
        }
    __cluster_barrier_arrive();             // all barriers are ready
    __cluster_barrier_wait();

    if (threadIdx.x == THREADS) {           // one thread fetches
        for (int c = 0; c < chunks; ++c) {
            int stage = c % STAGES, chunk = (begin + c) % chunks;
            wait(&empty[stage], c / STAGES % 2 ^ 1);
            expect(&full[stage], 16 * CHUNK);
            copy(stages[stage], in + size_t(chunk) * CHUNK, CHUNK,
                 &full[stage]);
        }
    } else if (threadIdx.x < THREADS) {     // the others add up
        float sum = 0;
        for (int c = 0; c < chunks; ++c) {
            int stage = c % STAGES;
            wait(&full[stage], c / STAGES % 2);
            for (int q = threadIdx.x; q < CHUNK; q += THREADS) {
                float4 quad = stages[stage][q];
                sum += quad.x + quad.y + quad.z + quad.w;
            }
            release(&empty[stage]);
        }
        out[blockIdx.x * THREADS + threadIdx.x] = scale[blockIdx.x] * sum;
    }
    __cluster_barrier_arrive();             // nobody leaves before
    __cluster_barrier_wait();               // the last arrival
}
