// Wrong: nobody waits for the copy.
// async_copies/exercises/phase: every tile turned round, in a ring of two
//     stages. From the third tile on it goes wrong.
//
// out[128*tile + i] = in[128*tile + 127 - i]
//
// Launch:   block (128), grid (2)
// Defines:  none
// Cost:     1024*tiles bytes, 0 flops
// Assumes:  in starts at a multiple of 16 bytes; sm_90
//
// Asked: right for any number of tiles, with the copies as they are.
typedef unsigned long long Barrier;

__device__ unsigned int shared(const void* pointer)
{
    return (unsigned int)__cvta_generic_to_shared(pointer);
}

__device__ void make_barrier(Barrier* full, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(shared(full)), "r"(arrivals) : "memory");
}

// Arrives, announces 512 bytes, and asks for them.
__device__ void fetch_tile(float* to, const float* from, Barrier* full)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;"
                 :: "r"(shared(full)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];"
                 :: "r"(shared(to)), "l"(from), "r"(shared(full))
                 : "memory");
}

// Waits until the phase of this parity is over.
__device__ void wait(Barrier* full, int parity)
{
    asm volatile("{ .reg .pred over;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 "
                 "over, [%0], %1;\n"
                 "@!over bra again; }"
                 :: "r"(shared(full)), "r"(parity) : "memory");
}

extern "C" __global__
void async_copies_phase(
    const float* __restrict__ in,   // [128 * tiles]
    float* __restrict__ out,        // [128 * tiles]
    int tiles)
{
    __shared__ alignas(16) float ring[2][128];
    __shared__ Barrier full[2];
    if (threadIdx.x == 0) {
        make_barrier(full, 1);
        make_barrier(full + 1, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    int tile = blockIdx.x;
    if (threadIdx.x == 0 && tile < tiles)
        fetch_tile(ring[0], in + 128 * tile, full);
    for (int number = 0; tile < tiles; ++number, tile += gridDim.x) {
        int stage = number % 2, next = tile + gridDim.x;
        
        __syncthreads();   // everyone has read, and the other stage is free
        if (threadIdx.x == 0 && next < tiles)
            fetch_tile(ring[1 - stage], in + 128 * next, full + 1 - stage);
        out[128 * tile + threadIdx.x] = ring[stage][127 - threadIdx.x];
    }
}
