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
extern "C" __global__
void measure_keep_work(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // YOUR CODE 1: run the four chains and store their sum
}
