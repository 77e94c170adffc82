// Wrong: fifty barriers, where two will do.
#ifndef RADIUS
#define RADIUS 16
#endif
#ifndef THREADS
#define THREADS 256
#endif

extern "C" __global__
void window_sum_twice(
    const float* __restrict__ in,   // [n + 4*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ float tile[THREADS + 4 * RADIUS];
    __shared__ float once[THREADS + 2 * RADIUS];
    int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < THREADS + 4 * RADIUS; j += THREADS) {
        tile[j] = first + j < n + 4 * RADIUS ? in[first + j] : 0.0f;
    }
    for (int k = 0; k < 49; ++k) __syncthreads();
    for (int j = threadIdx.x; j < THREADS + 2 * RADIUS; j += THREADS) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * RADIUS; ++k) sum += tile[j + k];
        once[j] = sum;
    }
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * RADIUS; ++k) sum += once[threadIdx.x + k];
        out[i] = sum;
    }
}
