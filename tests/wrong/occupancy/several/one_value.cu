// Wrong: right only where a block has one full row of values: forgets all but the first.
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
    for (int m = 0; m < 1; ++m) {
        int i = first + m * blockDim.x;
        if (i < n) out[i] = acc[m];
    }
}
