// window_sum/08_registers: a thread reads the words of OUTPUTS neighbouring
//     windows once, and keeps them in registers.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 2*RADIUS]
//
// Changed:  OUTPUTS outputs THREADS apart -> neighbours, stored by way of
//           the tile (from 07_larger)
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
void window_sum_registers(
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
    float sums[OUTPUTS];
    #pragma unroll
    for (int o = 0; o < OUTPUTS; ++o) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k <= 2 * RADIUS; ++k) {
            sum += mine[o + k];   // the compiler reads each word once
        }
        sums[o] = sum;
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
