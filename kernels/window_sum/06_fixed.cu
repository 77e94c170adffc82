// window_sum/06_fixed: the launch sets the tile's size,
//     and the compiler knows the radius all the same.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 2*RADIUS]
//
// Changed:  tile[THREADS + 2*RADIUS] -> extern tile[]        (from 02_shared)
// Launch:   block (THREADS), grid (ceil(n/THREADS)),
//           shared_bytes 4*(THREADS + 2*RADIUS)
// Defines:  RADIUS = 16, THREADS = 256
// Cost:     8*n bytes, 2*n flops (a sliding sum: one addition,
//           one subtraction)
// Assumes:  n + 2*RADIUS + THREADS < 2^31
#ifndef RADIUS
#define RADIUS 16
#endif
#ifndef THREADS
#define THREADS 256
#endif

extern "C" __global__
void window_sum_fixed(
    const float* __restrict__ in,   // [n + 2*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    const int WIDTH = THREADS + 2 * RADIUS;
    extern __shared__ float tile[];
    int first = blockIdx.x * THREADS;
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
}
