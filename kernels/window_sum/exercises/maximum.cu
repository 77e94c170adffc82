// window_sum/exercises/maximum: the largest value in a window,
//     which ends where the array ends.
//
// out[i] = max of in[j] for |i - j| <= RADIUS and 0 <= j < n
//
// Launch:   block (THREADS), grid (ceil(n/THREADS))
// Defines:  RADIUS = 4, THREADS = 256
// Cost:     8*n bytes, 2*RADIUS*n flops
// Assumes:  n + RADIUS + THREADS < 2^31
//
// The kernel below is right, and loads every element 2*RADIUS + 1 times.
// Asked: a tile in shared memory, so that a block loads each element of its
// stretch and halos once.
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
    // YOUR CODE 1: load a tile, wait, take the maximum (about 12 lines)
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        float largest = in[i];
        for (int j = max(i - RADIUS, 0);
             j <= min(i + RADIUS, n - 1); ++j) {
            largest = fmaxf(largest, in[j]);
        }
        out[i] = largest;
    }
}
