// window_sum/09_rounds: a block takes one small tile after the other, as many
//     as the large tile of 07_larger holds.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 2*RADIUS]
//
// Changed:  one tile a block -> OUTPUTS tiles, in turn       (from 02_shared)
// Launch:   block (THREADS), grid (ceil(n/(OUTPUTS*THREADS)))
// Defines:  RADIUS = 16, THREADS = 256, OUTPUTS = 15
// Cost:     8*n bytes, 2*n flops (a sliding sum: one addition,
//           one subtraction)
// Assumes:  n + 2*RADIUS + OUTPUTS*THREADS < 2^31
#ifndef RADIUS
#define RADIUS 16
#endif
#ifndef THREADS
#define THREADS 256
#endif
#ifndef OUTPUTS
#define OUTPUTS 15
#endif
static_assert(4 * (THREADS + 2 * RADIUS) <= 48 * 1024,
              "a static tile: at most 48 KB");

extern "C" __global__
void window_sum_rounds(
    const float* __restrict__ in,   // [n + 2*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    const int WIDTH = THREADS + 2 * RADIUS;
    __shared__ float tile[WIDTH];
    #pragma unroll 1   // the next tile is loaded when this one is done
    for (int o = 0; o < OUTPUTS; ++o) {
        int first = (blockIdx.x * OUTPUTS + o) * THREADS;
        #pragma unroll
        for (int start = 0; start < WIDTH; start += THREADS) {
            int j = start + threadIdx.x;
            if (j < WIDTH) tile[j] = in[min(first + j, n + 2 * RADIUS - 1)];
        }
        __syncthreads();
        int i = first + threadIdx.x;
        if (i < n) {
            float sum = 0.0f;
            #pragma unroll
            for (int k = 0; k <= 2 * RADIUS; ++k) {
                sum += tile[threadIdx.x + k];
            }
            out[i] = sum;
        }
        __syncthreads();   // all have read: the tile may be overwritten
    }
}
