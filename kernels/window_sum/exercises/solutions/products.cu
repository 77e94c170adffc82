// window_sum/exercises/products: two tiles in one piece of dynamic
//     shared memory.
//
// out[i] = a[i]*b[i] + a[i + 1]*b[i + 1] + ...
//          + a[i + 2*radius]*b[i + 2*radius]
//
// Launch:   block (THREADS), grid (ceil(n/THREADS)),
//           shared_bytes 8*(THREADS + 2*radius)
// Defines:  THREADS = 256
// Cost:     12*n bytes, 3*n flops
// Assumes:  n + 2*radius + THREADS < 2^31
//
// The launch gives one piece of shared memory, large enough for both tiles.
// Asked: give each tile its half, load both, and sum the products; every
// element is loaded once a block.
// HINT 1: A kernel has one extern array. The second tile begins where
//         the first ends.
// HINT 2: float* b_tile = a_tile + width; the loop loads both, under
//         the same condition.
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
    // BEGIN SOLUTION 1: make b_tile, load both, sum products (about 14 lines)
    float* b_tile = a_tile + width;
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
    // END SOLUTION 1
}
