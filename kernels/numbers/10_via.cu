// numbers/10_via: float accumulators, each step computed in another type:
//     converted and back.
//
// out[thread] = CHAINS, the limit of
//               acc = float(VIA(acc) * VIA(scale) + VIA(1 - scale))
// clock in MHz = ticks[block, 0] / ticks[block, 1] * 1000
//
// Changed:  TYPE -> float around arithmetic in VIA, and one value in each
//           (from 09_rate)
// Launch:   block (1024), grid (2 * SMs): all 64 warps that an SM can hold
// Defines:  VIA = double, CHAINS = 8, UNROLL = 64
// Cost:     4*threads + 16*blocks bytes,
//           2*CHAINS*UNROLL*iterations*threads flops
// Assumes:  iterations >= 1; VIA is double, float, int, half or __nv_bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef VIA
#define VIA double
#endif
#ifndef CHAINS
#define CHAINS 8
#endif
#ifndef UNROLL
#define UNROLL 64
#endif
typedef __nv_bfloat16 bf16;
template <class T> __device__ T multiply_add(T a, T b, T c)
{ return a * b + c; }
template <> __device__ half multiply_add(half a, half b, half c)
{ return __hfma(a, b, c); }
#if __CUDA_ARCH__ >= 800  // before, the GPU had no arithmetic on bfloat16
template <> __device__ bf16 multiply_add(bf16 a, bf16 b, bf16 c)
{ return __hfma(a, b, c); }
#endif

extern "C" __global__
void numbers_via(
    float* __restrict__ out,         // [threads]
    long long* __restrict__ ticks,   // [blocks, 2]: SM cycles, nanoseconds
    int iterations)
{
    const VIA scale = VIA(0.5f - threadIdx.x * 0x1p-12f);
    const VIA offset = VIA(1.0f) - scale;
    float acc[CHAINS];
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) acc[c] = c;

    long long start_ns, stop_ns;
    const long long start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    #pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            #pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                acc[c] = multiply_add(VIA(acc[c]), scale, offset);
        }
    }
    float sum = 0.0f;
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += acc[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns) :: "memory");
    if (threadIdx.x == 0) {
        ticks[2 * blockIdx.x] = stop - start;
        ticks[2 * blockIdx.x + 1] = stop_ns - start_ns;
    }
}
