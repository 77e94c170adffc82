// Right: a's tile lies on its side, with a spare column.
extern "C" __global__
void matmul_write_tiles(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[16][17], b_tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = 16 * blockIdx.y + y, col = 16 * blockIdx.x + x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        a_tile[x][y] = row < m && k0 + x < k ? a[row * k + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[i][y] * b_tile[i][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
