// matmul/09_transposed: a's tile lies on its side, so that two LDS.128
//     fetch eight values.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  a_tile[BM][BK] -> a_tile[BK][BM]; the sizes are fixed
//           (from 08_thread_2d)
// Launch:   block (256), grid (ceil(n/128), ceil(m/128))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8,
              THREADS = BM / TM * (BN / TN);
static_assert(BM % TM == 0 && BN % TN == 0 && THREADS <= 1024,
              "whole thread tiles in a block");
extern "C" __global__
void __launch_bounds__(THREADS) matmul_transposed(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ alignas(16) float a_tile[BK][BM];
    __shared__ alignas(16) float b_tile[BK][BN];
    int tid = threadIdx.x;
    int tile_row = tid / (BN / TN) * TM, tile_col = tid % (BN / TN) * TN;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int e0 = 0; e0 < BM * BK; e0 += THREADS) {
            int e = e0 + tid, row = row0 + e / BK, i = k0 + e % BK;
            float value = e < BM * BK && row < m && i < k
                ? a[row * k + i] : 0.0f;
            if (e < BM * BK) a_tile[e % BK][e / BK] = value;
        }
        for (int e0 = 0; e0 < BK * BN; e0 += THREADS) {
            int e = e0 + tid, i = k0 + e / BN, col = col0 + e % BN;
            float value = e < BK * BN && i < k && col < n
                ? b[i * n + col] : 0.0f;
            if (e < BK * BN) b_tile[e / BN][e % BN] = value;
        }
        __syncthreads();
        for (int i = 0; i < BK; ++i) {
            float a_frag[TM], b_frag[TN];
            for (int y = 0; y < TM; ++y) a_frag[y] = a_tile[i][tile_row + y];
            for (int x = 0; x < TN; ++x) b_frag[x] = b_tile[i][tile_col + x];
            for (int y = 0; y < TM; ++y)
                for (int x = 0; x < TN; ++x)
                    acc[y][x] += a_frag[y] * b_frag[x];
        }
        __syncthreads();
    }
    for (int y = 0; y < TM; ++y)
        for (int x = 0; x < TN; ++x) {
            int row = row0 + tile_row + y, col = col0 + tile_col + x;
            if (row < m && col < n) {
                float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
                c[row * n + col] = alpha * acc[y][x] + old;
            }
        }
}
