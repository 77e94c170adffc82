// WRONG mixed_up: multiplies the fragments crosswise: right only for symmetric tiles.
// INSTEAD OF
                    acc[y][x] += a_frag[y] * b_frag[x];
// WRITE
                    acc[y][x] += a_frag[x] * b_frag[y];
// END

// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_thread_tile(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    for (int e = threadIdx.x; e < 4096; e += blockDim.x) {
        int row = 64 * blockIdx.y + e / 64, col = 64 * blockIdx.x + e % 64;
        if (row < m && col < n) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
    }
}

// WRONG one_column: adds the first column's product to all four.
// INSTEAD OF
            for (int x = 0; x < 4; ++x) b_frag[x] = b_tile[i][tile_col + x];
// WRITE
            for (int x = 0; x < 4; ++x) b_frag[x] = b_tile[i][tile_col];
// END

// WRONG rows_only: keeps four values of a, but reads b for every product.
// BEGIN SOLUTION 1
            float a_frag[4];
            volatile float* right = b_tile[i];
            for (int y = 0; y < 4; ++y) a_frag[y] = a_tile[i][tile_row + y];
            for (int y = 0; y < 4; ++y)
                for (int x = 0; x < 4; ++x)
                    acc[y][x] += a_frag[y] * right[tile_col + x];
// END SOLUTION 1
