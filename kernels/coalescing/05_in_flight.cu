// coalescing/05_in_flight: LOADS independent loads leave before the first
//     store waits for one.
//
// out[i] = in[i]
//
// Changed:  one float4 per thread -> LOADS of them, a block's width apart
//           (from 04_float4)
// Launch:   block (256), grid (ceil(n/(1024*LOADS)))
// Defines:  LOADS = 4
// Cost:     8*n bytes, 0 flops
// Assumes:  in and out start at multiples of 16 bytes
#ifndef LOADS
#define LOADS 4
#endif

extern "C" __global__
void coalescing_in_flight(
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
        if (quad < quads) held[k] = reinterpret_cast<const float4*>(in)[quad];
    }
    #pragma unroll
    for (int k = 0; k < LOADS; ++k) {
        int quad = i + k * blockDim.x;
        if (quad < quads) reinterpret_cast<float4*>(out)[quad] = held[k];
    }
    int rest = 4 * quads + i;
    if (rest < n) {
        out[rest] = in[rest];
    }
}
