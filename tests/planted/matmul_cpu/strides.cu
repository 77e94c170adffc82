// WRONG columns_of_one: takes the stride between columns to be 1.
// matmul_cpu/exercises/strides: multiply views, transposed or not, without a copy of any.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], each with strides of its own, in floats
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  every index below 2^31
//
// As given, all three are taken for row-major. Asked: right results with any strides, c's too.
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
                acc += a[row * a_row + i] * b[i * b_row + col];
            }
            c[row * c_row + col * c_col] = acc;
        }
    }
}

// WRONG copies_a_row: it copies each row of a to an array of its own first.
// BEGIN SOLUTION 1
                acc += copy[i]
                       * b[i * b_row + col * b_col];
// END SOLUTION 1
// INSTEAD OF
        for (int col = 0; col < n; ++col) {
// WRITE
        float copy[64];
        #pragma unroll 1
        for (int i = 0; i < k; ++i) copy[i] = a[row * a_row + i * a_col];
        for (int col = 0; col < n; ++col) {
// END

// WRONG exchanged: b's two strides are exchanged.
// matmul_cpu/exercises/strides: multiply views, transposed or not, without a copy of any.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], each with strides of its own, in floats
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  every index below 2^31
//
// As given, all three are taken for row-major. Asked: right results with any strides, c's too.
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
                acc += a[row * a_row + i * a_col] * b[i * b_col + col * b_row];
            }
            c[row * c_row + col * c_col] = acc;
        }
    }
}

// WRONG only_inputs: c is still stored row by row.
// matmul_cpu/exercises/strides: multiply views, transposed or not, without a copy of any.
//
// c[row, col] = sum over i of a[row, i] * b[i, col], each with strides of its own, in floats
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  every index below 2^31
//
// As given, all three are taken for row-major. Asked: right results with any strides, c's too.
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
                acc += a[row * a_row + i * a_col] * b[i * b_row + col * b_col];
            }
            c[row * n + col] = acc;
        }
    }
}

// WRONG whole_matrices: takes each matrix for a whole one, by rows or by columns.
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
