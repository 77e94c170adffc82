// clusters/08_alone: each block counts its own share of the bins, and reads
//     all that its group has to count.
//
// counts[b] += how many of in[0..n) have floor((x - low) * scale) = b
//
// Changed:  a block counts its elements in everybody's bins ->
//           it counts everybody's elements in its own     (from 07_spread)
// Launch:   block (1024),
//           grid (CLUSTER*ceil(n/(8192*CLUSTER)) if n < 8192*(SMs//16*16)
//                 else SMs//16*16),
//           shared_bytes 4*BINS//CLUSTER
// Defines:  CLUSTER = 2, BINS = 65536
// Cost:     4*n bytes, 2*n flops
// Assumes:  n + 2^20 < 2^31; BINS / CLUSTER is a power of two;
//           as much shared memory as sm_90 has
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef BINS
#define BINS 65536
#endif
constexpr int SHARE = BINS / CLUSTER;       // bins of one block

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

    int threads = gridDim.x / CLUSTER * blockDim.x;
    int first = blockIdx.x / CLUSTER * blockDim.x + threadIdx.x;
    #pragma unroll 4
    for (int i = first; i < n; i += threads) {
        float place = (in[i] - low) * scale;
        if (place >= 0 && place < BINS) {   // NaN is in no bin
            int bin = int(place);
            if (bin / SHARE == rank)
                atomicAdd(&bins[bin % SHARE], 1);
        }
    }

    __syncthreads();
    for (int b = threadIdx.x; b < SHARE; b += blockDim.x)
        if (bins[b]) atomicAdd(&counts[rank * SHARE + b], bins[b]);
}
