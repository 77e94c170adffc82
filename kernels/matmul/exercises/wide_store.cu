// matmul/exercises/wide_store: write c four columns at a time,
//     and read it only when asked.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (32, 8), grid (ceil(n/128), ceil(m/8))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// A thread holds c[row, col] to c[row, col + 3] in acc. As given it stores
// them one by one. Asked: one 16-byte store where n is a multiple of 4,
// single stores elsewhere; beta = 0 never reads c.

extern "C" __global__
void matmul_wide_store(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * 8 + threadIdx.y,
        col = blockIdx.x * 128 + threadIdx.x * 4;
    float acc[4] = {};
    for (int i = 0; i < k; ++i)
        for (int x = 0; x < 4; ++x)
            if (row < m && col + x < n)
                acc[x] += a[row * k + i] * b[i * n + col + x];
    // YOUR CODE 1: combine and store
    for (int x = 0; x < 4; ++x)
        if (row < m && col + x < n) {
            float old = beta == 0.0f
                ? 0.0f : beta * c[row * n + col + x];
            c[row * n + col + x] = alpha * acc[x] + old;
        }
}
