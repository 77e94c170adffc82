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
// HINT 1: Turn the two loops inside out: which of them has to be
//         the outer one?
// HINT 2: The inner loop needs all values and all sums at hand: x[ITEMS]
//         and acc[ITEMS]. Unrolled, they live in registers.
// HINT 3: A value past the end needs no branch in the middle: let it be 0
//         and do not store its sum.
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
    // BEGIN SOLUTION 1: the terms outside, the values inside (about 16 lines)
    // GIVEN: for (int m = 0; m < ITEMS; ++m) {
    // GIVEN:     int i = first + m * blockDim.x;
    // GIVEN:     if (i < n) {
    // GIVEN:         float x = in[i], acc = 0.0f;
    // GIVEN:         for (int k = 0; k < terms; ++k)
    // GIVEN:             acc = fmaf(acc, x, coeff[k]);
    // GIVEN:         out[i] = acc;
    // GIVEN:     }
    // GIVEN: }
    float x[ITEMS], acc[ITEMS];
    #pragma unroll
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        x[m] = i < n ? in[i] : 0.0f;
        acc[m] = 0.0f;
    }
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
    // END SOLUTION 1
}
