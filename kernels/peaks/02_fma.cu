// peaks/02_fma: nothing but fused multiply-adds, timed by the SM's own clock.
//
// out[thread] = CHAINS, the limit that acc = acc * scale + (1 - scale)
//               gives each of its chains
// clock in MHz = ticks[block, 0] / ticks[block, 1] * 1000
//
// Changed:  rewrite: another task than 01_copy: arithmetic in place
//           of memory traffic
// Launch:   block (1024), grid (2 * SMs): all 64 warps that an SM can hold;
//           at least 1 ms, because some GPUs advance %globaltimer only
//           once a microsecond
// Defines:  CHAINS = 8, UNROLL = 64
// Cost:     4*threads + 16*blocks bytes,
//           2*CHAINS*UNROLL*iterations*threads flops
// Assumes:  iterations >= 1, block (1024) or smaller
#ifndef CHAINS
#define CHAINS 8
#endif
#ifndef UNROLL
#define UNROLL 64
#endif
static_assert(CHAINS >= 1 && CHAINS <= 16,
              "the chains must stay in registers");
static_assert(UNROLL >= 32,
    "fewer would show the loop itself, and leave the chains short of 1");

extern "C" __global__
void peaks_fma(
    float* __restrict__ out,         // [threads]
    long long* __restrict__ ticks,   // [blocks, 2]: SM cycles, nanoseconds
    int iterations)
{
    // Values that depend on the thread live in registers; literals would
    // become operands of another kind than the ones a real kernel multiplies.
    const float scale = 0.5f - threadIdx.x * 0x1p-12f;
    const float offset = 1.0f - scale;

    // A fused multiply-add takes 4 cycles: independent chains fill the
    // cycles between.
    float acc[CHAINS];
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) acc[c] = c;

    long long start_ns, stop_ns;
    const long long start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    #pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            #pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                acc[c] = fmaf(acc[c], scale, offset);
        }
    }
    // The sum needs every chain, so that the clocks below are read after
    // the last of them.
    float sum = acc[0];
    #pragma unroll
    for (int c = 1; c < CHAINS; ++c) sum += acc[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;

    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns) :: "memory");
    if (threadIdx.x == 0) {
        ticks[2 * blockIdx.x] = stop - start;
        ticks[2 * blockIdx.x + 1] = stop_ns - start_ns;
    }
}
