// matmul/exercises/conflict: lay a tile on its side without bank conflicts.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (256), grid (ceil(n/64), ceil(m/64))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// a_tile[i][row] holds a transposed. As given a warp stores 16 values of i
// and 2 rows, and all of one row land in one bank: 16 wavefronts for one
// store. Asked: no conflict at all, stores and loads, and rows that still
// begin at multiples of 16 bytes, since they are read as float4.
// HINT 1: The bank is the word's number modulo 32. What is it for
//         a_tile[i][row], i from 0 to 15?
// HINT 2: With a pitch of 64 + p words, row i begins at bank i * p modulo 32.
//         p must be a multiple of 4; so 16 values of i cannot all differ.
//         Which 32 elements could a warp fetch instead?
// HINT 3: Let a warp fetch 8 values of i for 4 rows: with p = 4 their banks
//         are 4 * i + row.

extern "C" __global__
void matmul_conflict(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    // BEGIN SOLUTION 1: choose the pitch, and which elements a thread fetches
    // GIVEN: constexpr int PITCH = 64;
    // GIVEN: int fetch_i = threadIdx.x % 16, fetch_row = threadIdx.x / 16,
    // GIVEN:     rows = 16, halves = 1;
    constexpr int PITCH = 68;
    int fetch_i = threadIdx.x % 8,
        fetch_row = threadIdx.x / 8, rows = 32, halves = 2;
    // END SOLUTION 1
    static_assert(PITCH % 4 == 0, "rows are read as float4");
    __shared__ alignas(16) float a_tile[16][PITCH], b_tile[16][64];
    int tid = threadIdx.x, tile_row = tid / 16 * 4, tile_col = tid % 16 * 4;
    int row0 = 64 * blockIdx.y, col0 = 64 * blockIdx.x;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int y = fetch_row; y < 64; y += rows)
            for (int i = fetch_i; i < 16; i += 16 / halves)
                a_tile[i][y] = row0 + y < m && k0 + i < k
                    ? a[(row0 + y) * k + k0 + i] : 0.0f;
        for (int e = tid; e < 1024; e += 256) {
            int b_row = k0 + e / 64, col = col0 + e % 64;
            b_tile[e / 64][e % 64] = b_row < k && col < n
                ? b[b_row * n + col] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            float4 left = *reinterpret_cast<float4*>(&a_tile[i][tile_row]);
            float4 right = *reinterpret_cast<float4*>(&b_tile[i][tile_col]);
            float a_frag[4] = {left.x, left.y, left.z, left.w};
            float b_frag[4] = {right.x, right.y, right.z, right.w};
            for (int e = 0; e < 16; ++e)
                acc[e / 4][e % 4] += a_frag[e / 4] * b_frag[e % 4];
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
