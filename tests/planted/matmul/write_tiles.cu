// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_write_tiles(
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

// WRONG no_barrier_before: lacks the first barrier: threads use a tile that is not there yet.
// INSTEAD OF
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
// WRITE
        for (int i = 0; i < 16; ++i) {
// END

// WRONG no_zeros: leaves what lies beyond k as it was: right only where k is a multiple of 16.
// INSTEAD OF
        a_tile[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : 0.0f;
// WRITE
        a_tile[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : 1.0f;
        b_tile[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : 1.0f;
// END

// WRONG one_barrier: lacks the second barrier: fast threads overwrite the tile that slow ones still read.
// INSTEAD OF
        __syncthreads();
    }
// WRITE
    }
// END

// WRONG straight_from_global: never uses the tile of b.
// INSTEAD OF
            acc += a_tile[y][i] * b_tile[i][x];
// WRITE
            acc += a_tile[y][i] * (k0 + i < k && col < n ? b[(k0 + i) * n + col] : 0.0f);
// END

// RIGHT turned: a's tile lies on its side, with a spare column.
// BEGIN SOLUTION 1
        a_tile[x][y] = row < m && k0 + x < k ? a[row * k + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[i][y] * b_tile[i][x];
        }
        __syncthreads();
// END SOLUTION 1
// INSTEAD OF
    __shared__ float a_tile[16][16], b_tile[16][16];
// WRITE
    __shared__ float a_tile[16][17], b_tile[16][16];
// END
