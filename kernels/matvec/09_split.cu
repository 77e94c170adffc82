// matvec/09_split: `split` blocks share a row; the last of them to finish
//     adds up what all have left, in a fixed order.
//
// y[r] = a[r, 0] * x[0] + a[r, 1] * x[1] + ...
//
// Changed:  a team has a whole row -> one of `split` shares of it
//           (from 08_team)
// Launch:   block (256), grid (ceil(rows*TEAM/256), split)
// Defines:  VEC = 4, LOADS = 4, TEAM = 32, STREAM = 1, BLOCKS = 4
// Cost:     4*(rows*cols + rows + cols) bytes, 2*rows*cols flops
// Assumes:  cols a multiple of VEC; a and x start at multiples of
//           4*VEC bytes; rows*TEAM and split*rows < 2^31;
//           done is all zeros, and is so again afterwards
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

// y[r] = partial[0, r] + partial[1, r] + ... for `count` rows from `first`
// on: a warp takes a row.
__device__ __forceinline__ void add_up(const float* partial, float* y,
                                       int first, int count, int rows,
                                       int split) {
    int end = min(first + count, rows), lane = threadIdx.x % 32;
    for (int r = first + threadIdx.x / 32; r < end; r += 8) {
        float sum = 0;
        for (int s = lane; s < split; s += 32)
            sum += __ldcg(&partial[s * rows + r]);
        #pragma unroll
        for (int far = 16; far > 0; far /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, far);
        if (lane == 0) y[r] = sum;
    }
}

extern "C" __global__
void __launch_bounds__(256, BLOCKS) matvec_split(
    const float* __restrict__ a,   // [rows, cols]
    const float* __restrict__ x,   // [cols]
    float* __restrict__ y,         // [rows]
    float* partial,                // [split, rows]
    unsigned* done,                // [ceil(rows*TEAM/256)]
    int rows, int cols, int split)
{
    int r = (blockIdx.x * 256 + threadIdx.x) / TEAM;
    int mate = threadIdx.x % TEAM, words = cols / VEC;
    int share = (words + split - 1) / split;
    int begin = blockIdx.y * share, end = min(begin + share, words);
    const Word* row = reinterpret_cast<const Word*>(
        a + (long long)min(r, rows - 1) * cols);
    const Word* factors = reinterpret_cast<const Word*>(x);
    float acc = 0;
    #pragma unroll 1
    for (int w = begin + mate; w < end; w += TEAM * LOADS) {
        Word held[LOADS];
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            held[k] = w + TEAM * k < end ? take(row + w + TEAM * k)
                                           : Word{};
        #pragma unroll
        for (int k = 0; k < LOADS; ++k)
            acc += dot(held[k], w + TEAM * k < end
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
    float* target = split == 1 ? y : partial + blockIdx.y * rows;
    if (mate == 0 && r < rows) target[r] = acc;
    if (split > 1) {
        // Who counts `done` up to split has seen all shares arrive.
        // atomicInc then begins again at 0, for the next launch.
        __shared__ bool last;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            last = atomicInc(&done[blockIdx.x], split - 1) == split - 1;
        __syncthreads();
        if (last) {
            __threadfence();
            add_up(partial, y, blockIdx.x * (256 / TEAM), 256 / TEAM, rows,
                   split);
        }
    }
}
