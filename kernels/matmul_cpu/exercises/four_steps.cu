// matmul_cpu/exercises/four_steps: pass over a row of c once for every
//     four steps of i.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// As given, c is loaded and stored in each step of i. Asked: at most m*n*(k/4
// + 1) stores where k is a multiple of 4, and right results where it is not.
extern "C" __global__
void matmul_cpu_four_steps(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            c[row * n + col] = 0.0f;
        }
        // YOUR CODE 1: steps by fours, then the rest (about 12 lines)
        for (int i = 0; i < k; ++i) {
            for (int col = 0; col < n; ++col) {
                c[row * n + col] += a[row * k + i] * b[i * n + col];
            }
        }
    }
}
