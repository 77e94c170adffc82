// WRONG half_guards: guards the rows of a and the columns of b, but not k.
// BEGIN SOLUTION 2
        a_tile[y][x] = row < m ? a[row * k + a_col] : 0.0f;
        b_tile[y][x] = col < n ? b[b_row * n + col] : 0.0f;
// END SOLUTION 2

// WRONG k_cut: forgets the last, partial tile along k.
// BEGIN SOLUTION 1
    int tiles = k / 16;
// END SOLUTION 1

// WRONG leaves_early: threads outside c leave before the barrier that the others wait at.
// INSTEAD OF
    float acc = 0.0f;
// WRITE
    if (row >= m || col >= n) return;
    float acc = 0.0f;
// END

// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_odd_sizes(
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

// WRONG no_store_guard: writes below and beside c.
// BEGIN SOLUTION 3
    {
// END SOLUTION 3
