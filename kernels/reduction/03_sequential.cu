// reduction/03_sequential: the same threads, but the upper half of what is
//     left is added to the lower half: neighbours add neighbours.
//
// partial[block] = sum of the block's THREADS elements of in
//
// Changed:  strides 1, 2, 4, ... -> THREADS/2, ..., 2, 1; thread t adds
//           at t; nothing to pad                       (from 02_strided)
// Launch:   block (THREADS), grid (ceil(n/THREADS))
// Defines:  THREADS = 256, UNROLL = 1, LAST_WARP = 0
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a power of two; n + THREADS < 2^31
#ifndef THREADS
#define THREADS 256
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef LAST_WARP
#define LAST_WARP 0
#endif

extern "C" __global__
void reduction_sequential(
    const float* __restrict__ in,    // [n]
    float* __restrict__ partial,     // [blocks]
    int n)
{
    __shared__ float sums[THREADS];
    int thread = threadIdx.x;
    int i = blockIdx.x * THREADS + thread;
    sums[thread] = i < n ? in[i] : 0.0f;
    __syncthreads();
    #pragma unroll UNROLL
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (thread < stride) {
            sums[thread] += sums[thread + stride];
        }
        // From here on a single warp adds; it need not wait for the others.
        if (LAST_WARP && stride <= 32) __syncwarp();
        else __syncthreads();
    }
    if (thread == 0) {
        partial[blockIdx.x] = sums[0];
    }
}
