// matvec/08_team: TEAM threads a row, from one to a whole block: the shape of
//     the matrix decides how many.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Changed:  32 threads a row -> TEAM, which may be several warps
//           (from 05_guarded)
// Launch:   block (256), grid (ceil(rows*TEAM/256))
// Defines:  VEC = 4, LOADS = 4, TEAM = 32, STREAM = 1, BLOCKS = 4
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of VEC; a and x start at multiples of
//           4*VEC bytes
#ifndef VEC
#define VEC 4
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef TEAM
#define TEAM 32
#endif
#ifndef STREAM
#define STREAM 1
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
static_assert(256 % TEAM == 0, "TEAM is a power of two up to 256");
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

// A word of the matrix, which nobody needs again: 1 tells the caches so.
__device__ __forceinline__ Word take(const Word* place) {
    return STREAM ? __ldcs(place) : __ldg(place);
}

extern "C" __global__
void __launch_bounds__(256, BLOCKS) matvec_team(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    int rows, int cols)
{
    int r = (blockIdx.x * 256 + threadIdx.x) / TEAM;
    int mate = threadIdx.x % TEAM, words = cols / VEC;
    const Word* row = reinterpret_cast<const Word*>(
        a + (long long)min(r, rows - 1) * cols);
    const Word* factors = reinterpret_cast<const Word*>(x);
    float acc = 0;
    #pragma unroll 1
    for (int w = mate; w < words; w += TEAM * LOADS) {
        Word held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = w + TEAM * k < words ? take(row + w + TEAM * k)
                                           : Word{};
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            acc += dot(held[k], w + TEAM * k < words
                                ? __ldg(factors + w + TEAM * k) : Word{});
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
