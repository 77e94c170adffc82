// window_sum/exercises/twice: a window sum of a window sum,
//     without a trip to global memory.
//
// once[i] = in[i] + ... + in[i + 2*RADIUS]
// out[i] = once[i] + ... + once[i + 2*RADIUS]
//
// Launch:   block (THREADS), grid (ceil(n/THREADS))
// Defines:  RADIUS = 16, THREADS = 256
// Cost:     8*n bytes, 4*n flops
// Assumes:  n + 4*RADIUS + THREADS < 2^31
//
// Threads read what other threads have written, and nothing here makes them
// wait. Asked: as few barriers as will do, and each where all threads of the
// block reach it.
// HINT 1: Which two arrays does one thread write and another read?
// HINT 2: Put a barrier between the loop that writes an array and the
//         loop that reads it. Inside a loop or an if, some threads
//         would not reach it.
#ifndef RADIUS
#define RADIUS 16
#endif
#ifndef THREADS
#define THREADS 256
#endif

extern "C" __global__
void window_sum_twice(
    const float* __restrict__ in,   // [n + 4*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    __shared__ float tile[THREADS + 4 * RADIUS];
    __shared__ float once[THREADS + 2 * RADIUS];
    int first = blockIdx.x * THREADS;
    for (int j = threadIdx.x; j < THREADS + 4 * RADIUS; j += THREADS) {
        tile[j] = first + j < n + 4 * RADIUS ? in[first + j] : 0.0f;
    }
    // BEGIN SOLUTION 1: is the tile whole?
    __syncthreads();
    // END SOLUTION 1
    for (int j = threadIdx.x; j < THREADS + 2 * RADIUS; j += THREADS) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * RADIUS; ++k) sum += tile[j + k];
        once[j] = sum;
    }
    // BEGIN SOLUTION 2: are the first sums there?
    __syncthreads();
    // END SOLUTION 2
    int i = first + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * RADIUS; ++k) sum += once[threadIdx.x + k];
        out[i] = sum;
    }
}
