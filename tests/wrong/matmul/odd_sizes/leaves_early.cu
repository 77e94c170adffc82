// Wrong: threads outside c leave before the barrier that the others wait at.
extern "C" __global__
void matmul_odd_sizes(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[16][16], b_tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = 16 * blockIdx.y + y, col = 16 * blockIdx.x + x;
    if (row >= m || col >= n) return;
    float acc = 0.0f;
    int tiles = (k + 15) / 16;
    for (int tile = 0; tile < tiles; ++tile) {
        int a_col = 16 * tile + x, b_row = 16 * tile + y;
        a_tile[y][x] = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
        b_tile[y][x] = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[y][i] * b_tile[i][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
