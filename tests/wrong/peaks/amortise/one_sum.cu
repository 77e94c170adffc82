// Wrong: the four points share one accumulator: right only where a thread has one point and one term.
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
        acc[0] = 0.0f;
    }
    for (int k = terms - 1; k >= 0; --k) {
        const float coefficient = c[k];
        #pragma unroll
        for (int p = 0; p < POINTS; ++p) acc[0] = fmaf(acc[0], value[p], coefficient);
    }
    #pragma unroll
    for (int p = 0; p < POINTS; ++p) {
        const int i = first + p * blockDim.x;
        if (i < n) out[i] = acc[0];
    }
}
