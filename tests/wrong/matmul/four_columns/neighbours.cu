// Wrong: sums neighbouring columns but stores those 32 apart.
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
        float left = row < m ? a[row * k + i] : 0.0f;
        for (int j = 0; j < 4; ++j)
            if (first + j < n)
                acc[j] += left * b[i * n + first + j];
    }
    for (int j = 0; j < 4; ++j) {
        int col = first + 32 * j;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[j] + old;
        }
    }
}
