// matmul/06_private_ints: a control: whole numbers, TILE x TILE elements for
//     one thread.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  float -> int    (from 06_private)
// Launch:   block (16, 16), grid (ceil(n/(16*TILE)), ceil(m/(16*TILE)))
// Defines:  TILE = 8
// Cost:     4*(m*k + k*n + m*n) bytes, 0 flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef TILE
#define TILE 8
#endif

extern "C" __global__
void matmul_private_ints(
    const int* __restrict__ a,      // [m, k]
    const int* __restrict__ b,      // [k, n]
    int* __restrict__ c,            // [m, n], read only where beta is not 0
    int m, int n, int k, int alpha, int beta)
{
    int row = TILE * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = TILE * (blockIdx.x * blockDim.x + threadIdx.x);
    int acc[TILE][TILE] = {};
    for (int i = 0; i < k; ++i) {
        int a_frag[TILE], b_frag[TILE];
        for (int t = 0; t < TILE; ++t) {
            a_frag[t] = row + t < m ? a[(row + t) * k + i] : 0;
            b_frag[t] = col + t < n ? b[i * n + col + t] : 0;
        }
        for (int y = 0; y < TILE; ++y)
            for (int x = 0; x < TILE; ++x)
                acc[y][x] += a_frag[y] * b_frag[x];
    }
    for (int y = 0; y < TILE; ++y)
        for (int x = 0; x < TILE; ++x)
            if (row + y < m && col + x < n) {
                int* out = c + (row + y) * n + col + x;
                *out = alpha * acc[y][x]
                       + (beta == 0 ? 0 : beta * *out);
            }
}
