// Wrong: four stores of 4 bytes.
extern "C" __global__
void matmul_wide_store(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * 8 + threadIdx.y;
    for (int col = blockIdx.x * 128 + 4 * threadIdx.x, last = min(n, col + 4); col < last; ++col)
        if (row < m) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
}
