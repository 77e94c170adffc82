// occupancy/01_chains: a thread has as many steps under way as it has
//     independent chains.
//
// out[i] = sum over c of acc[c], where acc[c] starts at in[i] + c
//          and `steps` times becomes acc[c] * scale + 1
//
// Changed:  nothing, the first step
// Launch:   block (128), grid (n/128)
// Defines:  CHAINS = 1
// Cost:     8*n bytes, 2*CHAINS*steps*n flops
// Assumes:  n a multiple of 128, steps a multiple of 64
#ifndef CHAINS
#define CHAINS 1
#endif
static_assert(CHAINS >= 1 && CHAINS <= 16,
              "the chains must stay in registers");

extern "C" __global__
void occupancy_chains(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int steps,
    float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // Each step of a chain waits for the one before it; two chains never wait
    // for each other.
    float acc[CHAINS];
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) acc[c] = in[i] + c;
    #pragma unroll 1
    for (int step = 0; step < steps; step += 64) {
        #pragma unroll
        for (int u = 0; u < 64; ++u) {
            #pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                acc[c] = fmaf(acc[c], scale, 1.0f);
        }
    }
    float sum = acc[0];
    #pragma unroll
    for (int c = 1; c < CHAINS; ++c) sum += acc[c];
    out[i] = sum;
}
