// WRONG by_rows: takes a as if it were stored by rows.
// BEGIN SOLUTION 1
        a_tile[i][side] = ko + i < k && a_row < m ? a[a_row * k + ko + i] : 0.0f;
        b_tile[i][side] = ko + i < k && b_col < n ? b[(ko + i) * n + b_col] : 0.0f;
// END SOLUTION 1

// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_swapped(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    for (int e = (16 * threadIdx.y + threadIdx.x); e < 1024; e += 256) {
        int row = 32 * blockIdx.y + e / 32, col = 32 * blockIdx.x + e % 32;
        if (row < m && col < n) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[i * m + row] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
    }
}

// WRONG one_slip: mends the loads, but still takes b's fragment from the tile of a.
// BEGIN SOLUTION 2
            float a_frag[2] = {a_tile[ki][2 * threadIdx.y], a_tile[ki][2 * threadIdx.y + 1]};
            float b_frag[2] = {a_tile[ki][2 * threadIdx.x], a_tile[ki][2 * threadIdx.x + 1]};
// END SOLUTION 2

// WRONG other_slip: mends the fragment, but loads the same eight rows in every round.
// BEGIN SOLUTION 1
        a_tile[i][side] = ko + i < k && a_row < m ? a[i * m + a_row] : 0.0f;
        b_tile[i][side] = ko + i < k && b_col < n ? b[i * n + b_col] : 0.0f;
// END SOLUTION 1
