// WRONG b_only: wide for b alone: a still takes four loads, which the odd pitch keeps apart.
// BEGIN SOLUTION 2
            for (int y = 0; y < 4; ++y) a_frag[y] = a_tile[i][tile_row + y];
            *reinterpret_cast<float4*>(b_frag) = *reinterpret_cast<float4*>(&b_tile[i][tile_col]);
            for (int e = 0; e < 16; ++e) acc[e / 4][e % 4] += a_frag[e / 4] * b_frag[e % 4];
// END SOLUTION 2
// INSTEAD OF
    __shared__ alignas(16) float a_tile[16][64 + 4], b_tile[16][64];
// WRITE
    __shared__ alignas(16) float a_tile[16][64 + 1], b_tile[16][64];
// END
// INSTEAD OF
            for (int e = 0; e < 16; ++e)
                acc[e / 4][e % 4] += a_frag[e / 4] * b_frag[e % 4];
// WRITE
// END

// WRONG misaligned: pads a row by one word, so that its float4 loads are misaligned.
// INSTEAD OF
    __shared__ alignas(16) float a_tile[16][64 + 4], b_tile[16][64];
// WRITE
    __shared__ alignas(16) float a_tile[16][64 + 1], b_tile[16][64];
// END

// WRONG mixed_rows: reads neighbours but stores rows that lie 16 apart.
// INSTEAD OF
    int tile_row = tid / 16 * 4, tile_col = tid % 16 * 4, step = 1;
// WRITE
    int tile_row = tid / 16 * 4, tile_col = tid % 16 * 4, step = 16;
// END

// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_wide(
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
