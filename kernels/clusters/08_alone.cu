// clusters/08_alone: each block counts its own share of the bins, and reads
//     all that its group has to count.
//
// counts[b] += how many of in[0..n) have floor((x - low) * scale) = b
//
// Changed:  a block counts its elements in everybody's bins ->
//           it counts everybody's elements in its own     (from 07_spread)
// Launch:   block (1024),
//           grid (CLUSTER*ceil(n/(8192*CLUSTER)) if n < 8192*BLOCKS
//                 else BLOCKS),
//           shared_bytes 4*BINS//CLUSTER
// Defines:  CLUSTER = 2, BINS = 65536, BLOCKS = 112, DEEP = 4
// Cost:     4*n bytes, 2*n flops
// Assumes:  n + 2^20 < 2^31; in starts at a multiple of 16 bytes;
//           BINS / CLUSTER is a power of two, BLOCKS a multiple of CLUSTER;
//           as much shared memory as sm_90 has
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef BINS
#define BINS 65536
#endif
#ifndef BLOCKS
#define BLOCKS 112
#endif
#ifndef DEEP
#define DEEP 4
#endif
constexpr int SHARE = BINS / CLUSTER;       // bins of one block

__device__ __forceinline__ void count(
    int* bins, float value, float low, float scale)
{
    float place = (value - low) * scale;
    if (place >= 0 && place < BINS) {       // NaN is in no bin
        unsigned bin = place;
        if (bin / SHARE == blockIdx.x % CLUSTER)
            atomicAdd(&bins[bin % SHARE], 1);
    }
}

extern "C" __global__
void clusters_alone(
    const float* __restrict__ in,       // [n]
    int* __restrict__ counts,           // [BINS], zeros at first
    int n, float low, float scale)
{
    extern __shared__ int bins[];       // [SHARE], those from rank * SHARE on
    int rank = blockIdx.x % CLUSTER;
    for (int b = threadIdx.x; b < SHARE; b += blockDim.x) bins[b] = 0;
    __syncthreads();

    const float none = __int_as_float(0x7fffffff);      // NaN
    const float4* quads = reinterpret_cast<const float4*>(in);
    int threads = gridDim.x / CLUSTER * blockDim.x;
    int first = blockIdx.x / CLUSTER * blockDim.x + threadIdx.x;
    #pragma unroll 1
    for (int i = first; i < n / 4; i += DEEP * threads) {
        float4 held[DEEP];                  // all asked for, then counted
        #pragma unroll
        for (int k = 0; k < DEEP; ++k) {
            held[k] = {none, none, none, none};
            if (i + k * threads < n / 4) held[k] = quads[i + k * threads];
        }
        #pragma unroll
        for (int k = 0; k < DEEP; ++k) {
            count(bins, held[k].x, low, scale);
            count(bins, held[k].y, low, scale);
            count(bins, held[k].z, low, scale);
            count(bins, held[k].w, low, scale);
        }
    }
    for (int i = n / 4 * 4 + first; i < n; i += threads)
        count(bins, in[i], low, scale);

    __syncthreads();
    for (int b = threadIdx.x; b < SHARE; b += blockDim.x)
        if (bins[b]) atomicAdd(&counts[rank * SHARE + b], bins[b]);
}
