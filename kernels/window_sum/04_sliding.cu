// window_sum/04_sliding: a thread slides its window over OUTPUTS
//     neighbours, in registers.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 2*RADIUS]
//
// Changed:  a window's sum -> the last one, plus what enters, minus
//           what leaves (from 08_registers)
// Launch:   block (THREADS), grid (ceil(n/(OUTPUTS*THREADS)))
// Defines:  RADIUS = 16, THREADS = 256, OUTPUTS = 15
// Cost:     8*n bytes, 2*n flops (a sliding sum: one addition,
//           one subtraction)
// Assumes:  n + 2*RADIUS + OUTPUTS*THREADS < 2^31;
//           in holds no infinity (inf - inf)
#ifndef RADIUS
#define RADIUS 16
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef OUTPUTS
#define OUTPUTS 15
#endif
static_assert(4 * (OUTPUTS * THREADS + 2 * RADIUS) <= 48 * 1024,
              "a static tile: at most 48 KB");

extern "C" __global__
void window_sum_sliding(
    const float* __restrict__ in,   // [n + 2*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    const int TILE = OUTPUTS * THREADS, WIDTH = TILE + 2 * RADIUS;
    __shared__ float tile[WIDTH];
    int first = blockIdx.x * TILE;
    #pragma unroll
    for (int start = 0; start < WIDTH; start += THREADS) {
        int j = start + threadIdx.x;
        if (j < WIDTH) tile[j] = in[min(first + j, n + 2 * RADIUS - 1)];
    }
    __syncthreads();
    float* mine = tile + OUTPUTS * threadIdx.x;   // OUTPUTS odd: all 32 banks
    float sum = 0.0f, sums[OUTPUTS];
    #pragma unroll
    for (int k = 0; k < OUTPUTS + 2 * RADIUS; ++k) {
        sum += mine[k];
        if (k < 2 * RADIUS) continue;
        sums[k - 2 * RADIUS] = sum;
        sum -= mine[k - 2 * RADIUS];   // this element leaves the window
    }
    __syncthreads();   // all have read: the tile may become the output
    #pragma unroll
    for (int k = 0; k < OUTPUTS; ++k) mine[k] = sums[k];
    __syncthreads();
    #pragma unroll
    for (int start = 0; start < TILE; start += THREADS) {
        int j = start + threadIdx.x;
        if (first + j < n) out[first + j] = tile[j];
    }
}
