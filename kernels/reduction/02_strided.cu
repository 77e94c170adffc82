// reduction/02_strided: the same additions by the first threads of the
//     block, so that whole warps are done; their addresses lie far apart.
//
// partial[block] = sum of the block's THREADS elements of in
//
// Changed:  thread t adds at t -> thread t adds at 2*stride*t
//           (from 01_interleaved)
// Launch:   block (THREADS), grid (ceil(n/THREADS))
// Defines:  THREADS = 256, UNROLL = 1, PAD = 0
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a power of two, 32 or more; n + THREADS < 2^31
#ifndef THREADS
#define THREADS 256
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef PAD
#define PAD 0
#endif
// Where an element lies: PAD spare words behind every 32.
#define AT(i) ((i) + PAD * ((i) / 32))

extern "C" __global__
void reduction_strided(
    const float* __restrict__ in,    // [n]
    float* __restrict__ partial,     // [blocks]
    int n)
{
    __shared__ float sums[AT(THREADS)];
    int thread = threadIdx.x;
    int i = blockIdx.x * THREADS + thread;
    sums[AT(thread)] = i < n ? in[i] : 0.0f;
    __syncthreads();
    #pragma unroll UNROLL
    for (int stride = 1; stride < THREADS; stride *= 2) {
        int left = 2 * stride * thread;
        if (left < THREADS) {
            sums[AT(left)] += sums[AT(left + stride)];
        }
        __syncthreads();
    }
    if (thread == 0) {
        partial[blockIdx.x] = sums[0];
    }
}
