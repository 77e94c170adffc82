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
// HINT 1: tile[j] belongs to element first - RADIUS + j, for j from 0
//         to THREADS + 2*RADIUS - 1.
// HINT 2: What stands in the tile for an element that does not exist? A zero
//         would win against negative values. The nearest element that exists
//         is harmless: its window has it already.
// HINT 3: tile[j] = in[min(max(first - RADIUS + j, 0), n - 1)],
//         then a barrier.
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
    // BEGIN SOLUTION 1: load a tile, wait, take the maximum (about 12 lines)
    // GIVEN: int i = blockIdx.x * THREADS + threadIdx.x;
    // GIVEN: if (i < n) {
    // GIVEN:     float largest = in[i];
    // GIVEN:     for (int j = max(i - RADIUS, 0);
    // GIVEN:          j <= min(i + RADIUS, n - 1); ++j) {
    // GIVEN:         largest = fmaxf(largest, in[j]);
    // GIVEN:     }
    // GIVEN:     out[i] = largest;
    // GIVEN: }
    __shared__ float tile[THREADS + 2 * RADIUS];
    int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < THREADS + 2 * RADIUS; j += THREADS) {
        tile[j] = in[min(max(first - RADIUS + j, 0), n - 1)];
    }
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n) {
        float largest = tile[threadIdx.x];
        for (int k = 1; k <= 2 * RADIUS; ++k)
            largest = fmaxf(largest, tile[threadIdx.x + k]);
        out[i] = largest;
    }
    // END SOLUTION 1
}
