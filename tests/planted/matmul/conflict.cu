// WRONG down_columns: no conflict, since the lanes go down a column of a, a sector each.
// BEGIN SOLUTION 1
    constexpr int PITCH = 64;
    int fetch_i = threadIdx.x / 64,
        fetch_row = threadIdx.x % 64, rows = 64, halves = 4;
// END SOLUTION 1

// WRONG fetch_only: fetches 8 x 4 with a pitch of 64: eight values of i in one bank.
// BEGIN SOLUTION 1
    constexpr int PITCH = 64;
    int fetch_i = threadIdx.x % 8, fetch_row = threadIdx.x / 8, rows = 32, halves = 2;
// END SOLUTION 1

// WRONG forgets_half: fetches eight of the sixteen values of i.
// INSTEAD OF
            for (int i = fetch_i; i < 16; i += 16 / halves)
                a_tile[i][y] = row0 + y < m && k0 + i < k
                    ? a[(row0 + y) * k + k0 + i] : 0.0f;
// WRITE
            for (int i = fetch_i; i < 8; i += 16 / halves)
                a_tile[i][y] = row0 + y < m && k0 + i < k ? a[(row0 + y) * k + k0 + i] : 0.0f;
// END

// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_conflict(
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

// WRONG pitch_only: a pitch of 68 alone: 16 values of i still meet twice.
// BEGIN SOLUTION 1
    constexpr int PITCH = 68;
    int fetch_i = threadIdx.x % 16, fetch_row = threadIdx.x / 16, rows = 16, halves = 1;
// END SOLUTION 1
