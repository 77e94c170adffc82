// peaks/exercises/horner: a polynomial with two flops a term instead of one
//     more for each power.
//
// out[i] = c[0] + c[1] * x[i] + c[2] * x[i]^2 + ...
//          + c[terms - 1] * x[i]^(terms - 1)
//
// Launch:   block (256), grid (ceil(n/256))
// Cost:     8*n + 4*terms bytes, 2*(terms - 1)*n flops
// Assumes:  terms >= 1
//
// The code below is right, and multiplies every power together from the
// start. Asked: the same values with one fused multiply-add for each term
// after the first.
// HINT 1: c0 + c1 x + c2 x^2 + c3 x^3 = c0 + x (c1 + x (c2 + x c3)).
//         Where does the work begin?
// HINT 2: Begin with acc = c[terms - 1] and walk down to c[0]:
//         acc = fmaf(acc, value, c[k]).
extern "C" __global__
void peaks_horner(
    const float* __restrict__ x,    // [n]
    const float* __restrict__ c,    // [terms]
    float* __restrict__ out,        // [n]
    int n, int terms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float value = x[i];
        // BEGIN SOLUTION 1: one multiply-add a term (2 lines in place of 6)
        // GIVEN: float acc = 0.0f;
        // GIVEN: for (int k = 0; k < terms; ++k) {
        // GIVEN:     float power = 1.0f;
        // GIVEN:     for (int j = 0; j < k; ++j) power *= value;
        // GIVEN:     acc += c[k] * power;
        // GIVEN: }
        float acc = c[terms - 1];
        for (int k = terms - 2; k >= 0; --k) acc = fmaf(acc, value, c[k]);
        // END SOLUTION 1
        out[i] = acc;
    }
}
