// coalescing/08_aos: array of structures: a field's neighbours lie one whole
//     particle apart.
//
// out[i] = sum of the first FIELDS fields of particle i, which has 8
//
// Changed:  rewrite: another task, one that needs some fields of eight
// Launch:   block (256), grid (ceil(n/256))
// Defines:  FIELDS = 2
// Cost:     4*(FIELDS + 1)*n bytes, (FIELDS - 1)*n flops
// Assumes:  8 * n < 2^31
#ifndef FIELDS
#define FIELDS 2
#endif

extern "C" __global__
void coalescing_aos(
    const float* __restrict__ particles,   // [n, 8]
    float* __restrict__ out,               // [n]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        #pragma unroll
        for (int f = 0; f < FIELDS; ++f) {
            sum += particles[8 * i + f];
        }
        out[i] = sum;
    }
}
