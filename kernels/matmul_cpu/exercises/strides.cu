// matmul_cpu/exercises/strides: multiply views, transposed or not,
//     without a copy of any.
//
// c[row, col] = sum over i of a[row, i] * b[i, col],
//               each with strides of its own, in floats
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  every index below 2^31
//
// As given, all three are taken for row-major. Asked: right results with any
// strides, c's too.
extern "C" __global__
void matmul_cpu_strides(
    const float* __restrict__ a,    // [m * k]
    const float* __restrict__ b,    // [k * n]
    float* __restrict__ c,          // [m * n]
    int m, int n, int k,
    int a_row, int a_col, int b_row, int b_col, int c_row, int c_col)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) {
                // YOUR CODE 1: find both elements by their strides
                acc += a[row * k + i] * b[i * n + col];
            }
            // YOUR CODE 2: and the place in c
            c[row * n + col] = acc;
        }
    }
}
