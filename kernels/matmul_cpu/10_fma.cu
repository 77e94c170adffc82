// matmul_cpu/10_fma: nothing but multiply-adds, in CHAINS independent
//     chains of 16 lanes.
//
// out[chain, lane] = the value after so many steps of value * factor + 1
//
// Changed:  rewrite: no matrix at all, to measure the bound
// Launch:   block (1), grid (1): one thread does it all
// Defines:  CHAINS = 8
// Cost:     64*CHAINS bytes, 32*CHAINS*steps flops
// Assumes:  nothing
#ifndef CHAINS
#define CHAINS 8
#endif

extern "C" __global__
void matmul_cpu_fma(
    float* __restrict__ out,        // [CHAINS, 16]
    int steps,
    float factor)
{
    float acc[CHAINS][16];
    for (int chain = 0; chain < CHAINS; ++chain) {
        for (int lane = 0; lane < 16; ++lane) acc[chain][lane] = chain + lane;
    }
    for (int step = 0; step < steps; ++step) {
        #pragma omp simd
        for (int lane = 0; lane < 16; ++lane) {
            #pragma GCC unroll 16
            for (int chain = 0; chain < CHAINS; ++chain) {
                acc[chain][lane] = acc[chain][lane] * factor + 1.0f;
            }
        }
    }
    for (int chain = 0; chain < CHAINS; ++chain) {
        for (int lane = 0; lane < 16; ++lane)
            out[16 * chain + lane] = acc[chain][lane];
    }
}
