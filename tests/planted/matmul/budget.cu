// WRONG beyond: takes 32 KB for its tiles, and the assertion away.
// INSTEAD OF
    constexpr int BM = 64, BN = 64, BK = 16;
    static_assert(BM * BN == 4096 && 4 * BK * (BM + BN) <= 8192,
                  "4096 elements, tiles of 8 KB");
// WRITE
    constexpr int BM = 64, BN = 64, BK = 64;
// END

// WRONG flat: fits, but is 128 x 32: a quarter more traffic than a square.
// INSTEAD OF
    constexpr int BM = 64, BN = 64, BK = 16;
    static_assert(BM * BN == 4096 && 4 * BK * (BM + BN) <= 8192,
                  "4096 elements, tiles of 8 KB");
// WRITE
    constexpr int BM = 128, BN = 32, BK = 8;
    static_assert(BM * BN == 4096 && 4 * BK * (BM + BN) <= 8192, "4096 elements, tiles of 8 KB");
// END

// WRONG naive: no tile in shared memory, and so no choice of its shape.
extern "C" __global__
void matmul_budget(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int tiles_n = (n + 63) / 64;
    for (int e = threadIdx.x; e < 4096; e += 256) {
        int row = blockIdx.x / tiles_n * 64 + e / 64, col = blockIdx.x % tiles_n * 64 + e % 64;
        if (row < m && col < n) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
    }
}

// WRONG short: tiles of half the depth: twice the rounds.
// INSTEAD OF
    constexpr int BM = 64, BN = 64, BK = 16;
    static_assert(BM * BN == 4096 && 4 * BK * (BM + BN) <= 8192,
                  "4096 elements, tiles of 8 KB");
// WRITE
    // YOUR CODE 1: choose BM, BN and BK
    constexpr int BM = 64, BN = 64, BK = 8;
    static_assert(BM * BN == 4096 && 4 * BK * (BM + BN) <= 8192, "4096 elements, tiles of 8 KB");
// END

// WRONG thin: fits, but is 512 x 8: four times the traffic.
// INSTEAD OF
    constexpr int BM = 64, BN = 64, BK = 16;
    static_assert(BM * BN == 4096 && 4 * BK * (BM + BN) <= 8192,
                  "4096 elements, tiles of 8 KB");
// WRITE
    constexpr int BM = 512, BN = 8, BK = 2;
    static_assert(BM * BN == 4096 && 4 * BK * (BM + BN) <= 8192, "4096 elements, tiles of 8 KB");
// END
