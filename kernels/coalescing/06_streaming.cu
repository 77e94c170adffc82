// coalescing/06_streaming: no line is used twice, so give the caches a hint
//     with the loads (HINT = 1: drop first; 2: not in L1) and the stores.
//
// out[i] = in[i]
//
// Changed:  plain loads -> __ldcs or __ldcg, plain stores -> __stcs
//           (from 05_in_flight)
// Launch:   block (THREADS), grid (ceil(n/(THREADS*LOADS*VEC)))
// Defines:  VEC = 1, LOADS = 4, THREADS = 256,
//           HINT = 1, STCS = 1, RESTRICT = 1
// Cost:     8*n bytes, 0 flops
// Assumes:  in and out start at multiples of 4*VEC bytes;
//           n + threads < 2^31
#ifndef VEC
#define VEC 1
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef HINT
#define HINT 1
#endif
#ifndef STCS
#define STCS 1
#endif
#ifndef RESTRICT
#define RESTRICT 1
#endif
#if !RESTRICT   // then, for all that the compiler knows, out may overlap in
#define __restrict__
#endif
#if VEC == 1
typedef float Word;
#elif VEC == 2
typedef float2 Word;
#elif VEC == 4
typedef float4 Word;
#endif

extern "C" __global__
void coalescing_streaming(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    const Word* source = reinterpret_cast<const Word*>(in);
    Word* target = reinterpret_cast<Word*>(out);
    const int TILE = THREADS * LOADS;   // words that a block copies at once
    int tiles = n / (TILE * VEC);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    #pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int first = tile * TILE + warp * 32 * LOADS + lane;
        Word held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = HINT == 1 ? __ldcs(&source[first + 32 * k])
                    : HINT == 2 ? __ldcg(&source[first + 32 * k])
                    : source[first + 32 * k];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            if (STCS) __stcs(&target[first + 32 * k], held[k]);
            else target[first + 32 * k] = held[k];
        }
    }
    // The floats that fill no tile, one at a time.
    int done = tiles * TILE * VEC;
    #pragma unroll 1
    for (int i = done + blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        out[i] = in[i];
}
