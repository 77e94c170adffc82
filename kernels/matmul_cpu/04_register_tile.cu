// matmul_cpu/04_register_tile: V1 x V2 sums stay in registers;
//     a loaded float serves many of them.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Changed:  one sum -> V1 x V2 sums    (from 01_vanilla)
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V1 = 8, V2 = 16
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef V1
#define V1 8
#endif
#ifndef V2
#define V2 16
#endif

extern "C" __global__
void matmul_cpu_register_tile(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row0 = 0; row0 < m; row0 += V1)
    for (int col0 = 0; col0 < n; col0 += V2) {
        int rows = m - row0 < V1 ? m - row0 : V1,
            cols = n - col0 < V2 ? n - col0 : V2;
        int whole = rows == V1 && cols == V2 ? k : 0;  // none at the edges
        float acc[V1][V2] = {};
        for (int i = 0; i < whole; ++i) {
            #pragma omp simd
            for (int s = 0; s < V2; ++s) {
                #pragma GCC unroll 16
                for (int r = 0; r < V1; ++r)
                    acc[r][s] += a[(row0 + r) * k + i] * b[i * n + col0 + s];
            }
        }
        for (int i = whole; i < k; ++i)
        for (int r = 0; r < rows; ++r)
        for (int s = 0; s < cols; ++s)
            acc[r][s] += a[(row0 + r) * k + i] * b[i * n + col0 + s];
        for (int r = 0; r < rows; ++r)
        for (int s = 0; s < cols; ++s)
            c[(row0 + r) * n + col0 + s] = acc[r][s];
    }
}
