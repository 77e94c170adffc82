// Wrong: right results, but every coefficient is loaded again for each value.
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
    for (int m = 0; m < ITEMS; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) {
            float x = in[i], acc = 0.0f;
            for (int k = 0; k < terms; ++k) acc = fmaf(acc, x, coeff[k]);
            out[i] = acc;
        }
    }
}
