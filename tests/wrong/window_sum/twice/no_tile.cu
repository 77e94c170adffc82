// Wrong: no tile: every window from global memory, and each sum many times.
#define RADIUS 16
#define THREADS 256

extern "C" __global__
void window_sum_twice(
    const float* __restrict__ in,   // [n + 4*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * RADIUS; ++k)
            for (int j = 0; j <= 2 * RADIUS; ++j) sum += in[i + k + j];
        out[i] = sum;
    }
}
