// matvec/15_batch: BATCH vectors at once: a word of the matrix, once loaded,
//     is multiplied with BATCH words of x.
//
// y[b, r] = a[r, 0] * x[b, 0] + a[r, 1] * x[b, 1] + ...
//
// Changed:  one x -> BATCH of them    (from 06_rows)
// Launch:   block (256), grid (ceil(rows/(8*ROWS)))
// Defines:  VEC = 4, LOADS = 1, ROWS = 4, BATCH = 4, BLOCKS = 2
// Cost:     4*(rows*cols + BATCH*(rows + cols)) bytes,
//           2*BATCH*rows*cols flops
// Assumes:  cols a multiple of VEC; a and x start at multiples of
//           4*VEC bytes
#ifndef VEC
#define VEC 4
#endif
#ifndef LOADS
#define LOADS 1
#endif
#ifndef ROWS
#define ROWS 4
#endif
#ifndef BATCH
#define BATCH 4
#endif
#ifndef BLOCKS
#define BLOCKS 2
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
void __launch_bounds__(256, BLOCKS) matvec_batch(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [BATCH, cols]
    float* __restrict__ y,         // [BATCH, rows]
    int rows, int cols)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * ROWS;
    int lane = threadIdx.x % 32, words = cols / VEC;
    const Word* factors = reinterpret_cast<const Word*>(x);
    const Word* row[ROWS];   // behind the last row: the last row again
    float acc[ROWS][BATCH] = {};
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
        for (int k = 0; k < LOADS; ++k)
            if (w + 32 * k < words)
                #pragma unroll
                for (int b = 0; b < BATCH; ++b) {
                    Word factor = __ldg(factors + b * words + w + 32 * k);
                    #pragma unroll
                    for (int m = 0; m < ROWS; ++m)
                        acc[m][b] += dot(held[k][m], factor);
                }
    }
    #pragma unroll
    for (int m = 0; m < ROWS; ++m)
        #pragma unroll
        for (int b = 0; b < BATCH; ++b) {
            #pragma unroll
            for (int far = 16; far > 0; far /= 2)
                acc[m][b] += __shfl_xor_sync(0xffffffff, acc[m][b], far);
            if (lane == 0 && first + m < rows)
                y[(long long)b * rows + first + m] = acc[m][b];
        }
}
