// histogram/03_vectors: one load brings a thread 16 bytes to count.
//
// counts[b] += how many of in[0..n) are b
//
// Changed:  one byte a load -> 16 bytes a load, and a tail  (from 02_shared)
// Launch:   block (256),
//           grid (ceil(n/16384) if n < 16384*8*SMs else 8*SMs)
// Defines:  ADD = 1
// Cost:     n bytes, 0 flops
// Assumes:  n + 2^20 < 2^31; in starts at a multiple of 16 bytes
#ifndef ADD
#define ADD 1
#endif

// With another number than 1 the compiler takes another instruction.
__device__ __forceinline__ void count(int* bins, unsigned byte)
{
    atomicAdd(&bins[byte], ADD);
}

__device__ __forceinline__ void count_four(int* bins, unsigned bytes)
{
    count(bins, bytes & 255);
    count(bins, bytes >> 8 & 255);
    count(bins, bytes >> 16 & 255);
    count(bins, bytes >> 24);
}

extern "C" __global__
void histogram_vectors(
    const unsigned char* __restrict__ in,   // [n]
    int* __restrict__ counts,               // [256], zeros at first
    int n)
{
    __shared__ int bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    const uint4* quads = reinterpret_cast<const uint4*>(in);
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n / 16; i += threads) {
        uint4 quad = quads[i];
        count_four(bins, quad.x);
        count_four(bins, quad.y);
        count_four(bins, quad.z);
        count_four(bins, quad.w);
    }
    for (int i = n / 16 * 16 + first; i < n; i += threads)
        count(bins, in[i]);

    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (bins[b])
            atomicAdd(&counts[b], bins[b]);
}
