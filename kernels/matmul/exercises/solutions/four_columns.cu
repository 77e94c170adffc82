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
// HINT 1: Four sums at once need four accumulators: float acc[4].
// HINT 2: Neighbouring lanes still take neighbouring columns; a thread's own
//         columns lie 32 apart.

extern "C" __global__
void matmul_four_columns(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int first = blockIdx.x * 128 + threadIdx.x;
    // BEGIN SOLUTION 1: four columns, first + 32 * j, from one walk along k
    // GIVEN: float acc[4] = {};
    // GIVEN: for (int j = 0; j < 4; ++j)
    // GIVEN:     for (int i = 0; i < k; ++i)
    // GIVEN:         if (row < m && first + 32 * j < n)
    // GIVEN:             acc[j] += a[row * k + i]
    // GIVEN:                       * b[i * n + first + 32 * j];
    float acc[4] = {};
    for (int i = 0; i < k; ++i) {
        float left = row < m ? a[row * k + i] : 0.0f;
        for (int j = 0; j < 4; ++j)
            if (first + 32 * j < n)
                acc[j] += left * b[i * n + first + 32 * j];
    }
    // END SOLUTION 1
    for (int j = 0; j < 4; ++j) {
        int col = first + 32 * j;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[j] + old;
        }
    }
}
