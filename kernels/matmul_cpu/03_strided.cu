// matmul_cpu/03_strided: a stride for each dimension, so that rows and
//     columns are what the caller says.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], strides in floats
//
// Changed:  row * k + i -> row * a_row + i * a_col, and so on
//           (from 01_vanilla)
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
extern "C" __global__
void matmul_cpu_strided(
    const float* __restrict__ a,    // [m * k]
    const float* __restrict__ b,    // [k * n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k,
    int a_row, int a_col, int b_row, int b_col)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) {
                acc += a[row * a_row + i * a_col]
                       * b[i * b_row + col * b_col];
            }
            c[row * n + col] = acc;
        }
    }
}
