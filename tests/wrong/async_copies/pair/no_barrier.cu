// Wrong: the next copies come while others still read.
// async_copies/exercises/pair: two copies, one phase.
//
// out[i] = a[i] * b[i]
//
// Launch:   block (128), grid (2)
// Defines:  none
// Cost:     12*n bytes, n flops
// Assumes:  n a multiple of 4; a and b start at multiples of 16 bytes; sm_90
//
// Each block goes through its tiles of 128 elements, the last of which may
// be shorter. Asked: both tiles by bulk copies, on one barrier, and no loads
// of a or b by the threads. One buffer for each is enough.
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

// Arrives, and announces bytes: the phase lasts until they have landed, too.
__device__ void arrive_expecting(Barrier* full, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(shared(full)), "r"(bytes) : "memory");
}

__device__ void copy_bulk(float* to, const float* from, int bytes,
                          Barrier* full)
{
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(shared(to)), "l"(from), "r"(bytes),
                    "r"(shared(full)) : "memory");
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
void async_copies_pair(
    const float* __restrict__ a,   // [n]
    const float* __restrict__ b,   // [n]
    float* __restrict__ out,       // [n]
    int n)
{
    __shared__ alignas(16) float a_tile[128], b_tile[128];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        make_barrier(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int number = 0;; ++number) {
        int first = 128 * (blockIdx.x + number * gridDim.x);
        if (first >= n) break;
        int count = min(128, n - first);
        if (threadIdx.x == 0) {
            arrive_expecting(&full, 8 * count);
            copy_bulk(a_tile, a + first, 4 * count, &full);
            copy_bulk(b_tile, b + first, 4 * count, &full);
        }
        wait(&full, number % 2);
        if (threadIdx.x < count)
            out[first + threadIdx.x] = a_tile[threadIdx.x]
                                       * b_tile[threadIdx.x];
    }
}
