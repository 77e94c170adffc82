// coalescing/07_latency: each warp notes by its SM's clock when its loads
//     leave and when the last of them is there.
//
// out[i] = in[i]                 (stays as it was where STORE = 0)
// log[warp, 0] = SM cycles and nanoseconds from its first load to its end
// log[warp, 1 + m] = cycle in which its loads leave, and in which all are
//                    there, in its round first_mark + m; untouched if it
//                    has no such round
//
// Changed:  a warp waits for all its loads before the first store, and reads
//           the clock before and after; any block size  (from 05_in_flight)
// Launch:   block (any multiple of 32), grid (any)
// Defines:  LOADS = 1, STORE = 1, MARKS = 8
// Cost:     8*n bytes, 0 flops
// Assumes:  no element of in equals never; n + LOADS * threads < 2^31
#ifndef LOADS
#define LOADS 1
#endif
#ifndef STORE
#define STORE 1
#endif
#ifndef MARKS
#define MARKS 8
#endif

extern "C" __global__
void coalescing_latency(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    long long* __restrict__ log,    // [threads / 32, 1 + MARKS, 2]
    int n, int first_mark, float never)
{
    int number = blockIdx.x * blockDim.x + threadIdx.x;
    long long* noted = log + 2 * (1 + MARKS) * (number / 32);
    long long begin_ns, end_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns) :: "memory");
    const long long begin = clock64();

    int tile_size = blockDim.x * LOADS;
    int tiles = n / tile_size;
    int mark = -first_mark;
    #pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++mark) {
        int first = tile * tile_size + threadIdx.x;
        float held[LOADS], sum = 0;
        const long long leave = clock64();
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = in[first + k * blockDim.x];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            sum += held[k];
        if (sum == never) break;   // who knows that has waited for all loads
        const long long there = clock64();
        if (threadIdx.x % 32 == 0 && mark >= 0 && mark < MARKS) {
            noted[2 + 2 * mark] = leave;
            noted[3 + 2 * mark] = there;
        }
        #pragma unroll
        for (int k = 0; k < LOADS && STORE; ++k)
            out[first + k * blockDim.x] = held[k];
    }
    int done = tiles * tile_size;
    for (int i = done + number; i < n && STORE; i += gridDim.x * blockDim.x)
        out[i] = in[i];

    const long long end = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns) :: "memory");
    if (threadIdx.x % 32 == 0) {
        noted[0] = end - begin;
        noted[1] = end_ns - begin_ns;
    }
}
