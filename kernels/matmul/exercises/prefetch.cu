// matmul/exercises/prefetch: ask for the next tile before using this one.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (16, 16), grid (ceil(n/16), ceil(m/16))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// next_a and next_b hold this thread's elements of the tile that comes next.
// As given they are never loaded again. Asked: load the next ones while the
// products are made, and store them afterwards. Nothing may be read beyond k.

extern "C" __global__
void matmul_prefetch(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[16][16], b_tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = 16 * blockIdx.y + y, col = 16 * blockIdx.x + x;
    float acc = 0.0f;
    float next_a = row < m && x < k ? a[row * k + x] : 0.0f;
    float next_b = y < k && col < n ? b[y * n + col] : 0.0f;
    for (int k0 = 0; k0 < k; k0 += 16) {
        a_tile[y][x] = next_a;
        b_tile[y][x] = next_b;
        __syncthreads();
        // YOUR CODE 1: start the loads of the next tile
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[y][i] * b_tile[i][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
