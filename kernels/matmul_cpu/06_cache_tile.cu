// matmul_cpu/06_cache_tile: B1 rows of a and B2 columns of b stay in a cache
//     while they meet.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Changed:  the same loops inside tiles of B1 x B2    (from 02_loop_order)
// Launch:   block (1), grid (1): one thread does it all
// Defines:  B1 = 48, B2 = 128
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef B1
#define B1 48
#endif
#ifndef B2
#define B2 128
#endif

extern "C" __global__
void matmul_cpu_cache_tile(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row0 = 0; row0 < m; row0 += B1) {
        for (int col0 = 0; col0 < n; col0 += B2) {
            int row_end = m - row0 < B1 ? m : row0 + B1,
                col_end = n - col0 < B2 ? n : col0 + B2;
            for (int row = row0; row < row_end; ++row) {
                for (int col = col0; col < col_end; ++col) {
                    c[row * n + col] = 0.0f;
                }
                for (int i = 0; i < k; ++i) {
                    for (int col = col0; col < col_end; ++col) {
                        c[row * n + col] += a[row * k + i] * b[i * n + col];
                    }
                }
            }
        }
    }
}
