// histogram/02_shared: a block counts in its shared memory, and adds its
//     256 counters to the global ones at the end.
//
// counts[b] += how many of in[0..n) are b
//
// Changed:  counters in global memory -> a copy for each block in shared
//           memory                                  (from 01_global)
// Launch:   block (256),
//           grid (ceil(n/4096) if n < 4096*8*SMs else 8*SMs)
// Defines:  none
// Cost:     n bytes, 0 flops
// Assumes:  n + 2^20 < 2^31
extern "C" __global__
void histogram_shared(
    const unsigned char* __restrict__ in,   // [n]
    int* __restrict__ counts,               // [256], zeros at first
    int n)
{
    __shared__ int bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&bins[in[i]], 1);

    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (bins[b])
            atomicAdd(&counts[b], bins[b]);
}
