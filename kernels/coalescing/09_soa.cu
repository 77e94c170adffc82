// coalescing/09_soa: structure of arrays: a field's neighbours are
//     neighbours in memory.
//
// out[i] = sum of the first FIELDS fields of particle i, which has 8
//
// Changed:  particles[8 * i + f] -> particles[f * n + i]    (from 08_aos)
// Launch:   block (256), grid (ceil(n/256))
// Defines:  FIELDS = 2
// Cost:     4*(FIELDS + 1)*n bytes, (FIELDS - 1)*n flops
// Assumes:  8 * n < 2^31
#ifndef FIELDS
#define FIELDS 2
#endif

extern "C" __global__
void coalescing_soa(
    const float* __restrict__ particles,   // [8, n]
    float* __restrict__ out,               // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        #pragma unroll
        for (int f = 0; f < FIELDS; ++f) {
            sum += particles[f * n + i];
        }
        out[i] = sum;
    }
}
