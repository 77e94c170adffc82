// coalescing/11_ahead: a thread asks for its next loads before it stores what
//     it holds, so that something of its own is in flight all the time.
//
// out[i] = in[i]
//
// Changed:  loads of a tile, then its stores -> loads of the next tile, then
//           the stores of this one    (from 05_in_flight)
// Launch:   block (THREADS), grid (ceil(n/(THREADS*LOADS)))
// Defines:  LOADS = 4, THREADS = 256
// Cost:     8*n bytes, 0 flops
// Assumes:  n + 2 * threads * LOADS < 2^31
#ifndef LOADS
#define LOADS 4
#endif
#ifndef THREADS
#define THREADS 256
#endif

// Nothing here depends on anything else, so the compiler would store first
// and load then. `volatile` keeps the order in which the code stands.
__device__ __forceinline__ void ask(float held[LOADS], const float* from)
{
    #pragma unroll
    for (int k = 0; k < LOADS; ++k)
        asm volatile("ld.global.f32 %0, [%1];"
                     : "=f"(held[k]) : "l"(from + 32 * k) : "memory");
}

__device__ __forceinline__ void store(float* to, const float held[LOADS])
{
    #pragma unroll
    for (int k = 0; k < LOADS; ++k)
        asm volatile("st.global.f32 [%0], %1;"
                     :: "l"(to + 32 * k), "f"(held[k]) : "memory");
}

extern "C" __global__
void coalescing_ahead(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    const int TILE = THREADS * LOADS;   // floats that a block copies at once
    int tiles = n / TILE;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int at = blockIdx.x * TILE + warp * 32 * LOADS + lane;
    int step = gridDim.x * TILE, end = tiles * TILE;
    // Two turns a round, so that no register has to be copied: that would
    // wait for its load.
    float even[LOADS], odd[LOADS];
    if (at < end)
        ask(even, in + at);
    #pragma unroll 1
    for (; at < end; at += 2 * step) {
        if (at + step < end)
            ask(odd, in + at + step);
        store(out + at, even);
        if (at + step < end) {
            if (at + 2 * step < end)
                ask(even, in + at + 2 * step);
            store(out + at + step, odd);
        }
    }
    // The floats that fill no tile, one at a time.
    #pragma unroll 1
    for (int i = end + blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        out[i] = in[i];
}
