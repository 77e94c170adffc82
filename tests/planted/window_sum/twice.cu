// WRONG barrier_in_the_loop: not all threads go round the loop a second time, so the barrier diverges.
// BEGIN SOLUTION 2
// END SOLUTION 2
// INSTEAD OF
        once[j] = sum;
    }
// WRITE
        once[j] = sum;
        __syncthreads();
    }
// END

// WRONG behind_a_return: threads beyond the end leave before the barriers.
// INSTEAD OF
    for (int j = threadIdx.x; j < THREADS + 4 * RADIUS; j += THREADS) {
// WRITE
    if (first + threadIdx.x >= n + 2 * RADIUS) return;
    for (int j = threadIdx.x; j < THREADS + 4 * RADIUS; j += THREADS) {
// END

// WRONG conditional: the second barrier stands in an if, and not all threads reach it.
// BEGIN SOLUTION 2
// END SOLUTION 2
// INSTEAD OF
    if (i < n) {
        float sum = 0.0f;
// WRITE
    if (i < n) {
        __syncthreads();
        float sum = 0.0f;
// END

// WRONG fifty_barriers: fifty barriers, where two will do.
// BEGIN SOLUTION 1
    for (int k = 0; k < 49; ++k) __syncthreads();
// END SOLUTION 1

// WRONG first_barrier_only: threads sum once[] before the others have written it.
// BEGIN SOLUTION 2
// END SOLUTION 2

// WRONG no_tile: no tile: every window from global memory, and each sum many times.
#define RADIUS 16
#define THREADS 256

extern "C" __global__
void window_sum_twice(
    const float* __restrict__ in,   // [n + 4*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * RADIUS; ++k)
            for (int j = 0; j <= 2 * RADIUS; ++j) sum += in[i + k + j];
        out[i] = sum;
    }
}

// WRONG one_warp: __syncwarp orders the lanes of one warp, and the halo comes from the next.
// BEGIN SOLUTION 2
    __syncwarp();
// END SOLUTION 2

// WRONG second_barrier_only: threads sum the tile before the others have loaded it.
// BEGIN SOLUTION 1
// END SOLUTION 1
