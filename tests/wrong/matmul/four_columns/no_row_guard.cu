// Wrong: reads a below its last row.
extern "C" __global__
void matmul_four_columns(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int first = blockIdx.x * 128 + threadIdx.x;
    float acc[4] = {};
    for (int i = 0; i < k; ++i) {
        float left = a[row * k + i];
        for (int j = 0; j < 4; ++j)
            if (first + 32 * j < n)
                acc[j] += left * b[i * n + first + 32 * j];
    }
    for (int j = 0; j < 4; ++j) {
        int col = first + 32 * j;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[j] + old;
        }
    }
}
