// histogram/07_floats: BINS equal bins of floats, in shared memory or, for
//     comparison, in global memory.
//
// counts[b] += how many of in[0..n) have floor((x - low) * scale) = b
//
// Changed:  a byte is its bin -> a float is moved, scaled and cut
//           (from 03_vectors)
// Launch:   block (THREADS),
//           grid (ceil(n/4096) if n < 4096*PER_SM*SMs else PER_SM*SMs),
//           shared_bytes 4*BINS*SHARED
// Defines:  BINS = 4096, SHARED = 1, THREADS = 512, PER_SM = 4
// Cost:     4*n bytes, 2*n flops
// Assumes:  n + 2^20 < 2^31; in starts at a multiple of 16 bytes
#ifndef BINS
#define BINS 4096
#endif
#ifndef SHARED
#define SHARED 1
#endif
#ifndef THREADS
#define THREADS 512
#endif
#ifndef PER_SM
#define PER_SM 4
#endif

__device__ __forceinline__ void count(
    int* bins, float value, float low, float scale)
{
    float place = (value - low) * scale;
    if (place >= 0 && place < BINS)         // NaN is in no bin
        atomicAdd(&bins[int(place)], 1);
}

extern "C" __global__
void histogram_floats(
    const float* __restrict__ in,           // [n]
    int* __restrict__ counts,               // [BINS], zeros at first
    int n, float low, float scale)
{
    extern __shared__ int copy[];           // [BINS], if SHARED
    int* bins = SHARED ? copy : counts;
    if (SHARED)
        for (int b = threadIdx.x; b < BINS; b += blockDim.x)
            bins[b] = 0;
    __syncthreads();

    const float4* quads = reinterpret_cast<const float4*>(in);
    int threads = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n / 4; i += threads) {
        float4 quad = quads[i];
        count(bins, quad.x, low, scale);
        count(bins, quad.y, low, scale);
        count(bins, quad.z, low, scale);
        count(bins, quad.w, low, scale);
    }
    for (int i = n / 4 * 4 + first; i < n; i += threads)
        count(bins, in[i], low, scale);

    __syncthreads();
    if (SHARED)
        for (int b = threadIdx.x; b < BINS; b += blockDim.x)
            if (bins[b])
                atomicAdd(&counts[b], bins[b]);
}
