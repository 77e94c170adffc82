// Wrong: takes 32 KB for its tiles, and the assertion away.
extern "C" __global__
void matmul_budget(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    constexpr int BM = 64, BN = 64, BK = 64;
    __shared__ float a_tile[BM][BK], b_tile[BK][BN];
    int tid = threadIdx.x, tiles_n = (n + BN - 1) / BN;
    int row0 = blockIdx.x / tiles_n * BM, col0 = blockIdx.x % tiles_n * BN;
    float acc[16] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int e = tid; e < BM * BK; e += 256) {
            int row = row0 + e / BK, i = k0 + e % BK;
            a_tile[e / BK][e % BK] = row < m && i < k ? a[row * k + i] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += 256) {
            int i = k0 + e / BN, col = col0 + e % BN;
            b_tile[e / BN][e % BN] = i < k && col < n && row0 < m
                ? b[i * n + col] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < BK; ++i)
            for (int j = 0; j < 16; ++j) {
                int e = tid + 256 * j;
                acc[j] += a_tile[e / BN][i] * b_tile[i][e % BN];
            }
        __syncthreads();
    }
    for (int j = 0; j < 16; ++j) {
        int row = row0 + (tid + 256 * j) / BN,
            col = col0 + (tid + 256 * j) % BN;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[j] + old;
        }
    }
}
