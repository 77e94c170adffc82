// matmul/exercises/budget: choose a tile within 8 KB of shared memory.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (256),
//           grid (any number of blocks from the number of tiles up)
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// A block makes BM x BN = 4096 elements of c from tiles of BM x BK
// and BK x BN. As given they are 256 x 4 and 4 x 16. Each block reads
// k * (BM + BN) floats: the shape decides the traffic. Asked: BM, BN and BK,
// powers of two, within 8 KB, with the least traffic and the fewest rounds.
// HINT 1: The tiles take 4 * BK * (BM + BN) bytes.
// HINT 2: Among rectangles of one area, which has the shortest sides in sum?

extern "C" __global__
void matmul_budget(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    // BEGIN SOLUTION 1: choose BM, BN and BK
    // GIVEN: constexpr int BM = 256, BN = 16, BK = 4;
    constexpr int BM = 64, BN = 64, BK = 16;
    // END SOLUTION 1
    static_assert(BM * BN == 4096 && 4 * BK * (BM + BN) <= 8192,
                  "4096 elements, tiles of 8 KB");
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
