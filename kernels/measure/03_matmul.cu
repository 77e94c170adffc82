// measure/03_matmul: one thread per element of c, right wherever
//     the grid reaches.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Changed:  rewrite: two dimensions, so that a launch can mix them up
//           (from 02_lookup)
// Launch:   block (16, 16), grid (ceil(n/16), ceil(m/16))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
extern "C" __global__
void measure_matmul(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i)
            sum += a[row * k + i] * b[i * n + col];
        c[row * n + col] = sum;
    }
}
