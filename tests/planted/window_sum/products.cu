// WRONG half_shared: right, but b comes from global memory for every window.
// INSTEAD OF
            sum += a_tile[threadIdx.x + k] * b_tile[threadIdx.x + k];
// WRITE
            sum += a_tile[threadIdx.x + k] * b[i + k];
// END

// WRONG in_bytes: counts the offset in bytes, so b_tile ends far outside.
// INSTEAD OF
    float* b_tile = a_tile + width;
// WRITE
    float* b_tile = a_tile + 4 * width;
// END

// WRONG no_barrier: threads read the tiles before the others have loaded them.
// INSTEAD OF
    __syncthreads();
// WRITE
// END

// WRONG no_halo: loads one element a thread: the halos are never written.
// INSTEAD OF
    for (int j = threadIdx.x; j < width; j += THREADS) {
// WRITE
    int j = threadIdx.x;
    {
// END

// WRONG no_tile: no tile: every window from global memory.
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

// WRONG overlap: b_tile begins inside a_tile: the two overwrite each other's halos.
// INSTEAD OF
    float* b_tile = a_tile + width;
// WRITE
    float* b_tile = a_tile + THREADS;
// END
