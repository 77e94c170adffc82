// window_sum/07_larger: a tile for OUTPUTS outputs a thread, each of whose
//     windows is read in full.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 2*RADIUS]
//
// Changed:  one output a thread -> OUTPUTS, THREADS apart (from 02_shared)
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
static_assert(4 * (OUTPUTS * THREADS + 2 * RADIUS) <= 48 * 1024,
              "a static tile: at most 48 KB");

extern "C" __global__
void window_sum_larger(
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
    #pragma unroll 1   // as in 02_shared, one window after the other
    for (int o = 0; o < OUTPUTS; ++o) {
        int j = o * THREADS + threadIdx.x;
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k <= 2 * RADIUS; ++k) {
            sum += tile[j + k];
        }
        if (first + j < n) out[first + j] = sum;
    }
}
