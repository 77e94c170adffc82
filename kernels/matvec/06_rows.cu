// matvec/06_rows: a warp takes ROWS rows at once, so that a word of x, once
//     loaded, serves them all.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Changed:  one row a warp -> ROWS rows    (from 05_guarded)
// Launch:   block (256), grid (ceil(rows/(8*ROWS)))
// Defines:  VEC = 4, LOADS = 2, ROWS = 2, PAST_L1 = 0, BLOCKS = 4
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of VEC; a and x start at multiples of
//           4*VEC bytes
#ifndef VEC
#define VEC 4
#endif
#ifndef LOADS
#define LOADS 2
#endif
#ifndef ROWS
#define ROWS 2
#endif
#ifndef PAST_L1
#define PAST_L1 0
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

// A word of x from the L1 cache, or past it from the L2 cache.
__device__ __forceinline__ Word factor_at(const Word* place) {
    return PAST_L1 ? __ldcg(place) : __ldg(place);
}

extern "C" __global__
void __launch_bounds__(256, BLOCKS) matvec_rows(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    int rows, int cols)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * ROWS;
    int lane = threadIdx.x % 32, words = cols / VEC;
    const Word* factors = reinterpret_cast<const Word*>(x);
    const Word* row[ROWS];   // behind the last row: the last row again
    float acc[ROWS] = {};
    #pragma unroll
    for (int m = 0; m < ROWS; ++m)
        row[m] = reinterpret_cast<const Word*>(
            a + (long long)min(first + m, rows - 1) * cols);
    #pragma unroll 1
    for (int w = lane; w < words; w += 32 * LOADS) {
        Word held[LOADS][ROWS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            #pragma unroll
            for (int m = 0; m < ROWS; ++m)
                held[k][m] = w + 32 * k < words ? __ldg(row[m] + w + 32 * k)
                                                : Word{};
        #pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            Word factor = w + 32 * k < words ? factor_at(factors + w + 32 * k)
                                             : Word{};
            #pragma unroll
            for (int m = 0; m < ROWS; ++m)
                acc[m] += dot(held[k][m], factor);
        }
    }
    #pragma unroll
    for (int m = 0; m < ROWS; ++m) {
        #pragma unroll
        for (int far = 16; far > 0; far /= 2)
            acc[m] += __shfl_xor_sync(0xffffffff, acc[m], far);
        if (lane == 0 && first + m < rows) y[first + m] = acc[m];
    }
}
