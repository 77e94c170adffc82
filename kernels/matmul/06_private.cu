// matmul/06_private: TILE x TILE elements of c for one thread, in registers,
//     no shared memory.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Changed:  one element -> TILE x TILE; a row and a column of loads
//           (from 02_coalesced)
// Launch:   block (16, 16), grid (ceil(n/(16*TILE)), ceil(m/(16*TILE)))
// Defines:  TILE = 8
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
#ifndef TILE
#define TILE 8
#endif

extern "C" __global__
void matmul_private(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = TILE * (blockIdx.y * blockDim.y + threadIdx.y);
    int col = TILE * (blockIdx.x * blockDim.x + threadIdx.x);
    float acc[TILE][TILE] = {};
    for (int i = 0; i < k; ++i) {
        float a_frag[TILE], b_frag[TILE];
        for (int t = 0; t < TILE; ++t) {
            a_frag[t] = row + t < m ? a[(row + t) * k + i] : 0.0f;
            b_frag[t] = col + t < n ? b[i * n + col + t] : 0.0f;
        }
        for (int y = 0; y < TILE; ++y)
            for (int x = 0; x < TILE; ++x)
                acc[y][x] += a_frag[y] * b_frag[x];
    }
    for (int y = 0; y < TILE; ++y)
        for (int x = 0; x < TILE; ++x)
            if (row + y < m && col + x < n) {
                float* out = c + (row + y) * n + col + x;
                *out = alpha * acc[y][x]
                       + (beta == 0.0f ? 0.0f : beta * *out);
            }
}
