// matmul/03_ints: a control: the tiled product of whole numbers.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  float -> int    (from 03_tiled)
// Launch:   block (TILE, TILE), grid (ceil(n/TILE), ceil(m/TILE))
// Defines:  TILE = 32
// Cost:     4*(m*k + k*n + m*n) bytes, 0 flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef TILE
#define TILE 32
#endif
static_assert(TILE * TILE <= 1024, "TILE*TILE threads must fit in one block");

extern "C" __global__
void matmul_ints(
    const int* __restrict__ a,      // [m, k]
    const int* __restrict__ b,      // [k, n]
    int* __restrict__ c,            // [m, n], read only where beta is not 0
    int m, int n, int k, int alpha, int beta)
{
    __shared__ int a_tile[TILE][TILE];
    __shared__ int b_tile[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    int acc = 0;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        int a_col = k0 + threadIdx.x, b_row = k0 + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && a_col < k
            ? a[row * k + a_col] : 0;
        b_tile[threadIdx.y][threadIdx.x] = b_row < k && col < n
            ? b[b_row * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            acc += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        int old = beta == 0 ? 0 : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
