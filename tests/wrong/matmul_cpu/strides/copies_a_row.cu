// Wrong: it copies each row of a to an array of its own first.
extern "C" __global__
void matmul_cpu_strides(
    const float* __restrict__ a,    // [m * k]
    const float* __restrict__ b,    // [k * n]
    float* __restrict__ c,          // [m * n]
    int m, int n, int k,
    int a_row, int a_col, int b_row, int b_col, int c_row, int c_col)
{
    for (int row = 0; row < m; ++row) {
        float copy[64];
        #pragma unroll 1
        for (int i = 0; i < k; ++i) copy[i] = a[row * a_row + i * a_col];
        for (int col = 0; col < n; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) {
                acc += copy[i]
                       * b[i * b_row + col * b_col];
            }
            c[row * c_row + col * c_col] = acc;
        }
    }
}
