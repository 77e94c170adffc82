// occupancy/exercises/several: let one load of a coefficient serve all ITEMS
//     values of a thread.
//
// out[i] = coeff[0] * x^(terms-1) + ... + coeff[terms-2] * x + coeff[terms-1]
//          where x = in[i]
//
// Launch:   block (128), grid (ceil(n/(128*ITEMS)))
// Defines:  ITEMS = 4
// Cost:     8*n + 4*terms bytes, 2*terms*n flops
// Assumes:  n + 128*ITEMS < 2^31
//
// As given, a thread finishes one value before it begins the next, and loads
// every coefficient again for each. Asked: each coefficient loaded once per
// thread, ITEMS chains under way at once.
#ifndef ITEMS
#define ITEMS 4
#endif

extern "C" __global__
void occupancy_several(
    const float* __restrict__ in,      // [n]
    const float* __restrict__ coeff,   // [terms]
    float* __restrict__ out,           // [n]
    int n, int terms)
{
    int first = ITEMS * blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: the terms outside, the values inside (about 16 lines)
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) {
            float x = in[i], acc = 0.0f;
            for (int k = 0; k < terms; ++k)
                acc = fmaf(acc, x, coeff[k]);
            out[i] = acc;
        }
    }
}
