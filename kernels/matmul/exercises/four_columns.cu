// matmul/exercises/four_columns: one load of a serves four columns.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (32, 8), grid (ceil(n/128), ceil(m/8))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// A thread makes c[row, col], c[row, col + 32], c[row, col + 64] and
// c[row, col + 96]. Asked: read a[row, i] once for all four, so 5 loads
// a step instead of 8, and keep them coalesced.

extern "C" __global__
void matmul_four_columns(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int first = blockIdx.x * 128 + threadIdx.x;
    // YOUR CODE 1: four columns, first + 32 * j, from one walk along k
    float acc[4] = {};
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < k; ++i)
            if (row < m && first + 32 * j < n)
                acc[j] += a[row * k + i]
                          * b[i * n + first + 32 * j];
    for (int j = 0; j < 4; ++j) {
        int col = first + 32 * j;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[j] + old;
        }
    }
}
