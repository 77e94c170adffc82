// Wrong: the first block does it all, and the others nothing.
extern "C" __global__
void matmul_any_grid(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    if (blockIdx.x + blockIdx.y > 0) return;
    for (int row = threadIdx.y; row < m; row += 16)
        for (int col = threadIdx.x; col < n; col += 16) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
}
