// matmul_cpu/02_loop_order: columns innermost, so that one instruction can
//     take many neighbours.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Changed:  loops row, col, i -> row, i, col; the sum grows in c
//           (from 01_vanilla)
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
extern "C" __global__
void matmul_cpu_loop_order(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            c[row * n + col] = 0.0f;
        }
        for (int i = 0; i < k; ++i) {
            for (int col = 0; col < n; ++col) {
                c[row * n + col] += a[row * k + i] * b[i * n + col];
            }
        }
    }
}
