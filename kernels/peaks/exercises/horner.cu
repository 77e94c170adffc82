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
        // YOUR CODE 1: one multiply-add a term (2 lines in place of 6)
        float acc = 0.0f;
        for (int k = 0; k < terms; ++k) {
            float power = 1.0f;
            for (int j = 0; j < k; ++j) power *= value;
            acc += c[k] * power;
        }
        out[i] = acc;
    }
}
