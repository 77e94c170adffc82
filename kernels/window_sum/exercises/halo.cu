// window_sum/exercises/halo: the halo as many a first version loads it.
//     The last block goes wrong.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 2*RADIUS]
//
// Launch:   block (THREADS), grid (ceil(n/THREADS))
// Defines:  RADIUS = 16, THREADS = 256
// Cost:     8*n bytes, 2*n flops
// Assumes:  n + 2*RADIUS + THREADS < 2^31
//
// Asked: load the input all the same only once a block, but all that the
// block's windows cover.
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
    // YOUR CODE 1: correct the two conditions
    if (i < n) {
        tile[threadIdx.x] = in[i];
    }
    if (threadIdx.x < 2 * RADIUS && i + THREADS < n) {
        tile[THREADS + threadIdx.x] = in[i + THREADS];
    }
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
