// peaks/01_copy: the fastest a kernel can move memory: wide loads,
//     QUADS of them for each thread.
//
// out[i] = in[i]
//
// Launch:   block (256), grid (ceil(n/(1024*QUADS)))
// Defines:  QUADS = 1
// Cost:     8*n bytes, 0 flops
// Assumes:  in and out start at multiples of 16 bytes, as every CuPy
//           allocation does
#ifndef QUADS
#define QUADS 1
#endif
static_assert(QUADS >= 1 && QUADS <= 16,
              "a thread holds QUADS float4 in registers");

extern "C" __global__
void peaks_copy(
    const float* __restrict__ in,   // [n]
    float* __restrict__ out,        // [n]
    int n)
{
    const float4* in_quads = reinterpret_cast<const float4*>(in);
    float4* out_quads = reinterpret_cast<float4*>(out);
    const int quads = n / 4;
    const int first = blockIdx.x * blockDim.x * QUADS + threadIdx.x;

    // All loads, then all stores. The compiler keeps to that up to QUADS = 4;
    // with 8 it moves a store between the loads.
    float4 held[QUADS];
    #pragma unroll
    for (int k = 0; k < QUADS; ++k) {
        const int quad = first + k * blockDim.x;
        if (quad < quads) held[k] = in_quads[quad];
    }
    #pragma unroll
    for (int k = 0; k < QUADS; ++k) {
        const int quad = first + k * blockDim.x;
        if (quad < quads) out_quads[quad] = held[k];
    }

    // The last n % 4 floats do not fill a float4.
    const int rest = 4 * quads + threadIdx.x;
    if (blockIdx.x == 0 && rest < n) out[rest] = in[rest];
}
