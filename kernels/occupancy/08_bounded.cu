// occupancy/08_bounded: the compiler must leave room for BLOCKS blocks on
//     an SM, whatever it takes.
//
// out[i] = coeff[0] * x^(terms-1) + ... + coeff[terms-2] * x + coeff[terms-1]
//          where x = in[i]
//
// Changed:  __launch_bounds__(256, BLOCKS) added    (from 05_polynomial)
// Launch:   block (256) or smaller, grid (ceil(n/(256*ITEMS)))
// Defines:  ITEMS = 1, BLOCKS = 1
// Cost:     8*n + 4*terms bytes, 2*terms*n flops
// Assumes:  n + 256*ITEMS < 2^31
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif

extern "C" __global__
void __launch_bounds__(256, BLOCKS) occupancy_bounded(
    const float* __restrict__ in,      // [n]
    const float* __restrict__ coeff,   // [terms]
    float* __restrict__ out,           // [n]
    int n, int terms)
{
    int first = ITEMS * blockIdx.x * blockDim.x + threadIdx.x;
    float x[ITEMS], acc[ITEMS];
    #pragma unroll
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        x[m] = i < n ? in[i] : 0.0f;
        acc[m] = 0.0f;
    }
    #pragma unroll 8
    for (int k = 0; k < terms; ++k) {
        float c = coeff[k];
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) acc[m] = fmaf(acc[m], x[m], c);
    }
    #pragma unroll
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) out[i] = acc[m];
    }
}
