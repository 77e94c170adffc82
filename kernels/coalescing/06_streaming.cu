// coalescing/06_streaming: no line is used twice, so tell both caches
//     to let it go first.
//
// out[i] = in[i]
//
// Changed:  plain loads and stores -> __ldcs and __stcs  (from 05_in_flight)
// Launch:   block (256), grid (ceil(n/(1024*LOADS)))
// Defines:  LOADS = 4
// Cost:     8*n bytes, 0 flops
// Assumes:  in and out start at multiples of 16 bytes
#ifndef LOADS
#define LOADS 4
#endif

extern "C" __global__
void coalescing_streaming(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    int i = LOADS * blockIdx.x * blockDim.x + threadIdx.x;
    int quads = n / 4;
    float4 held[LOADS];
    #pragma unroll
    for (int k = 0; k < LOADS; ++k) {
        int quad = i + k * blockDim.x;
        if (quad < quads)
            held[k] = __ldcs(reinterpret_cast<const float4*>(in) + quad);
    }
    #pragma unroll
    for (int k = 0; k < LOADS; ++k) {
        int quad = i + k * blockDim.x;
        if (quad < quads)
            __stcs(reinterpret_cast<float4*>(out) + quad, held[k]);
    }
    int rest = 4 * quads + i;
    if (rest < n) {
        out[rest] = in[rest];
    }
}
