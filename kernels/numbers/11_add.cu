// numbers/11_add: nothing but integer additions.
//
// out[thread] = sum of the chains after UNROLL * iterations rounds of
//               acc[c] += acc[c + 1]
// clock in MHz = ticks[block, 0] / ticks[block, 1] * 1000
//
// Changed:  a multiply-add in TYPE -> an addition of int, from chain to chain
//           (from 10_via)
// Launch:   block (1024), grid (2 * SMs): all 64 warps that an SM can hold
// Defines:  CHAINS = 8, UNROLL = 64
// Cost:     4*threads + 16*blocks bytes,
//           CHAINS*UNROLL*iterations*threads additions
// Assumes:  iterations >= 1
#ifndef CHAINS
#define CHAINS 8
#endif
#ifndef UNROLL
#define UNROLL 64
#endif

extern "C" __global__
void numbers_add(
    int* __restrict__ out,           // [threads]
    long long* __restrict__ ticks,   // [blocks, 2]: SM cycles, nanoseconds
    int iterations)
{
    unsigned acc[CHAINS];
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) acc[c] = c + threadIdx.x;

    long long start_ns, stop_ns;
    const long long start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    #pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            // The addend changes all the time, or the compiler would multiply
            // instead of adding.
            #pragma unroll
            for (int c = 0; c < CHAINS; ++c) acc[c] += acc[(c + 1) % CHAINS];
        }
    }
    unsigned sum = 0;
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += acc[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns) :: "memory");
    if (threadIdx.x == 0) {
        ticks[2 * blockIdx.x] = stop - start;
        ticks[2 * blockIdx.x + 1] = stop_ns - start_ns;
    }
}
