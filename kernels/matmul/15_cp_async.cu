// matmul/15_cp_async: copies go past the registers, STAGES - 1 tiles ahead
//     of the products.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  rewrite: loads and stores become one asynchronous copy,
//           in a ring of stages
// Launch:   block (256), grid (ceil(n/128), ceil(m/128))
// Defines:  VEC = 4, STAGES = 3
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  n a multiple of VEC (else VEC=1); m*k, k*n and m*n
//           below 2^31; sm_80
#ifndef VEC
#define VEC 4
#endif
#ifndef STAGES
#define STAGES 3
#endif
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8,
              THREADS = BM / TM * (BN / TN);
static_assert(BM % TM == 0 && BN % TN == 0 && THREADS <= 1024,
              "whole thread tiles in a block");
static_assert(BK % VEC == 0 && BN % VEC == 0,
              "a tile's rows are whole vectors");
constexpr int WM = 64, WN = 32;   // the rows and columns of a warp
// From a thread's first four rows or columns to its next four.
constexpr int ROWS = WM / TM * 4, COLS = WN / TN * 4;
constexpr int A_COPIES = BM * BK / THREADS,
              B_COPIES = BK * BN / VEC / THREADS;

// Starts a copy from global to shared memory and goes on; zeros
// where not inside.
template <int BYTES>
__device__ void copy(float* to, const float* from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)),
                    "l"(from), "n"(BYTES), "r"(inside ? BYTES : 0)
                 : "memory");
}

extern "C" __global__
void __launch_bounds__(THREADS) matmul_cp_async(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ alignas(16) float a_tile[STAGES][BK][BM + 4];
    __shared__ alignas(16) float b_tile[STAGES][BK][BN];
    int tid = threadIdx.x;
    int warp = tid / 32, lane = tid % 32;
    int my_row = warp / (BN / WN) * WM + lane / (WN / TN) * 4;
    int my_col = warp % (BN / WN) * WN + lane % (WN / TN) * 4;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    // Past the end of k it writes zeros that nobody reads.
    auto fetch = [&](int tile) {
        int stage = tile % STAGES;
        for (int t = 0; t < A_COPIES; ++t) {
            int e = t * THREADS + tid, row = row0 + e / BK,
                i = tile * BK + e % BK;
            bool inside = row < m && i < k;
            copy<4>(&a_tile[stage][e % BK][e / BK],
                    inside ? a + row * k + i : a, inside);
        }
        for (int t = 0; t < B_COPIES; ++t) {
            int e = VEC * (t * THREADS + tid),
                i = tile * BK + e / BN, col = col0 + e % BN;
            bool inside = i < k && col < n;
            copy<4 * VEC>(&b_tile[stage][e / BN][e % BN],
                          inside ? b + i * n + col : b, inside);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float acc[TM][TN] = {};
    for (int tile = 0; tile < STAGES - 1; ++tile) fetch(tile);
    for (int tile = 0; tile * BK < k; ++tile) {
        asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
        // Everyone's copies of this tile are there, and the last one is free.
        __syncthreads();
        fetch(tile + STAGES - 1);
        int now = tile % STAGES;
        for (int i = 0; i < BK; ++i) {
            float a_frag[TM], b_frag[TN];
            for (int y = 0; y < TM; ++y)
                a_frag[y] = a_tile[now][i][my_row + y / 4 * ROWS + y % 4];
            for (int x = 0; x < TN; ++x)
                b_frag[x] = b_tile[now][i][my_col + x / 4 * COLS + x % 4];
            for (int y = 0; y < TM; ++y)
                for (int x = 0; x < TN; ++x)
                    acc[y][x] += a_frag[y] * b_frag[x];
        }
    }
    for (int y = 0; y < TM; ++y)
        for (int x = 0; x < TN; ++x) {
            int row = row0 + my_row + y / 4 * ROWS + y % 4;
            int col = col0 + my_col + x / 4 * COLS + x % 4;
            if (row < m && col < n) {
                float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
                c[row * n + col] = alpha * acc[y][x] + old;
            }
        }
}
