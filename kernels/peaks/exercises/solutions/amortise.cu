// peaks/exercises/amortise: each coefficient that a thread loads serves four
//     points, not one.
//
// out[i] = c[0] + c[1] * x[i] + c[2] * x[i]^2 + ...
//          + c[terms - 1] * x[i]^(terms - 1)
//
// Launch:   block (256), grid (ceil(n/1024))
// Cost:     8*n + 4*terms bytes, 2*(terms - 1)*n flops
// Assumes:  terms >= 1
//
// The code below loops over the points outside and over the coefficients
// inside, and so loads all coefficients four times. Asked: a quarter of those
// loads, every access still coalesced.
// HINT 1: Turn the loops inside out: for each coefficient, advance
//         four accumulators.
// HINT 2: float value[4], acc[4]; with #pragma unroll on each loop over 4
//         they stay in registers.
// HINT 3: Guard the load and the store of each point, not the arithmetic:
//         the points of one thread lie blockDim.x apart, and the last block
//         may have only some of them.
#define POINTS 4

extern "C" __global__
void peaks_amortise(
    const float* __restrict__ x,    // [n]
    const float* __restrict__ c,    // [terms]
    float* __restrict__ out,        // [n]
    int n, int terms)
{
    const int first = blockIdx.x * blockDim.x * POINTS + threadIdx.x;
    // BEGIN SOLUTION 1: one loop, four accumulators (roughly 15 lines)
    // GIVEN: for (int p = 0; p < POINTS; ++p) {
    // GIVEN:     const int i = first + p * blockDim.x;
    // GIVEN:     if (i < n) {
    // GIVEN:         float acc = c[terms - 1];
    // GIVEN:         for (int k = terms - 2; k >= 0; --k)
    // GIVEN:             acc = fmaf(acc, x[i], c[k]);
    // GIVEN:         out[i] = acc;
    // GIVEN:     }
    // GIVEN: }
    float value[POINTS], acc[POINTS];
    #pragma unroll
    for (int p = 0; p < POINTS; ++p) {
        const int i = first + p * blockDim.x;
        value[p] = i < n ? x[i] : 0.0f;
        acc[p] = 0.0f;
    }
    for (int k = terms - 1; k >= 0; --k) {
        const float coefficient = c[k];
        #pragma unroll
        for (int p = 0; p < POINTS; ++p)
            acc[p] = fmaf(acc[p], value[p], coefficient);
    }
    #pragma unroll
    for (int p = 0; p < POINTS; ++p) {
        const int i = first + p * blockDim.x;
        if (i < n) out[i] = acc[p];
    }
    // END SOLUTION 1
}
