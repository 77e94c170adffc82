// Wrong: right, but every thread loads its whole window.
#ifndef RADIUS
#define RADIUS 4
#endif
#ifndef THREADS
#define THREADS 256
#endif

extern "C" __global__
void window_sum_maximum(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ float tile[THREADS + 2 * RADIUS];
    int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < THREADS + 2 * RADIUS; j += THREADS) {
        tile[j] = in[min(max(first - RADIUS + j, 0), n - 1)];
    }
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n) {
        float largest = tile[threadIdx.x];
        for (int k = 1; k <= 2 * RADIUS; ++k) largest = fmaxf(largest, in[min(max(i - RADIUS + k, 0), n - 1)]);
        out[i] = largest;
    }
}
