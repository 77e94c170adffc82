// matmul/exercises/thread_tile: let a thread make 4 x 4 elements.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (256), grid (ceil(n/64), ceil(m/64))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// The tiles are there; a thread's 16 elements are at rows tile_row ... + 3,
// columns tile_col ... + 3. As given, a thread reads both factors of every
// product from shared memory. Asked: 4 + 4 reads for 16 products.

extern "C" __global__
void matmul_thread_tile(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[16][64 + 1], b_tile[16][64];
    int tid = threadIdx.x, tile_row = tid / 16 * 4, tile_col = tid % 16 * 4;
    int row0 = 64 * blockIdx.y, col0 = 64 * blockIdx.x;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int e = tid; e < 1024; e += 256) {
            int row = row0 + e / 16, a_col = k0 + e % 16,
                b_row = k0 + e / 64, col = col0 + e % 64;
            a_tile[e % 16][e / 16] = row < m && a_col < k
                ? a[row * k + a_col] : 0.0f;
            b_tile[e / 64][e % 64] = b_row < k && col < n
                ? b[b_row * n + col] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            // YOUR CODE 1: 16 products from 8 reads
            volatile float (*left)[65] = a_tile,
                           (*right)[64] = b_tile;
            for (int y = 0; y < 4; ++y)
                for (int x = 0; x < 4; ++x)
                    acc[y][x] += left[i][tile_row + y]
                                 * right[i][tile_col + x];
        }
        __syncthreads();
    }
    for (int e = 0; e < 16; ++e) {
        int row = row0 + tile_row + e / 4, col = col0 + tile_col + e % 4;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[e / 4][e % 4] + old;
        }
    }
}
