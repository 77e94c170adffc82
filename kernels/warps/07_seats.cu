// warps/07_seats: of a block's warps only some work, each `apart` from the
//     next, which decides whether they share a scheduler.
//
// out[i] = sum over c = 0 .. CHAINS - 1 of x_c,
//          x_c after rounds times x = 0.5 * x + 1, from x = i + c,
//          in the first `working` of the warps 0, apart, 2 * apart, ...;
//          after no round in the other warps
//
// Changed:  rewrite: the launch chooses the warps that work, and they all
//           walk one path (from 05_by_warp)
// Launch:   block (any), grid (any)
// Defines:  CHAINS = 1
// Cost:     4*threads bytes, 64*CHAINS*rounds flops for each working warp
// Assumes:  apart >= 1
#ifndef CHAINS
#define CHAINS 1
#endif

extern "C" __global__
void warps_seats(
    float* __restrict__ out,   // [threads]
    int working, int apart, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = threadIdx.x / 32;
    bool works = warp % apart == 0 && warp / apart < working;
    // A warp without work ends at once; its scheduler serves the others.
    int own_rounds = works ? rounds : 0;

    float x[CHAINS];
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c)
        x[c] = i + c;

    // In a chain each round waits for the one before; no chain waits for
    // another chain.
    #pragma unroll 64
    for (int round = 0; round < own_rounds; ++round) {
        #pragma unroll
        for (int c = 0; c < CHAINS; ++c)
            x[c] = fmaf(0.5f, x[c], 1.0f);
    }

    float sum = 0.0f;
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c)
        sum += x[c];
    out[i] = sum;
}
