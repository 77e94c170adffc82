// matmul/exercises/wide: read four neighbours with one instruction.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (256), grid (ceil(n/64), ceil(m/64))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// As given, a thread's rows and columns lie 16 apart, so a fragment takes
// four loads of 4 bytes. Asked: one load of 16 bytes for each fragment,
// without bank conflicts, and 16-byte stores to c are not needed.
// HINT 1: Four neighbours: rows 4 * r ... 4 * r + 3. Then one
//         float4 holds them.
// HINT 2: A float4 load needs an address that is a multiple of 16 bytes:
//         so must a row's pitch be.

extern "C" __global__
void matmul_wide(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ alignas(16) float a_tile[16][64 + 4], b_tile[16][64];
    int tid = threadIdx.x, row0 = 64 * blockIdx.y, col0 = 64 * blockIdx.x;
    // BEGIN SOLUTION 1: row y is tile_row + y * step, and columns likewise
    // GIVEN: int tile_row = tid / 16, tile_col = tid % 16, step = 16;
    int tile_row = tid / 16 * 4, tile_col = tid % 16 * 4, step = 1;
    // END SOLUTION 1
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int e = tid; e < 1024; e += 256) {
            int y = e / 8 % 64, i = e / 512 * 8 + e % 8,
                b_row = k0 + e / 64, col = col0 + e % 64;
            a_tile[i][y] = row0 + y < m && k0 + i < k
                ? a[(row0 + y) * k + k0 + i] : 0.0f;
            b_tile[e / 64][e % 64] = b_row < k && col < n
                ? b[b_row * n + col] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            float a_frag[4], b_frag[4];
            // BEGIN SOLUTION 2: fill the fragments
            // GIVEN: for (int y = 0; y < 4; ++y)
            // GIVEN:     a_frag[y] = a_tile[i][tile_row + y * step];
            // GIVEN: for (int x = 0; x < 4; ++x)
            // GIVEN:     b_frag[x] = b_tile[i][tile_col + x * step];
            *reinterpret_cast<float4*>(a_frag) =
                *reinterpret_cast<float4*>(&a_tile[i][tile_row]);
            *reinterpret_cast<float4*>(b_frag) =
                *reinterpret_cast<float4*>(&b_tile[i][tile_col]);
            // END SOLUTION 2
            for (int e = 0; e < 16; ++e)
                acc[e / 4][e % 4] += a_frag[e / 4] * b_frag[e % 4];
        }
        __syncthreads();
    }
    for (int e = 0; e < 16; ++e) {
        int row = row0 + tile_row + e / 4 * step,
            col = col0 + tile_col + e % 4 * step;
        if (row < m && col < n) {
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc[e / 4][e % 4] + old;
        }
    }
}
