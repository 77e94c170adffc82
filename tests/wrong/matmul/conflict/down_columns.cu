// Wrong: no conflict, since the lanes go down a column of a, a sector each.
extern "C" __global__
void matmul_conflict(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    constexpr int PITCH = 64;
    int fetch_i = threadIdx.x / 64,
        fetch_row = threadIdx.x % 64, rows = 64, halves = 4;
    static_assert(PITCH % 4 == 0, "rows are read as float4");
    __shared__ alignas(16) float a_tile[16][PITCH], b_tile[16][64];
    int tid = threadIdx.x, tile_row = tid / 16 * 4, tile_col = tid % 16 * 4;
    int row0 = 64 * blockIdx.y, col0 = 64 * blockIdx.x;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int y = fetch_row; y < 64; y += rows)
            for (int i = fetch_i; i < 16; i += 16 / halves)
                a_tile[i][y] = row0 + y < m && k0 + i < k
                    ? a[(row0 + y) * k + k0 + i] : 0.0f;
        for (int e = tid; e < 1024; e += 256) {
            int b_row = k0 + e / 64, col = col0 + e % 64;
            b_tile[e / 64][e % 64] = b_row < k && col < n
                ? b[b_row * n + col] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            float4 left = *reinterpret_cast<float4*>(&a_tile[i][tile_row]);
            float4 right = *reinterpret_cast<float4*>(&b_tile[i][tile_col]);
            float a_frag[4] = {left.x, left.y, left.z, left.w};
            float b_frag[4] = {right.x, right.y, right.z, right.w};
            for (int e = 0; e < 16; ++e)
                acc[e / 4][e % 4] += a_frag[e / 4] * b_frag[e % 4];
        }
        __syncthreads();
    }
    for (int e = 0; e < 16; ++e) {
        int row = row0 + tile_row + e / 4, col = col0 + tile_col + e % 4;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[e / 4][e % 4] + old;
        }
    }
}
