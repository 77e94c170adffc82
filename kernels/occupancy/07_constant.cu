// occupancy/07_constant: the coefficients come from constant memory, whose
//     reads do not pass through the load unit.
//
// out[i] = coeff[0] * x^(terms-1) + ... + coeff[terms-2] * x + coeff[terms-1]
//          where x = in[i] and coeff[k] = 1 / (k + 1)
//
// Changed:  parameter coeff -> a variable in constant memory
//           (from 05_polynomial)
// Launch:   block (256), grid (ceil(n/(256*ITEMS)))
// Defines:  ITEMS = 1
// Cost:     8*n bytes, 2*terms*n flops
// Assumes:  n + 256*ITEMS < 2^31, terms <= 512
#ifndef ITEMS
#define ITEMS 1
#endif

struct Coefficients {
    float at[512];
    __device__ constexpr Coefficients() : at() {
        for (int k = 0; k < 512; ++k) at[k] = 1.0f / (k + 1);
    }
};
// The compiler runs the constructor and ships the 512 results.
__constant__ Coefficients coeff;

extern "C" __global__
void occupancy_constant(
    const float* __restrict__ in,      // [n]
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
        float c = coeff.at[k];
        #pragma unroll
        for (int m = 0; m < ITEMS; ++m) acc[m] = fmaf(acc[m], x[m], c);
    }
    #pragma unroll
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) out[i] = acc[m];
    }
}
