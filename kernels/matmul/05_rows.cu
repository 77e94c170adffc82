// matmul/05_rows: dynamic shared memory, read through pointers to rows.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  pointers to floats -> pointers to rows    (from 05_dynamic)
// Launch:   block (BM*BN), grid (ceil(n/BN), ceil(m/BM)),
//           shared_bytes 4*BK*(BM + BN)
// Defines:  BM = 32, BN = 32, BK = 32
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef BM
#define BM 32
#endif
#ifndef BN
#define BN 32
#endif
#ifndef BK
#define BK 32
#endif
#define THREADS (BM * BN)
static_assert(THREADS <= 1024, "BM*BN threads must fit in one block");

extern "C" __global__
void __launch_bounds__(THREADS) matmul_rows(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    extern __shared__ float shared[];
    auto a_tile = (float (*)[BK])shared;               // [BM, BK]
    auto b_tile = (float (*)[BN])(shared + BM * BK);   // [BK, BN]
    int tid = threadIdx.x;
    int tile_row = tid / BN, tile_col = tid % BN;
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc = 0.0f;
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
            acc += a_tile[tile_row][i] * b_tile[i][tile_col];
        }
        __syncthreads();
    }
    int row = row0 + tile_row, col = col0 + tile_col;
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
