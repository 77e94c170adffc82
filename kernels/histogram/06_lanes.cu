// histogram/06_lanes: every lane counts in a bank of its own.
//
// counts[b] += how many of in[0..n) are b
//
// Changed:  bins[256] -> bins[256][LANES], a column for each lane
//           (from 03_vectors)
// Launch:   block (THREADS),
//           grid (ceil(n/16384) if n < 16384*PER_SM*SMs else PER_SM*SMs),
//           shared_bytes 1024*LANES
// Defines:  LANES = 32, THREADS = 512, PER_SM = 4
// Cost:     n bytes, 0 flops
// Assumes:  n + 2^20 < 2^31; in starts at a multiple of 16 bytes
#ifndef LANES
#define LANES 32
#endif
#ifndef THREADS
#define THREADS 512
#endif
#ifndef PER_SM
#define PER_SM 4
#endif

__device__ __forceinline__ void count(int* column, unsigned byte)
{
    atomicAdd(&column[byte * LANES], 1);
}

__device__ __forceinline__ void count_four(int* column, unsigned bytes)
{
    count(column, bytes & 255);
    count(column, bytes >> 8 & 255);
    count(column, bytes >> 16 & 255);
    count(column, bytes >> 24);
}

extern "C" __global__
void histogram_lanes(
    const unsigned char* __restrict__ in,   // [n]
    int* __restrict__ counts,               // [256], zeros at first
    int n)
{
    extern __shared__ int bins[];           // [256][LANES]
    for (int b = threadIdx.x; b < 256 * LANES; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();

    int* column = bins + threadIdx.x % LANES;
    const uint4* quads = reinterpret_cast<const uint4*>(in);
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n / 16; i += threads) {
        uint4 quad = quads[i];
        count_four(column, quad.x);
        count_four(column, quad.y);
        count_four(column, quad.z);
        count_four(column, quad.w);
    }
    for (int i = n / 16 * 16 + first; i < n; i += threads)
        count(column, in[i]);

    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        int sum = 0;
        // Each thread starts in another column, so that all banks are read.
        for (int k = 0; k < LANES; ++k)
            sum += bins[b * LANES + (b + k) % LANES];
        if (sum)
            atomicAdd(&counts[b], sum);
    }
}
