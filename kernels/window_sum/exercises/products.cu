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
    // YOUR CODE 1: make b_tile, load both, sum products (about 14 lines)
}
