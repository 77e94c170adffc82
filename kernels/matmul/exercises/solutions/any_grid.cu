// matmul/exercises/any_grid: cover c with whatever grid there is.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (16, 16), any grid
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// As given, a thread makes one element, so a grid that is too small leaves
// part of c unwritten. Asked: right results with any grid, even one block,
// and with the grid's sides exchanged.
// HINT 1: A thread that has made its element can go on with the one that lies
//         a whole grid further.
// HINT 2: The grid is gridDim.x * blockDim.x columns wide and
//         gridDim.y * blockDim.y rows high.

extern "C" __global__
void matmul_any_grid(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int first_row = blockIdx.y * blockDim.y + threadIdx.y;
    int first_col = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION 1: visit every element that is this thread's
    // GIVEN: for (int row = first_row; row < m && row == first_row; ++row)
    // GIVEN:     for (int col = first_col;
    // GIVEN:          col < n && col == first_col; ++col) {
    for (int row = first_row; row < m; row += gridDim.y * blockDim.y)
        for (int col = first_col; col < n; col += gridDim.x * blockDim.x) {
    // END SOLUTION 1
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) {
                acc += a[row * k + i] * b[i * n + col];
            }
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
}
