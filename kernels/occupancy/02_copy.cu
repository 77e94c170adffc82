// occupancy/02_copy: ITEMS loads per thread leave before the first store
//     waits for one.
//
// out[i] = in[i]
//
// Changed:  rewrite: waits for memory where 01_chains waits for arithmetic
// Launch:   block (256), grid (ceil(n/(256*ITEMS)))
// Defines:  ITEMS = 1
// Cost:     8*n bytes, 0 flops
// Assumes:  n + 1024*ITEMS < 2^31
#ifndef ITEMS
#define ITEMS 1
#endif

extern "C" __global__
void occupancy_copy(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int first = ITEMS * blockIdx.x * blockDim.x + threadIdx.x;
    float held[ITEMS];
    #pragma unroll
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) held[m] = in[i];
    }
    #pragma unroll
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) out[i] = held[m];
    }
}
