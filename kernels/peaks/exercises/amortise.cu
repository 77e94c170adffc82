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
#define POINTS 4

extern "C" __global__
void peaks_amortise(
    const float* __restrict__ x,    // [n]
    const float* __restrict__ c,    // [terms]
    float* __restrict__ out,        // [n]
    int n, int terms)
{
    const int first = blockIdx.x * blockDim.x * POINTS + threadIdx.x;
    // YOUR CODE 1: one loop, four accumulators (roughly 15 lines)
    for (int p = 0; p < POINTS; ++p) {
        const int i = first + p * blockDim.x;
        if (i < n) {
            float acc = c[terms - 1];
            for (int k = terms - 2; k >= 0; --k)
                acc = fmaf(acc, x[i], c[k]);
            out[i] = acc;
        }
    }
}
