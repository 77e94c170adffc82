// matvec/05_guarded: the last loads of a row leave together as well, guarded
//     one by one.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Changed:  a second loop for the rest -> guards around the loads
//           (from 05_in_flight)
// Launch:   block (256), grid (ceil(rows/8))
// Defines:  VEC = 1, LOADS = 4, BLOCKS = 4
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of VEC; a and x start at multiples of
//           4*VEC bytes
#ifndef VEC
#define VEC 1
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
#if VEC == 1
typedef float Word;
#elif VEC == 2
typedef float2 Word;
#elif VEC == 4
typedef float4 Word;
#endif

__device__ __forceinline__ float dot(float a, float x) { return a * x; }
__device__ __forceinline__ float dot(float2 a, float2 x) {
    return a.x * x.x + a.y * x.y;
}
__device__ __forceinline__ float dot(float4 a, float4 x) {
    return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w;
}

extern "C" __global__
void __launch_bounds__(256, BLOCKS) matvec_guarded(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32, words = cols / VEC;
    if (r < rows) {
        const Word* row = reinterpret_cast<const Word*>(
            a + (long long)r * cols);
        const Word* factors = reinterpret_cast<const Word*>(x);
        float acc = 0;
        #pragma unroll 1
        for (int w = lane; w < words; w += 32 * LOADS) {
            Word held[LOADS];
            #pragma unroll
            for (int k = 0; k < LOADS; ++k)
                held[k] = w + 32 * k < words ? __ldg(row + w + 32 * k)
                                             : Word{};
            #pragma unroll
            for (int k = 0; k < LOADS; ++k)
                acc += dot(held[k], w + 32 * k < words
                                    ? __ldg(factors + w + 32 * k) : Word{});
        }
        #pragma unroll
        for (int far = 16; far > 0; far /= 2)
            acc += __shfl_xor_sync(0xffffffff, acc, far);
        if (lane == 0) y[r] = acc;
    }
}
