// matmul/exercises/stages: wait for the right copies.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (16, 16), grid (ceil(n/16), ceil(m/16))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  sm_80, where cp.async begins
//
// Three stages; fetch(tile) starts the copies of one tile and closes their
// group. As given, nobody waits. Asked: wait for this tile's group and no
// other, meet, and start the copies two tiles on.

// Starts a copy of 4 bytes to shared memory and goes on; zero
// where not inside.
__device__ void copy(float* to, const float* from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)),
                    "l"(from), "r"(inside ? 4 : 0)
                 : "memory");
}

extern "C" __global__
void matmul_stages(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    __shared__ float a_tile[3][16][16], b_tile[3][16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = 16 * blockIdx.y + y, col = 16 * blockIdx.x + x;
    auto fetch = [&](int tile) {
        int a_col = 16 * tile + x, b_row = 16 * tile + y, stage = tile % 3;
        bool in_a = row < m && a_col < k, in_b = b_row < k && col < n;
        copy(&a_tile[stage][y][x], in_a ? a + row * k + a_col : a, in_a);
        copy(&b_tile[stage][y][x], in_b ? b + b_row * n + col : b, in_b);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float acc = 0.0f;
    fetch(0);
    fetch(1);
    for (int tile = 0; 16 * tile < k; ++tile) {
        // YOUR CODE 1: wait, meet, start the next copies
        fetch(tile + 2);
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[tile % 3][y][i] * b_tile[tile % 3][i][x];
        }
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
