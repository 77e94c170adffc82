// matmul/03_spread: a control: the columns of b_tile lie SPREAD words apart.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  b_tile[TILE][TILE] -> b_tile[TILE][SPREAD * TILE]
//           (from 03_tiled)
// Launch:   block (TILE, TILE), grid (ceil(n/TILE), ceil(m/TILE))
// Defines:  TILE = 32, SPREAD = 2
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef TILE
#define TILE 32
#endif
#ifndef SPREAD
#define SPREAD 2
#endif
static_assert(TILE * TILE <= 1024, "TILE*TILE threads must fit in one block");

extern "C" __global__
void matmul_spread(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][SPREAD * TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        int a_col = k0 + threadIdx.x, b_row = k0 + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && a_col < k
            ? a[row * k + a_col] : 0.0f;
        b_tile[threadIdx.y][SPREAD * threadIdx.x] = b_row < k && col < n
            ? b[b_row * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            acc += a_tile[threadIdx.y][i]
                   * b_tile[i][SPREAD * threadIdx.x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
