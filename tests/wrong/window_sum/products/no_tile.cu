// Wrong: no tile: every window from global memory.
#ifndef THREADS
#define THREADS 256
#endif

extern "C" __global__
void window_sum_products(
    const float* __restrict__ a,    // [n + 2*radius]
    const float* __restrict__ b,    // [n + 2*radius]
    float* __restrict__ out,        // [n]
    int n, int radius)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * radius; ++k) sum += a[i + k] * b[i + k];
        out[i] = sum;
    }
}
