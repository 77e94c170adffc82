// matmul/exercises/odd_sizes: make a kernel for multiples of 16
//     right everywhere.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (16, 16), grid (ceil(n/16), ceil(m/16))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// As given, the kernel is right where m, n and k are multiples of 16 and
// reads beyond its arrays elsewhere. Asked: right at every size from 1, with
// no read out of bounds.
// HINT 1: A product with 0 adds nothing: fill what lies outside with 0.
// HINT 2: Both loads need a guard on both of their coordinates, and so
//         does the store.

extern "C" __global__
void matmul_odd_sizes(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[16][16], b_tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = 16 * blockIdx.y + y, col = 16 * blockIdx.x + x;
    float acc = 0.0f;
    // BEGIN SOLUTION 1: take the last, partial tile along k as well
    // GIVEN: int tiles = k / 16;
    int tiles = (k + 15) / 16;
    // END SOLUTION 1
    for (int tile = 0; tile < tiles; ++tile) {
        int a_col = 16 * tile + x, b_row = 16 * tile + y;
        // BEGIN SOLUTION 2: guard the loads
        // GIVEN: a_tile[y][x] = a[row * k + a_col];
        // GIVEN: b_tile[y][x] = b[b_row * n + col];
        a_tile[y][x] = row < m && a_col < k ? a[row * k + a_col] : 0.0f;
        b_tile[y][x] = b_row < k && col < n ? b[b_row * n + col] : 0.0f;
        // END SOLUTION 2
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[y][i] * b_tile[i][x];
        }
        __syncthreads();
    }
    // BEGIN SOLUTION 3: guard the store
    // GIVEN: {
    if (row < m && col < n) {
    // END SOLUTION 3
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
