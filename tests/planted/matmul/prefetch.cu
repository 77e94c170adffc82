// WRONG after_the_products: it asks for the next tile when the products are made, not before.
// BEGIN SOLUTION 1
// END SOLUTION 1
// INSTEAD OF
        __syncthreads();
    }
// WRITE
        __syncthreads();
        int a_col = k0 + 16 + x, b_row = k0 + 16 + y;
        next_a = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
        next_b = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
    }
// END

// WRONG beyond_k: reads on behind the last tile.
// BEGIN SOLUTION 1
        int a_col = k0 + 16 + x, b_row = k0 + 16 + y;
        next_a = row < m && true ? a[row * k + a_col] : 0.0f;
        next_b = col < n ? b[b_row * n + col] : 0.0f;
// END SOLUTION 1

// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_prefetch(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = 16 * blockIdx.y + threadIdx.y, col = 16 * blockIdx.x + threadIdx.x;
    if (row < m && col < n) {
        float acc = 0.0f;
        for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}

// WRONG not_early: right, but it loads a tile when it needs it, and then waits.
// BEGIN SOLUTION 1
// END SOLUTION 1
// INSTEAD OF
    float next_a = row < m && x < k ? a[row * k + x] : 0.0f;
    float next_b = y < k && col < n ? b[y * n + col] : 0.0f;
// WRITE
// END
// INSTEAD OF
        a_tile[y][x] = next_a;
        b_tile[y][x] = next_b;
// WRITE
        a_tile[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : 0.0f;
// END

// WRONG skips_one: is two tiles ahead: every second one is lost.
// BEGIN SOLUTION 1
        int a_col = k0 + 32 + x, b_row = k0 + 32 + y;
        next_a = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
        next_b = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
// END SOLUTION 1

// WRONG this_tile_again: loads the tile it already has.
// BEGIN SOLUTION 1
        int a_col = k0 + x, b_row = k0 + y;
        next_a = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
        next_b = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
// END SOLUTION 1

// WRONG waits_at_once: right, but it stores the next tile before the products, and waits for it.
// INSTEAD OF
    __shared__ float a_tile[16][16], b_tile[16][16];
// WRITE
    __shared__ float a_tile[2][16][16], b_tile[2][16][16];
// END
// INSTEAD OF
    for (int k0 = 0; k0 < k; k0 += 16) {
        a_tile[y][x] = next_a;
        b_tile[y][x] = next_b;
// WRITE
    a_tile[0][y][x] = next_a;
    b_tile[0][y][x] = next_b;
    for (int k0 = 0; k0 < k; k0 += 16) {
        int now = k0 / 16 % 2;
// END
// INSTEAD OF
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[y][i] * b_tile[i][x];
// WRITE
        a_tile[1 - now][y][x] = next_a;
        b_tile[1 - now][y][x] = next_b;
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[now][y][i] * b_tile[now][i][x];
// END

// RIGHT one_barrier: two buffers and one barrier a tile, and the loads still ahead.
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
    for (int k0 = 0; k0 < k; k0 += 16) {
        int now = k0 / 16 % 2;
        a_tile[now][y][x] = next_a;
        b_tile[now][y][x] = next_b;
        __syncthreads();
        int a_col = k0 + 16 + x, b_row = k0 + 16 + y;
        next_a = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
        next_b = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[now][y][i] * b_tile[now][i][x];
        }
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
