// async_copies/08_early: a wait that is every thread's own needs no meeting
//     behind it, so all stages may be under way while it lasts.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 8]
//
// Changed:  wait, meet, ask -> meet, ask, wait                 (from 07_bulk)
// Launch:   block (256), grid (8*SMs)
// Defines:  STAGES = 3
// Cost:     8*n bytes, 8*n flops
// Assumes:  n + 1024*STAGES*blocks < 2^31; in and out start at
//           multiples of 16 bytes; sm_90
#ifndef STAGES
#define STAGES 3
#endif
static_assert(STAGES >= 2, "one stage is read while another is filled");
constexpr int RADIUS = 4, THREADS = 256, TILE = 4 * THREADS,
              WIDTH = TILE + 2 * RADIUS, QUADS = WIDTH / 4;
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

// Four neighbouring window sums a thread, out of a tile in shared memory.
__device__ void store_sums(const float* tile, float* out, int first, int n)
{
    const float4* quads = (const float4*)tile + threadIdx.x;
    float4 a = quads[0], b = quads[1], c = quads[2];
    float core = a.w + b.x + b.y + b.z + b.w + c.x;   // in all four
    float sums[4] = {a.x + a.y + a.z + core, a.y + a.z + core + c.y,
                     a.z + core + c.y + c.z, core + c.y + c.z + c.w};
    int i = first + 4 * threadIdx.x;
    if (i + 3 < n) {
        *(float4*)(out + i) = make_float4(sums[0], sums[1], sums[2], sums[3]);
    } else {
        for (int k = 0; k < 4; ++k) if (i + k < n) out[i + k] = sums[k];
    }
}

extern "C" __global__
void __launch_bounds__(THREADS) async_copies_early(
    const float* __restrict__ in,   // [n + 8]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ alignas(16) float ring[STAGES][WIDTH];
    __shared__ Barrier full[STAGES];
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage)
            make_barrier(full + stage, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    auto fetch = [&](int number) {   // this block's tile of that number
        int first = (blockIdx.x + number * gridDim.x) * TILE;
        if (first >= n) return;
        int stage = number % STAGES;
        int count = min(WIDTH, n + 2 * RADIUS - first);
        int whole = count / 4 * 4;
        if (threadIdx.x == 0) {
            arrive_expecting(full + stage, 4 * whole);
            copy_bulk(ring[stage], in + first, 4 * whole, full + stage);
        }
        // Past the last whole 16 bytes, and past the end of in.
        #pragma unroll 1
        for (int e = whole + threadIdx.x; e < WIDTH; e += THREADS)
            ring[stage][e] = e < count ? in[first + e] : 0.0f;
    };
    for (int number = 0; number < STAGES - 1; ++number) fetch(number);
    for (int number = 0;; ++number) {
        int first = (blockIdx.x + number * gridDim.x) * TILE;
        if (first >= n) break;
        __syncthreads();   // everyone has read, and one stage is free
        fetch(number + STAGES - 1);
        wait(full + number % STAGES, number / STAGES % 2);
        store_sums(ring[number % STAGES], out, first, n);
    }
}
