// matmul/exercises/write_tiles: write the tiled product.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (16, 16), grid (ceil(n/16), ceil(m/16))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// The block's threads copy a 16 x 16 tile of a and one of b to shared memory,
// wait for one another, use both, wait again, and go 16 further along k.
// Outside the matrices a tile holds zeros.

extern "C" __global__
void matmul_write_tiles(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[16][16], b_tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = 16 * blockIdx.y + y, col = 16 * blockIdx.x + x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        // YOUR CODE 1: fill a_tile and b_tile, wait, use them, wait
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
