// async_copies/09_memcpy: the same ring in the words of the library:
//     memcpy_async on a cuda::barrier.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 8]
//
// Changed:  mbarrier and copies by hand -> cuda::barrier, cuda::memcpy_async
//           (from 08_early)
// Launch:   block (256), grid (8*SMs)
// Defines:  STAGES = 3
// Cost:     8*n bytes, 8*n flops
// Assumes:  n + 1024*STAGES*blocks < 2^31; in and out start at
//           multiples of 16 bytes; sm_90
#include <cuda/barrier>
#include <cooperative_groups.h>
#ifndef STAGES
#define STAGES 3
#endif
static_assert(STAGES >= 2, "one stage is read while another is filled");
constexpr int RADIUS = 4, THREADS = 256, TILE = 4 * THREADS,
              WIDTH = TILE + 2 * RADIUS, QUADS = WIDTH / 4;

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
void __launch_bounds__(THREADS) async_copies_memcpy(
    const float* __restrict__ in,   // [n + 8]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ alignas(16) float ring[STAGES][WIDTH];
    __shared__ cuda::barrier<cuda::thread_scope_block> full[STAGES];
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x < STAGES) {
        init(full + threadIdx.x, THREADS);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    auto fetch = [&](int number) {   // this block's tile of that number
        int first = (blockIdx.x + number * gridDim.x) * TILE;
        if (first >= n) return;
        int stage = number % STAGES;
        int count = min(WIDTH, n + 2 * RADIUS - first);
        int whole = count / 4 * 4;
        cuda::memcpy_async(block, ring[stage], in + first,
                           cuda::aligned_size_t<16>(4 * whole), full[stage]);
        // Past the last whole 16 bytes, and past the end of in.
        #pragma unroll 1
        for (int e = whole + threadIdx.x; e < WIDTH; e += THREADS)
            ring[stage][e] = e < count ? in[first + e] : 0.0f;
        (void)full[stage].arrive();
    };
    for (int number = 0; number < STAGES - 1; ++number) fetch(number);
    for (int number = 0;; ++number) {
        int first = (blockIdx.x + number * gridDim.x) * TILE;
        if (first >= n) break;
        __syncthreads();   // everyone has read, and one stage is free
        fetch(number + STAGES - 1);
        full[number % STAGES].wait_parity(number / STAGES % 2);
        store_sums(ring[number % STAGES], out, first, n);
    }
}
