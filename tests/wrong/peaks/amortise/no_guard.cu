// Wrong: points past the end are stored outside the array.
#define POINTS 4

extern "C" __global__
void peaks_amortise(
    const float* __restrict__ x,    // [n]
    const float* __restrict__ c,    // [terms]
    float* __restrict__ out,        // [n]
    int n, int terms)
{
    const int first = blockIdx.x * blockDim.x * POINTS + threadIdx.x;
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
        for (int p = 0; p < POINTS; ++p) acc[p] = fmaf(acc[p], value[p], coefficient);
    }
    #pragma unroll
    for (int p = 0; p < POINTS; ++p) {
        const int i = first + p * blockDim.x;
        out[i] = acc[p];
    }
}
