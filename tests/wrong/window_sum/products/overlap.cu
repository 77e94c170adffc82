// Wrong: b_tile begins inside a_tile: the two overwrite each other's halos.
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
    extern __shared__ float a_tile[];
    int width = THREADS + 2 * radius;
    int first = blockIdx.x * THREADS;
    float* b_tile = a_tile + THREADS;
    for (int j = threadIdx.x; j < width; j += THREADS) {
        bool there = first + j < n + 2 * radius;
        a_tile[j] = there ? a[first + j] : 0.0f;
        b_tile[j] = there ? b[first + j] : 0.0f;
    }
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * radius; ++k) {
            sum += a_tile[threadIdx.x + k] * b_tile[threadIdx.x + k];
        }
        out[i] = sum;
    }
}
