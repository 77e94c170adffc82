// WRONG naive: the naive product, with no tile in shared memory.
extern "C" __global__
void matmul_stages(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = 16 * blockIdx.y + threadIdx.y, col = 16 * blockIdx.x + threadIdx.x;
    if (row < m && col < n) {
        float acc = 0.0f;
        for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}

// WRONG no_barrier: waits for its own copies, not for the others'.
// Starts a copy of 4 bytes to shared memory and goes on; zero where not inside.
__device__ void copy(float* to, const float* from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from),
                    "r"(inside ? 4 : 0) : "memory");
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

// WRONG no_copies: two barriers and no cp.async.
extern "C" __global__
void matmul_stages(
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
        a_tile[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : 0.0f;
        b_tile[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : 0.0f;
        __syncthreads();
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

// WRONG one_too_far: starts the copies three tiles on: a third of the tiles is never loaded.
// Starts a copy of 4 bytes to shared memory and goes on; zero where not inside.
__device__ void copy(float* to, const float* from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from),
                    "r"(inside ? 4 : 0) : "memory");
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
        fetch(tile + 3);
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[tile % 3][y][i] * b_tile[tile % 3][i][x];
        }
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}

// WRONG second_barrier: a second barrier, which three stages make needless.
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

// WRONG starts_too_early: starts the next copies before the barrier, into a stage that others still read.
// Starts a copy of 4 bytes to shared memory and goes on; zero where not inside.
__device__ void copy(float* to, const float* from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from),
                    "r"(inside ? 4 : 0) : "memory");
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
        fetch(tile + 2);
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            acc += a_tile[tile % 3][y][i] * b_tile[tile % 3][i][x];
        }
    }
    if (row < m && col < n) {
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
        c[row * n + col] = alpha * acc + old;
    }
}

// WRONG waits_for_all: it waits for every copy, also those that nobody needs yet.
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
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
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

// WRONG waits_for_too_little: lets two groups be unfinished: this tile's own is one of them.
// Starts a copy of 4 bytes to shared memory and goes on; zero where not inside.
__device__ void copy(float* to, const float* from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :: "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from),
                    "r"(inside ? 4 : 0) : "memory");
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
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
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
