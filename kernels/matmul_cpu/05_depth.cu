// matmul_cpu/05_depth: V3 columns of a and V3 rows of b are taken at a time.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Changed:  one i -> V3 of them in a step    (from 04_register_tile)
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V1 = 8, V2 = 16, V3 = 1
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef V1
#define V1 8
#endif
#ifndef V2
#define V2 16
#endif
#ifndef V3
#define V3 1
#endif

extern "C" __global__
void matmul_cpu_depth(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row0 = 0; row0 < m; row0 += V1)
    for (int col0 = 0; col0 < n; col0 += V2) {
        int rows = m - row0 < V1 ? m - row0 : V1,
            cols = n - col0 < V2 ? n - col0 : V2;
        // No steps of the fast loop at the edges.
        int whole = rows == V1 && cols == V2 ? k / V3 * V3 : 0;
        float acc[V1][V2] = {};
        for (int i0 = 0; i0 < whole; i0 += V3) {
            #pragma omp simd
            for (int s = 0; s < V2; ++s) {
                #pragma GCC unroll 16
                for (int i = i0; i < i0 + V3; ++i) {
                    #pragma GCC unroll 16
                    for (int r = 0; r < V1; ++r)
                        acc[r][s] += a[(row0 + r) * k + i]
                                     * b[i * n + col0 + s];
                }
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
