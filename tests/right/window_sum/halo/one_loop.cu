// Right: one loop fills the tile, halo and all.
#ifndef RADIUS
#define RADIUS 16
#endif
#ifndef THREADS
#define THREADS 256
#endif
static_assert(2 * RADIUS <= THREADS,
              "one more load a thread must cover the halo");

extern "C" __global__
void window_sum_halo(
    const float* __restrict__ in,   // [n + 2*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ float tile[THREADS + 2 * RADIUS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int j = i; j < min(n, (int(blockIdx.x) + 1) * THREADS) + 2 * RADIUS; j += THREADS)
        tile[j - blockIdx.x * THREADS] = in[j];
    __syncthreads();
    if (i < n) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k <= 2 * RADIUS; ++k) {
            sum += tile[threadIdx.x + k];
        }
        out[i] = sum;
    }
}
