// numbers/13_convert: nothing but conversions, to a type and back.
//
// out[thread] = CHAINS*thread + 0 + 1 + ... + CHAINS - 1
// clock in MHz = ticks[block, 0] / ticks[block, 1] * 1000
//
// Changed:  a multiply-add in VIA -> none, only the way there and back
//           (from 10_via)
// Launch:   block (1024), grid (2 * SMs): all 64 warps that an SM can hold
// Defines:  VIA = double, CHAINS = 8, UNROLL = 64
// Cost:     4*threads + 16*blocks bytes, 0 flops
// Assumes:  iterations >= 1; VIA is double, int or half
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
// Written in PTX, or the compiler would see that nothing changes.
__device__ float there_and_back(float value, double)
{
    double there;
    asm volatile("cvt.f64.f32 %0, %1;" : "=d"(there) : "f"(value));
    asm volatile("cvt.rn.f32.f64 %0, %1;" : "=f"(value) : "d"(there));
    return value;
}
__device__ float there_and_back(float value, half)
{
    unsigned short there;
    asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(there) : "f"(value));
    asm volatile("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(there));
    return value;
}
__device__ float there_and_back(float value, int)
{
    int there;
    asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(there) : "f"(value));
    asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(value) : "r"(there));
    return value;
}

extern "C" __global__
void numbers_convert(
    float* __restrict__ out,         // [threads]
    long long* __restrict__ ticks,   // [blocks, 2]: SM cycles, nanoseconds
    int iterations)
{
    float acc[CHAINS];
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) acc[c] = c + threadIdx.x;

    long long start_ns, stop_ns;
    const long long start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    #pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            #pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                acc[c] = there_and_back(acc[c], VIA(0));
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
