// matmul/14_double_buffer: the next tiles are on their way while
//     these are used.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  rewrite: a fetch is cut in two, loads before the
//           products, stores behind
// Launch:   block (256), grid (ceil(n/128), ceil(m/128))
// Defines:  VEC = 4
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  k and n multiples of VEC (else VEC=1);
//           m*k, k*n and m*n below 2^31
#ifndef VEC
#define VEC 4
#endif
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8,
              WM = 64, WN = 32, THREADS = 256;
constexpr int ROWS = WM / TM * 4, COLS = WN / TN * 4,
              LOADS = BM * BK / VEC / THREADS;
struct alignas(4 * VEC) Vec { float of[VEC]; };
extern "C" __global__
void __launch_bounds__(THREADS) matmul_double_buffer(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ alignas(16) float a_tile[2][BK][BM + 4], b_tile[2][BK][BN];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int my_row = warp / (BN / WN) * WM + lane / (WN / TN) * 4;
    int my_col = warp % (BN / WN) * WN + lane % (WN / TN) * 4;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    // On their way while the products are made.
    Vec a_next[LOADS], b_next[LOADS];
    auto fetch = [&](int k0) {
        for (int t = 0; t < LOADS; ++t) {
            int e = VEC * (t * THREADS + tid),
                row = row0 + e / BK, i = k0 + e % BK;
            int j = k0 + e / BN, col = col0 + e % BN;
            a_next[t] = b_next[t] = Vec{};
            if (row < m && i < k)
                a_next[t] = *reinterpret_cast<const Vec*>(a + row * k + i);
            if (j < k && col < n)
                b_next[t] = *reinterpret_cast<const Vec*>(b + j * n + col);
        }
    };
    auto put = [&](int buffer) {
        for (int t = 0, e = VEC * tid; t < LOADS; ++t, e += VEC * THREADS)
            for (int j = 0; j < VEC; ++j) {
                a_tile[buffer][e % BK + j][e / BK] = a_next[t].of[j];
                b_tile[buffer][e / BN][e % BN + j] = b_next[t].of[j];
            }
    };
    float acc[TM][TN] = {};
    fetch(0);
    put(0);
    for (int k0 = 0, now = 0; k0 < k; k0 += BK, now ^= 1) {
        // This tile is there, and nobody reads the other buffer any more.
        __syncthreads();
        if (k0 + BK < k) fetch(k0 + BK);
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
        if (k0 + BK < k) put(now ^ 1);
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
