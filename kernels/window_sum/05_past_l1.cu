// window_sum/05_past_l1: the same loads, past the L1 cache.
//
// out[i] = in[i] + in[i + 1] + ... + in[i + 2*RADIUS]
//
// Changed:  in[i + k] -> __ldcg(in + i + k)                  (from 01_naive)
// Launch:   block (THREADS), grid (ceil(n/THREADS))
// Defines:  RADIUS = 16, THREADS = 256
// Cost:     8*n bytes, 2*n flops (a sliding sum: one addition,
//           one subtraction)
// Assumes:  n + 2*RADIUS < 2^31
#ifndef RADIUS
#define RADIUS 16
#endif
#ifndef THREADS
#define THREADS 256
#endif

extern "C" __global__
void window_sum_past_l1(
    const float* __restrict__ in,   // [n + 2*RADIUS]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k <= 2 * RADIUS; ++k) {
            sum += __ldcg(in + i + k);
        }
        out[i] = sum;
    }
}
