// coalescing/10_soa_loop: PARTICLES particles a thread, all their loads
//     before the first store; and a loop, so that no grid has to be large.
//
// out[i] = sum of the first FIELDS fields of particle i, which has 8
//
// Changed:  one particle a thread -> PARTICLES, 256 apart, in a loop that
//           lets any grid do everything    (from 09_soa)
// Launch:   block (256), grid (ceil(n/(256*PARTICLES)))
// Defines:  FIELDS = 2, PARTICLES = 2
// Cost:     4*(FIELDS + 1)*n bytes, (FIELDS - 1)*n flops
// Assumes:  8 * n + 256 * PARTICLES * (blocks + 1) < 2^31
#ifndef FIELDS
#define FIELDS 2
#endif
#ifndef PARTICLES
#define PARTICLES 2
#endif

extern "C" __global__
void coalescing_soa_loop(
    const float* __restrict__ particles,   // [8, n]
    float* __restrict__ out,               // [n]
    int n)
{
    const int TILE = 256 * PARTICLES;   // particles of a block in a round
    #pragma unroll 1
    for (int tile = blockIdx.x; tile * TILE < n; tile += gridDim.x) {
        int first = tile * TILE + threadIdx.x;
        float sum[PARTICLES];
        #pragma unroll
        for (int k = 0; k < PARTICLES; ++k) {
            int i = first + 256 * k;
            sum[k] = 0;
            #pragma unroll
            for (int f = 0; f < FIELDS; ++f) {
                if (i < n) sum[k] += particles[f * n + i];
            }
        }
        #pragma unroll
        for (int k = 0; k < PARTICLES; ++k) {
            int i = first + 256 * k;
            if (i < n) out[i] = sum[k];
        }
    }
}
