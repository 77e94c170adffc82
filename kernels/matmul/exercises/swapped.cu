// matmul/exercises/swapped: find what is wrong with a published sketch.
//
// c[row, col] = alpha * (sum over i of a[i, row] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (16, 16), grid (ceil(n/32), ceil(m/32))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// Here a is stored by columns: c = alpha * a^T b + beta * c, a thread makes
// 2 x 2 elements, and the code is a lecture's sketch written out. Two slips
// came with it. Asked: the right product.

extern "C" __global__
void matmul_swapped(
    const float* __restrict__ a,    // [k, m]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[8][32], b_tile[8][32];
    int tid = threadIdx.y * 16 + threadIdx.x, i = tid / 32, side = tid % 32;
    int a_row = 32 * blockIdx.y + side, b_col = 32 * blockIdx.x + side;
    float acc[2][2] = {};
    for (int ko = 0; ko < k; ko += 8) {
        // YOUR CODE 1: load row i of this round
        a_tile[i][side] = i < k && a_row < m
            ? a[i * m + a_row] : 0.0f;
        b_tile[i][side] = i < k && b_col < n
            ? b[i * n + b_col] : 0.0f;
        __syncthreads();
        for (int ki = 0; ki < 8; ++ki) {
            // YOUR CODE 2: take two values of a and two of b
            float a_frag[2] = {a_tile[ki][2 * threadIdx.y],
                               a_tile[ki][2 * threadIdx.y + 1]};
            float b_frag[2] = {a_tile[ki][2 * threadIdx.x],
                               a_tile[ki][2 * threadIdx.x + 1]};
            for (int y = 0; y < 2; ++y)
                for (int x = 0; x < 2; ++x)
                    acc[y][x] += a_frag[y] * b_frag[x];
        }
        __syncthreads();
    }
    for (int e = 0; e < 4; ++e) {
        int row = 32 * blockIdx.y + 2 * threadIdx.y + e / 2;
        int col = 32 * blockIdx.x + 2 * threadIdx.x + e % 2;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[e / 2][e % 2] + old;
        }
    }
}
