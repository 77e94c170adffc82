// Wrong: a second barrier, which three stages make needless.
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
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        fetch(tile + 2);
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[tile % 3][y][i] * b_tile[tile % 3][i][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}
