// matmul_cpu/01_vanilla: three loops in the order of the formula;
//     a row of a meets a column of b.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Changed:  nothing, the first step
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
extern "C" __global__
void matmul_cpu_vanilla(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) {
                acc += a[row * k + i] * b[i * n + col];
            }
            c[row * n + col] = acc;
        }
    }
}
