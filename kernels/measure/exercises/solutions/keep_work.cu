// measure/exercises/keep_work: four chains to time, none of which the
//     compiler may drop.
//
// out[i] = sum over c = 0 .. 3 of x_c,
//          x_c after rounds times x = in[i] * x + 1, from x = c
//
// Launch:   block (256), grid (ceil(n/256))
// Defines:  none
// Cost:     8*n bytes, 8*n*rounds flops
// Assumes:  nothing
// HINT 1: What no store depends on is not computed. Which chains does
//         out[i] depend on?
// HINT 2: float x0 = 0.0f, x1 = 1.0f, ...: one loop over the rounds,
//         one fmaf for each chain.
extern "C" __global__
void measure_keep_work(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION 1: run the four chains and store their sum
    if (i < n) {
        float scale = in[i];
        float x0 = 0.0f, x1 = 1.0f, x2 = 2.0f, x3 = 3.0f;
        for (int round = 0; round < rounds; ++round) {
            x0 = fmaf(scale, x0, 1.0f);
            x1 = fmaf(scale, x1, 1.0f);
            x2 = fmaf(scale, x2, 1.0f);
            x3 = fmaf(scale, x3, 1.0f);
        }
        out[i] = x0 + x1 + x2 + x3;
    }
    // END SOLUTION 1
}
