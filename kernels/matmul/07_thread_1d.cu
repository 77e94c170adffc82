// matmul/07_thread_1d: a thread takes TM rows: a value of b in a register
//     serves TM times.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  one element a thread -> TM    (from 04_rectangular)
// Launch:   block (BM*BN/TM), grid (ceil(n/BN), ceil(m/BM))
// Defines:  BM = 64, BN = 64, BK = 8, TM = 8
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 64
#endif
#ifndef BK
#define BK 8
#endif
#ifndef TM
#define TM 8
#endif
#define THREADS (BM * BN / TM)
static_assert(BM % TM == 0 && THREADS <= 1024,
              "whole columns of TM, at most 1024 threads");

extern "C" __global__
void __launch_bounds__(THREADS) matmul_thread_1d(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[BM][BK];
    __shared__ float b_tile[BK][BN];
    int tid = threadIdx.x;
    int tile_row = tid / BN * TM, tile_col = tid % BN;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int e0 = 0; e0 < BM * BK; e0 += THREADS) {
            int e = e0 + tid, row = row0 + e / BK, i = k0 + e % BK;
            float value = e < BM * BK && row < m && i < k
                ? a[row * k + i] : 0.0f;
            if (e < BM * BK) a_tile[e / BK][e % BK] = value;
        }
        for (int e0 = 0; e0 < BK * BN; e0 += THREADS) {
            int e = e0 + tid, i = k0 + e / BN, col = col0 + e % BN;
            float value = e < BK * BN && i < k && col < n
                ? b[i * n + col] : 0.0f;
            if (e < BK * BN) b_tile[e / BN][e % BN] = value;
        }
        __syncthreads();
        for (int i = 0; i < BK; ++i) {
            float b_frag = b_tile[i][tile_col];
            for (int y = 0; y < TM; ++y)
                acc[y] += a_tile[tile_row + y][i] * b_frag;
        }
        __syncthreads();
    }
    for (int y = 0; y < TM; ++y) {
        int row = row0 + tile_row + y, col = col0 + tile_col;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[y] + old;
        }
    }
}
