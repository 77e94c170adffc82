// reduction/01_interleaved: a tree in shared memory. At strides 1, 2, 4, ...
//     every second, fourth, eighth ... thread adds its neighbour's sum.
//
// partial[block] = sum of the block's THREADS elements of in
//
// Changed:  nothing, the first step
// Launch:   block (THREADS), grid (ceil(n/THREADS))
// Defines:  THREADS = 256, UNROLL = 1, MODULO = 1
// Cost:     4*n bytes, n flops
// Assumes:  THREADS a power of two; n + THREADS < 2^31
#ifndef THREADS
#define THREADS 256
#endif
#ifndef UNROLL
#define UNROLL 1
#endif
#ifndef MODULO
#define MODULO 1
#endif
#if MODULO
#define MULTIPLE(thread, step) ((thread) % (step) == 0)
#else   // the same for a power of two
#define MULTIPLE(thread, step) (((thread) & ((step) - 1)) == 0)
#endif

extern "C" __global__
void reduction_interleaved(
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
    for (int stride = 1; stride < THREADS; stride *= 2) {
        if (MULTIPLE(thread, 2 * stride)) {
            sums[thread] += sums[thread + stride];
        }
        __syncthreads();
    }
    if (thread == 0) {
        partial[blockIdx.x] = sums[0];
    }
}
