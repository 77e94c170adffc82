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
// HINT 1: Let n be 1000. Which block is the last, and how many of its
//         threads have i < n?
// HINT 2: `in` has n + 2*RADIUS elements. Which of them does the last
//         block never load?
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
    // BEGIN SOLUTION 1: correct the two conditions
    // GIVEN: if (i < n) {
    // GIVEN:     tile[threadIdx.x] = in[i];
    // GIVEN: }
    // GIVEN: if (threadIdx.x < 2 * RADIUS && i + THREADS < n) {
    // GIVEN:     tile[THREADS + threadIdx.x] = in[i + THREADS];
    // GIVEN: }
    if (i < n + 2 * RADIUS) {
        tile[threadIdx.x] = in[i];
    }
    if (threadIdx.x < 2 * RADIUS && i + THREADS < n + 2 * RADIUS) {
        tile[THREADS + threadIdx.x] = in[i + THREADS];
    }
    // END SOLUTION 1
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
