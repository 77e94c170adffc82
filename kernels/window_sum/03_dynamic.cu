// window_sum/03_dynamic: the launch sets the tile's size,
//     so the radius may be a run-time value.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 2*radius]
//
// Changed:  tile[THREADS + 2*RADIUS] -> extern tile[]; RADIUS -> radius
//           (from 02_shared)
// Launch:   block (THREADS), grid (ceil(n/THREADS)),
//           shared_bytes 4*(THREADS + 2*radius)
// Defines:  THREADS = 256
// Cost:     8*n bytes, 2*n flops (a sliding sum: one addition,
//           one subtraction)
// Assumes:  n + 2*radius + THREADS < 2^31
#ifndef THREADS
#define THREADS 256
#endif

extern "C" __global__
void window_sum_dynamic(
    const float* __restrict__ in,   // [n + 2*radius]
    float* __restrict__ out,        // [n]
    int n, int radius)
{
    const int width = THREADS + 2 * radius;
    extern __shared__ float tile[];
    int first = blockIdx.x * THREADS;
    for (int start = 0; start < width; start += THREADS) {
        int j = start + threadIdx.x;
        if (j < width) tile[j] = in[min(first + j, n + 2 * radius - 1)];
    }
    __syncthreads();
    int i = first + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * radius; ++k) {
            sum += tile[threadIdx.x + k];
        }
        out[i] = sum;
    }
}
