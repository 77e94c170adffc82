// coalescing/02_four_offset: neighbours stay neighbours, but a warp's floats
//     start inside a sector. PAST_L1 = 1 loads from the L2 cache only.
//
// out[i] = in[i + OFFSET]
//
// Changed:  in[STRIDE * i] -> in[i + OFFSET]    (from 01_four)
// Launch:   block (256), grid (ceil(n/1024))
// Defines:  OFFSET = 0, PAST_L1 = 0
// Cost:     8*n bytes, 0 flops
// Assumes:  n + 1024 + OFFSET < 2^31
#ifndef OFFSET
#define OFFSET 0
#endif
#ifndef PAST_L1
#define PAST_L1 0
#endif
static_assert(OFFSET >= 0, "OFFSET counts floats, from 0");
#if PAST_L1
#define LOAD(address) __ldcg(address)
#else
#define LOAD(address) (*(address))
#endif

extern "C" __global__
void coalescing_four_offset(
    const float* __restrict__ in,   // [n + OFFSET]
    float* __restrict__ out,        // [n]
    int n)
{
    int warp = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    int first = warp * 128 + lane;   // a warp copies 128 elements
    float held[4];
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = first + 32 * k;
        if (i < n) held[k] = LOAD(&in[i + OFFSET]);
    }
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = first + 32 * k;
        if (i < n) out[i] = held[k];
    }
}
