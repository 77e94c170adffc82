// tensor_cores/02_wmma: a warp multiplies 16 x 16 matrices, and C++ hides
//     which lane holds what.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], rounded once
//
// Changed:  rewrite: warps multiply matrices where threads multiplied
//           numbers (matmul/13_warp_tiles)
// Launch:   block (256), grid (ceil(n/128), ceil(m/128))
// Defines:  TYPE = __nv_bfloat16, SUM = float, VEC = 8, PAD = 0
// Cost:     2*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  k and n multiples of VEC (8, 4, 2 or 1); m*k, k*n and m*n
//           below 2^31; PAD a multiple of 8; sm_80
// TYPE is __nv_bfloat16 or half; SUM may be half for half.
#include <mma.h>
#ifndef TYPE
#define TYPE __nv_bfloat16
#endif
#ifndef SUM
#define SUM float
#endif
#ifndef VEC
#define VEC 8
#endif
#ifndef PAD
#define PAD 0
#endif
constexpr int BM = 128, BN = 128, BK = 64;   // of a block
constexpr int WM = 64, WN = 32;              // of a warp
constexpr int THREADS = BM / WM * (BN / WN) * 32;
struct alignas(2 * VEC) Vec { unsigned short of[VEC]; };
using namespace nvcuda::wmma;

// Copies a tile to shared memory; zeros where the matrix ends.
template <int ROWS, int COLS>
__device__ __forceinline__ void fetch(
    TYPE* tile, const unsigned short* from,
    int row0, int col0, int rows, int cols)
{
    constexpr int ACROSS = COLS / VEC, DOWN = THREADS / ACROSS;
    const int col = threadIdx.x % ACROSS * VEC;
    #pragma unroll
    for (int t = 0; t < ROWS / DOWN; ++t) {
        const int row = threadIdx.x / ACROSS + t * DOWN;
        const bool inside = row0 + row < rows && col0 + col < cols;
        const size_t at = (row0 + row) * cols + col0 + col;
        *reinterpret_cast<Vec*>(tile + row * (COLS + PAD) + col) =
            inside ? *reinterpret_cast<const Vec*>(from + at) : Vec{};
    }
}

extern "C" __global__
void __launch_bounds__(THREADS) tensor_cores_wmma(
    const unsigned short* __restrict__ a,   // [m, k]
    const unsigned short* __restrict__ b,   // [k, n]
    unsigned short* __restrict__ c,         // [m, n]
    int m, int n, int k)
{
    __shared__ alignas(128) TYPE a_tile[BM * (BK + PAD)];
    __shared__ alignas(128) TYPE b_tile[BK * (BN + PAD)];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int my_row = warp / (BN / WN) * WM, my_col = warp % (BN / WN) * WN;
    fragment<accumulator, 16, 16, 16, SUM> acc[WM / 16][WN / 16];
    for (int y = 0; y < WM / 16; ++y)
        for (int x = 0; x < WN / 16; ++x) fill_fragment(acc[y][x], 0.0f);
    for (int k0 = 0; k0 < k; k0 += BK) {
        fetch<BM, BK>(a_tile, a, row0, k0, m, k);
        fetch<BK, BN>(b_tile, b, k0, col0, k, n);
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < BK; i += 16) {
            fragment<matrix_a, 16, 16, 16, TYPE, row_major> a_frag[WM / 16];
            fragment<matrix_b, 16, 16, 16, TYPE, row_major> b_frag[WN / 16];
            for (int y = 0; y < WM / 16; ++y)
                load_matrix_sync(
                    a_frag[y], a_tile + (my_row + 16 * y) * (BK + PAD) + i,
                    BK + PAD);
            for (int x = 0; x < WN / 16; ++x)
                load_matrix_sync(
                    b_frag[x], b_tile + i * (BN + PAD) + my_col + 16 * x,
                    BN + PAD);
            for (int y = 0; y < WM / 16; ++y)
                for (int x = 0; x < WN / 16; ++x)
                    mma_sync(acc[y][x], a_frag[y], b_frag[x], acc[y][x]);
        }
        __syncthreads();
    }
    // Nobody knows which elements are his. Through shared memory they come
    // back in order: 16 x 16 sums of each warp, where a's tile was.
    SUM* sums = reinterpret_cast<SUM*>(a_tile) + warp * 256;
    for (int y = 0; y < WM / 16; ++y)
        for (int x = 0; x < WN / 16; ++x) {
            store_matrix_sync(sums, acc[y][x], 16, mem_row_major);
            __syncwarp();
            for (int e = lane; e < 256; e += 32) {
                const int row = row0 + my_row + 16 * y + e / 16,
                          col = col0 + my_col + 16 * x + e % 16;
                if (row < m && col < n)
                    reinterpret_cast<TYPE*>(c)[(size_t)row * n + col] =
                        TYPE(sums[e]);
            }
            __syncwarp();
        }
}
