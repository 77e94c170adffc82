// Wrong: takes each matrix for a whole one, by rows or by columns.
extern "C" __global__
void matmul_cpu_strides(
    const float* __restrict__ a,    // [m * k]
    const float* __restrict__ b,    // [k * n]
    float* __restrict__ c,          // [m * n]
    int m, int n, int k,
    int a_row, int a_col, int b_row, int b_col, int c_row, int c_col)
{
    // only row-major or transposed
    bool ta = a_col != 1, tb = b_col != 1, tc = c_col != 1;
    for (int row = 0; row < m; ++row)
        for (int col = 0; col < n; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i)
                acc += a[ta ? i * m + row : row * k + i] * b[tb ? col * k + i : i * n + col];
            c[tc ? col * m + row : row * n + col] = acc;
        }
}
