// WRONG beyond: steps by 32: reads beyond the row of the tile.
// BEGIN SOLUTION 1
    int tile_col = tid % 16, step = 32;
// END SOLUTION 1

// WRONG half_way: two columns side by side: still eight sectors a store.
// BEGIN SOLUTION 1
    int tile_col = tid % 16 / 2 * 8 + tid % 2 * 4, step = 1;
// END SOLUTION 1

// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_columns(
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

// WRONG overlap: steps by 4: some columns are made many times, others never.
// BEGIN SOLUTION 1
    int tile_col = tid % 16, step = 4;
// END SOLUTION 1
