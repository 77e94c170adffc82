// Wrong: right, but it stores the next tile before the products, and waits for it.
extern "C" __global__
void matmul_prefetch(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[2][16][16], b_tile[2][16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = 16 * blockIdx.y + y, col = 16 * blockIdx.x + x;
    float acc = 0.0f;
    float next_a = row < m && x < k ? a[row * k + x] : 0.0f;
    float next_b = y < k && col < n ? b[y * n + col] : 0.0f;
    a_tile[0][y][x] = next_a;
    b_tile[0][y][x] = next_b;
    for (int k0 = 0; k0 < k; k0 += 16) {
        int now = k0 / 16 % 2;
        __syncthreads();
        int a_col = k0 + 16 + x, b_row = k0 + 16 + y;
        next_a = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
        next_b = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
        a_tile[1 - now][y][x] = next_a;
        b_tile[1 - now][y][x] = next_b;
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[now][y][i] * b_tile[now][i][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
