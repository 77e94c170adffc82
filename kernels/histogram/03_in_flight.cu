// histogram/03_in_flight: LOADS bytes of each thread are on their way at
//     once.
//
// counts[b] += how many of in[0..n) are b
//
// Changed:  one byte on its way -> LOADS of them  (from 02_shared)
// Launch:   block (256),
//           grid (ceil(n/4096) if n < 4096*8*SMs else 8*SMs)
// Defines:  LOADS = 8
// Cost:     n bytes, 0 flops
// Assumes:  n + LOADS * 2^19 < 2^31
#ifndef LOADS
#define LOADS 8
#endif

extern "C" __global__
void histogram_in_flight(
    const unsigned char* __restrict__ in,   // [n]
    int* __restrict__ counts,               // [256], zeros at first
    int n)
{
    __shared__ int bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += LOADS * threads) {
        int held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = i + k * threads < n ? in[i + k * threads] : -1;
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            if (held[k] >= 0)
                atomicAdd(&bins[held[k]], 1);
    }

    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (bins[b])
            atomicAdd(&counts[b], bins[b]);
}
