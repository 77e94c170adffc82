// matvec/07_shared: a block's 8 warps keep a piece of x in shared memory,
//     for their 8 rows.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Changed:  x from the L1 cache -> x in pieces of PIECE words from shared
//           memory    (from 05_guarded)
// Launch:   block (256), grid (ceil(rows/8))
// Defines:  VEC = 4, LOADS = 4, PIECE = 512, BLOCKS = 4
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of VEC; a and x start at multiples of
//           4*VEC bytes
#ifndef VEC
#define VEC 4
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef PIECE
#define PIECE 512
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
static_assert(PIECE % (32 * LOADS) == 0, "whole rounds of a warp");
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
void __launch_bounds__(256, BLOCKS) matvec_shared(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32, words = cols / VEC;
    const Word* row = reinterpret_cast<const Word*>(
        a + (long long)min(r, rows - 1) * cols);
    const Word* factors = reinterpret_cast<const Word*>(x);
    __shared__ Word piece[PIECE];
    float acc = 0;
    #pragma unroll 1
    for (int w = lane; w - lane < words; w += 32 * LOADS) {
        int at = (w - lane) % PIECE;   // where in the piece
        if (at == 0) {
            __syncthreads();   // everybody is done with the piece before
            for (int i = threadIdx.x; i < PIECE; i += 256)
                if (w - lane + i < words) piece[i] = factors[w - lane + i];
            __syncthreads();
        }
        Word held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = w + 32 * k < words ? __ldg(row + w + 32 * k) : Word{};
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            if (w + 32 * k < words)
                acc += dot(held[k], piece[at + lane + 32 * k]);
    }
    #pragma unroll
    for (int far = 16; far > 0; far /= 2)
        acc += __shfl_xor_sync(0xffffffff, acc, far);
    if (lane == 0 && r < rows) y[r] = acc;
}
