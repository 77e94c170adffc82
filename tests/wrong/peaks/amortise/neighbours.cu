// Wrong: right, but a thread takes four neighbours, so that lanes read 16 bytes apart.
#define POINTS 4

extern "C" __global__
void peaks_amortise(
    const float* __restrict__ x,    // [n]
    const float* __restrict__ c,    // [terms]
    float* __restrict__ out,        // [n]
    int n, int terms)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * POINTS;
    float value[POINTS], acc[POINTS];
    #pragma unroll
    for (int p = 0; p < POINTS; ++p) {
        const int i = first + p;
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
        const int i = first + p;
        if (i < n) out[i] = acc[p];
    }
}
