// WRONG dot_products: one dot product after the other: no float is used twice.
extern "C" __global__
void matmul_cpu_four_steps(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row = 0; row < m; ++row)
        for (int col = 0; col < n; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            c[row * n + col] = acc;
        }
}

// WRONG drops_the_rest: the last k % 4 steps are left out.
// matmul_cpu/exercises/four_steps: pass over a row of c once for every four steps of i.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// As given, c is loaded and stored in each step of i. Asked: at most m*n*(k/4 + 1) stores where k
// is a multiple of 4, and right results where it is not.
extern "C" __global__
void matmul_cpu_four_steps(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            c[row * n + col] = 0.0f;
        }
        int fours = k / 4 * 4;
        for (int i = 0; i < fours; i += 4) {
            const float* a_frag = a + row * k + i;
            for (int col = 0; col < n; ++col) {
                const float* b_frag = b + i * n + col;
                c[row * n + col] += a_frag[0] * b_frag[0] + a_frag[1] * b_frag[n]
                                    + a_frag[2] * b_frag[2 * n] + a_frag[3] * b_frag[3 * n];
            }
        }
        for (int i = fours; i < fours; ++i) {
            for (int col = 0; col < n; ++col) {
                c[row * n + col] += a[row * k + i] * b[i * n + col];
            }
        }
    }
}

// WRONG no_zero: c is added to before anything was put there.
// matmul_cpu/exercises/four_steps: pass over a row of c once for every four steps of i.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// As given, c is loaded and stored in each step of i. Asked: at most m*n*(k/4 + 1) stores where k
// is a multiple of 4, and right results where it is not.
extern "C" __global__
void matmul_cpu_four_steps(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
        }
        int fours = k / 4 * 4;
        for (int i = 0; i < fours; i += 4) {
            const float* a_frag = a + row * k + i;
            for (int col = 0; col < n; ++col) {
                const float* b_frag = b + i * n + col;
                c[row * n + col] += a_frag[0] * b_frag[0] + a_frag[1] * b_frag[n]
                                    + a_frag[2] * b_frag[2 * n] + a_frag[3] * b_frag[3 * n];
            }
        }
        for (int i = fours; i < k; ++i) {
            for (int col = 0; col < n; ++col) {
                c[row * n + col] += a[row * k + i] * b[i * n + col];
            }
        }
    }
}

// WRONG rounds_up: a fourth step that k does not have reads beyond a row, and beyond the array.
// matmul_cpu/exercises/four_steps: pass over a row of c once for every four steps of i.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// As given, c is loaded and stored in each step of i. Asked: at most m*n*(k/4 + 1) stores where k
// is a multiple of 4, and right results where it is not.
extern "C" __global__
void matmul_cpu_four_steps(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            c[row * n + col] = 0.0f;
        }
        int fours = (k + 3) / 4 * 4;
        for (int i = 0; i < fours; i += 4) {
            const float* a_frag = a + row * k + i;
            for (int col = 0; col < n; ++col) {
                const float* b_frag = b + i * n + col;
                c[row * n + col] += a_frag[0] * b_frag[0] + a_frag[1] * b_frag[n]
                                    + a_frag[2] * b_frag[2 * n] + a_frag[3] * b_frag[3 * n];
            }
        }
        for (int i = fours; i < k; ++i) {
            for (int col = 0; col < n; ++col) {
                c[row * n + col] += a[row * k + i] * b[i * n + col];
            }
        }
    }
}

// WRONG two_steps: two steps at a time: c is still stored twice too often.
// matmul_cpu/exercises/four_steps: pass over a row of c once for every four steps of i.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// As given, c is loaded and stored in each step of i. Asked: at most m*n*(k/4 + 1) stores where k
// is a multiple of 4, and right results where it is not.
extern "C" __global__
void matmul_cpu_four_steps(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < n; ++col) {
            c[row * n + col] = 0.0f;
        }
        int fours = k / 2 * 2;
        for (int i = 0; i < fours; i += 2) {
            const float* a_frag = a + row * k + i;
            for (int col = 0; col < n; ++col) {
                const float* b_frag = b + i * n + col;
                c[row * n + col] += a_frag[0] * b_frag[0] + a_frag[1] * b_frag[n];
            }
        }
        for (int i = fours; i < k; ++i) {
            for (int col = 0; col < n; ++col) {
                c[row * n + col] += a[row * k + i] * b[i * n + col];
            }
        }
    }
}
