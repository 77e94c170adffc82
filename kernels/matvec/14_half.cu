// matvec/14_half: the matrix in 16 bits a number, sums in float: half the
//     bytes to read.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Changed:  words of 4 floats -> words of 8 numbers of 16 bits, float16
//           (BF16 = 0) or bfloat16 (BF16 = 1)    (from 08_team)
// Launch:   block (256), grid (ceil(rows*TEAM/256))
// Defines:  LOADS = 4, TEAM = 32, BF16 = 0, BLOCKS = 4
// Cost:     2*rows*cols + 4*(rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of 8; a and x start at multiples of 16 bytes
#ifndef LOADS
#define LOADS 4
#endif
#ifndef TEAM
#define TEAM 32
#endif
#ifndef BF16
#define BF16 0
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
static_assert(256 % TEAM == 0, "TEAM is a power of two up to 256");

// A number of 16 bits as a float. A bfloat16 is a float's upper half.
__device__ __forceinline__ float widen(unsigned short bits) {
    float value = __uint_as_float((unsigned)bits << 16);
    if (!BF16) asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

__device__ __forceinline__ float dot(unsigned pair, float x0, float x1) {
    return widen(pair & 0xffff) * x0 + widen(pair >> 16) * x1;
}
__device__ __forceinline__ float dot(uint4 a, float4 low, float4 high) {
    return dot(a.x, low.x, low.y) + dot(a.y, low.z, low.w)
        + dot(a.z, high.x, high.y) + dot(a.w, high.z, high.w);
}

extern "C" __global__
void __launch_bounds__(256, BLOCKS) matvec_half(
    const unsigned short* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,            // [cols]
    float* __restrict__ y,                  // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * 256 + threadIdx.x) / TEAM;
    int mate = threadIdx.x % TEAM, words = cols / 8;
    const uint4* row = reinterpret_cast<const uint4*>(
        a + (long long)min(r, rows - 1) * cols);
    const float4* factors = reinterpret_cast<const float4*>(x);
    float acc = 0;
    #pragma unroll 1
    for (int w = mate; w < words; w += TEAM * LOADS) {
        uint4 held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = w + TEAM * k < words ? __ldcs(row + w + TEAM * k)
                                           : uint4{};
        #pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            int at = 2 * min(w + TEAM * k, words - 1);   // of x, in float4
            acc += dot(held[k], __ldg(factors + at), __ldg(factors + at + 1));
        }
    }
    #pragma unroll
    for (int far = (TEAM < 32 ? TEAM : 32) / 2; far > 0; far /= 2)
        acc += __shfl_xor_sync(0xffffffff, acc, far);
    if (TEAM > 32) {   // the team's first thread adds up its warps
        __shared__ float sums[8];
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = acc;
        __syncthreads();
        for (int p = 1; p < TEAM / 32; ++p)
            acc += sums[(threadIdx.x / 32 + p) % 8];
    }
    if (mate == 0 && r < rows) y[r] = acc;
}
