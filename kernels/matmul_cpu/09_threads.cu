// matmul_cpu/09_threads: each core takes tiles of rows of its own.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Changed:  the outermost loop is shared by the cores    (from 08_packed)
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V1 = 8, V2 = 16, B1 = 48, B2 = 128
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31; the last panel is
//           filled up with zeros
#ifndef V1
#define V1 8
#endif
#ifndef V2
#define V2 16
#endif
#ifndef B1
#define B1 48
#endif
#ifndef B2
#define B2 128
#endif
static_assert(B1 % V1 == 0 && B2 % V2 == 0,
              "register tiles must fill cache tiles");

extern "C" __global__
void matmul_cpu_threads(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [ceil(n/V2), k, V2]: V2 columns a panel
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    #pragma omp parallel for
    for (int row1 = 0; row1 < m; row1 += B1)
    for (int col1 = 0; col1 < n; col1 += B2)
    for (int row0 = row1; row0 < m && row0 < row1 + B1; row0 += V1)
    for (int col0 = col1; col0 < n && col0 < col1 + B2; col0 += V2) {
        // k rows of V2 neighbours, in one piece.
        const float* panel = b + col0 * k;
        int rows = m - row0 < V1 ? m - row0 : V1,
            cols = n - col0 < V2 ? n - col0 : V2;
        int whole = rows == V1 && cols == V2 ? k : 0;  // none at the edges
        float acc[V1][V2] = {};
        for (int i = 0; i < whole; ++i) {
            #pragma omp simd
            for (int s = 0; s < V2; ++s) {
                #pragma GCC unroll 16
                for (int r = 0; r < V1; ++r)
                    acc[r][s] += a[(row0 + r) * k + i] * panel[i * V2 + s];
            }
        }
        for (int i = whole; i < k; ++i)
        for (int r = 0; r < rows; ++r)
        for (int s = 0; s < cols; ++s)
            acc[r][s] += a[(row0 + r) * k + i] * panel[i * V2 + s];
        for (int r = 0; r < rows; ++r)
        for (int s = 0; s < cols; ++s)
            c[(row0 + r) * n + col0 + s] = acc[r][s];
    }
}
