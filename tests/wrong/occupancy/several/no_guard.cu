// Wrong: stores the sums of values past the end.
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
        out[i] = acc[m];
    }
}
