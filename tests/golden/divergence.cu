// golden/divergence: lanes part: each of PARTS groups of lanes takes its own branch of a chain.
//
// Launch:   block (64), grid (ceil(n/64))
// Defines:  PARTS = 2
#ifndef PARTS
#define PARTS 2
#endif

extern "C" __global__
void golden_divergence(
    const int* __restrict__ in,   // [8192]
    int* __restrict__ out,        // [8192]
    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int part = threadIdx.x % PARTS;
    if (i < n) {
        if (part == 0) out[i] = in[2 * i] / (i + 1);
        else if (part == 1) out[2 * i] = in[i] * 5 + in[4 * i];
        else if (part == 2) out[3 * i] = in[3 * i] % (i + 1);
        else out[4 * i] = in[i + 7] - i;
    }
}
