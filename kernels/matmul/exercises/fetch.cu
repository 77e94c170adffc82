// matmul/exercises/fetch: fetch a tile with however many threads there are.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (threads), any multiple of 32 up to 1024;
//           grid (ceil(n/32), ceil(m/32))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// A block makes 32 x 32 elements of c; each thread takes every blockDim.x-th
// of them. As given, the fetch moves one element a thread, which fills
// the tiles with 1024 threads only. Asked: right with any number of threads,
// and coalesced.

extern "C" __global__
void matmul_fetch(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[32][32], b_tile[32][32], acc[32][32];
    int tid = threadIdx.x, threads = blockDim.x;
    int row0 = 32 * blockIdx.y, col0 = 32 * blockIdx.x;
    for (int e = tid; e < 1024; e += threads) acc[e / 32][e % 32] = 0.0f;
    for (int k0 = 0; k0 < k; k0 += 32) {
        // YOUR CODE 1: visit all elements of both tiles
        for (int e = tid; e == tid; ++e) {
            int y = e / 32, x = e % 32;
            a_tile[y][x] = row0 + y < m && k0 + x < k
                ? a[(row0 + y) * k + k0 + x] : 0.0f;
            b_tile[y][x] = k0 + y < k && col0 + x < n
                ? b[(k0 + y) * n + col0 + x] : 0.0f;
        }
        __syncthreads();
        for (int e = tid; e < 1024; e += threads)
            for (int i = 0; i < 32; ++i)
                acc[e / 32][e % 32] += a_tile[e / 32][i] * b_tile[i][e % 32];
        __syncthreads();
    }
    for (int e = tid; e < 1024; e += threads) {
        int row = row0 + e / 32, col = col0 + e % 32;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[e / 32][e % 32] + old;
        }
    }
}
