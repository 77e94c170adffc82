// numbers/09_rate: nothing but multiply-adds, in the type that you choose.
//
// out[thread] = CHAINS for each value in a TYPE, the limit of
//               acc = acc * scale + (1 - scale)
// clock in MHz = ticks[block, 0] / ticks[block, 1] * 1000
//
// Changed:  rewrite: arithmetic alone, in registers, in place
//           of sums over memory
// Launch:   block (1024), grid (2 * SMs): all 64 warps that an SM can hold
// Defines:  TYPE = float, CHAINS = 8, UNROLL = 64
// Cost:     4*threads + 16*blocks bytes, 2*CHAINS*UNROLL*iterations*threads
//           flops for each value
// Assumes:  iterations >= 1; TYPE is double, float, int,
//           half2 or __nv_bfloat162
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef TYPE
#define TYPE float
#endif
#ifndef CHAINS
#define CHAINS 8
#endif
#ifndef UNROLL
#define UNROLL 64
#endif
typedef __nv_bfloat162 bf162;
template <class T> __device__ T make(float x, float y) { return T(x); }
template <> __device__ half2 make(float x, float y)
{ return __floats2half2_rn(x, y); }
template <> __device__ bf162 make(float x, float y)
{ return __floats2bfloat162_rn(x, y); }
template <class T> __device__ T multiply_add(T a, T b, T c)
{ return a * b + c; }
template <> __device__ half2 multiply_add(half2 a, half2 b, half2 c)
{ return __hfma2(a, b, c); }
#if __CUDA_ARCH__ >= 800  // before, the GPU had no arithmetic on bfloat16
template <> __device__ bf162 multiply_add(bf162 a, bf162 b, bf162 c)
{ return __hfma2(a, b, c); }
#endif
template <class T> __device__ float total(T x) { return x; }
template <> __device__ float total(half2 x)
{ return __low2float(x) + __high2float(x); }
template <> __device__ float total(bf162 x)
{ return __low2float(x) + __high2float(x); }

extern "C" __global__
void numbers_rate(
    float* __restrict__ out,         // [threads]
    long long* __restrict__ ticks,   // [blocks, 2]: SM cycles, nanoseconds
    int iterations)
{
    const float slope = threadIdx.x * 0x1p-12f;
    const TYPE scale = make<TYPE>(0.5f - slope, 0.25f + slope);
    const TYPE offset = make<TYPE>(1.0f, 1.0f) - scale;
    TYPE acc[CHAINS];
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) acc[c] = make<TYPE>(c, c);

    long long start_ns, stop_ns;
    const long long start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns) :: "memory");
    #pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            #pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                acc[c] = multiply_add(acc[c], scale, offset);
        }
    }
    float sum = 0.0f;
    #pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += total(acc[c]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    const long long stop = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop_ns) :: "memory");
    if (threadIdx.x == 0) {
        ticks[2 * blockIdx.x] = stop - start;
        ticks[2 * blockIdx.x + 1] = stop_ns - start_ns;
    }
}
