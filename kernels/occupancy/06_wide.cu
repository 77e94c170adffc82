// occupancy/06_wide: one load brings four coefficients instead of one.
//
// out[i] = coeff[0] * x^(terms-1) + ... + coeff[terms-2] * x + coeff[terms-1]
//          where x = in[i]
//
// Changed:  coeff[k] -> quads[k], a float4, and a loop for the last terms % 4
//           (from 05_polynomial)
// Launch:   block (256), grid (ceil(n/(256*ITEMS)))
// Defines:  ITEMS = 1
// Cost:     8*n + 4*terms bytes, 2*terms*n flops
// Assumes:  n + 256*ITEMS < 2^31, coeff starts at a multiple of 16 bytes
#ifndef ITEMS
#define ITEMS 1
#endif

extern "C" __global__
void occupancy_wide(
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
    const float4* quads = reinterpret_cast<const float4*>(coeff);
    #pragma unroll 2
    for (int k = 0; k < terms / 4; ++k) {
        float4 c = quads[k];
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) acc[m] = fmaf(acc[m], x[m], c.x);
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) acc[m] = fmaf(acc[m], x[m], c.y);
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) acc[m] = fmaf(acc[m], x[m], c.z);
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) acc[m] = fmaf(acc[m], x[m], c.w);
    }
    #pragma unroll 1
    for (int k = terms / 4 * 4; k < terms; ++k) {
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) acc[m] = fmaf(acc[m], x[m], coeff[k]);
    }
    #pragma unroll
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) out[i] = acc[m];
    }
}
