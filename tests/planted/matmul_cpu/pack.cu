// WRONG copies_for_every_tile: the copy is made again for every tile of rows, so b is loaded as often as before.
// matmul_cpu/exercises/pack: copy a panel of b once, and let B1 rows of a use it.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4, B1 = 16, B3 = 32
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// The loops are given, with tiles of V x V sums, and panels of V columns and B3 rows of b. As given,
// every tile loads the panel from b, row by row. Asked: one copy a panel, m*n*k/B1 floats of b in
// all, and the tiles read the copy.
#ifndef V
#define V 4
#endif
#ifndef B1
#define B1 16
#endif
#ifndef B3
#define B3 32
#endif

extern "C" __global__
void matmul_cpu_pack(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row1 = 0; row1 < m; row1 += B1)
    for (int k0 = 0; k0 < k; k0 += B3)
    for (int col0 = 0; col0 < n; col0 += V) {
        int depth = k - k0 < B3 ? k - k0 : B3;
        for (int row0 = row1; row0 < m && row0 < row1 + B1; row0 += V) {
            float panel[B3][V];
            for (int i = 0; i < depth; ++i)
            for (int s = 0; s < V; ++s) {
                panel[i][s] = col0 + s < n ? b[(k0 + i) * n + col0 + s] : 0.0f;
            }
            float acc[V][V] = {};
            for (int i = 0; i < depth; ++i) {
                float a_frag[V];
                for (int r = 0; r < V; ++r) {
                    a_frag[r] = row0 + r < m ? a[(row0 + r) * k + k0 + i] : 0.0f;
                }
                for (int s = 0; s < V; ++s) {
                    float b_frag = panel[i][s];
                    for (int r = 0; r < V; ++r) acc[r][s] += a_frag[r] * b_frag;
                }
            }
            for (int r = 0; r < V && row0 + r < m; ++r)
            for (int s = 0; s < V && col0 + s < n; ++s) {
                float old = k0 == 0 ? 0.0f : c[(row0 + r) * n + col0 + s];
                c[(row0 + r) * n + col0 + s] = old + acc[r][s];
            }
        }
    }
}

// WRONG dot_products: one dot product after the other: no float is used twice.
extern "C" __global__
void matmul_cpu_pack(
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

// WRONG forgets_k0: every panel is copied from the first rows of b.
// matmul_cpu/exercises/pack: copy a panel of b once, and let B1 rows of a use it.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4, B1 = 16, B3 = 32
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// The loops are given, with tiles of V x V sums, and panels of V columns and B3 rows of b. As given,
// every tile loads the panel from b, row by row. Asked: one copy a panel, m*n*k/B1 floats of b in
// all, and the tiles read the copy.
#ifndef V
#define V 4
#endif
#ifndef B1
#define B1 16
#endif
#ifndef B3
#define B3 32
#endif

extern "C" __global__
void matmul_cpu_pack(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row1 = 0; row1 < m; row1 += B1)
    for (int k0 = 0; k0 < k; k0 += B3)
    for (int col0 = 0; col0 < n; col0 += V) {
        int depth = k - k0 < B3 ? k - k0 : B3;
        float panel[B3][V];
        for (int i = 0; i < depth; ++i)
        for (int s = 0; s < V; ++s) {
            panel[i][s] = col0 + s < n ? b[i * n + col0 + s] : 0.0f;
        }
        for (int row0 = row1; row0 < m && row0 < row1 + B1; row0 += V) {
            float acc[V][V] = {};
            for (int i = 0; i < depth; ++i) {
                float a_frag[V];
                for (int r = 0; r < V; ++r) {
                    a_frag[r] = row0 + r < m ? a[(row0 + r) * k + k0 + i] : 0.0f;
                }
                for (int s = 0; s < V; ++s) {
                    float b_frag = panel[i][s];
                    for (int r = 0; r < V; ++r) acc[r][s] += a_frag[r] * b_frag;
                }
            }
            for (int r = 0; r < V && row0 + r < m; ++r)
            for (int s = 0; s < V && col0 + s < n; ++s) {
                float old = k0 == 0 ? 0.0f : c[(row0 + r) * n + col0 + s];
                c[(row0 + r) * n + col0 + s] = old + acc[r][s];
            }
        }
    }
}

// WRONG no_column_guard: the last panel takes columns from the next row, and from beyond b.
// matmul_cpu/exercises/pack: copy a panel of b once, and let B1 rows of a use it.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4, B1 = 16, B3 = 32
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// The loops are given, with tiles of V x V sums, and panels of V columns and B3 rows of b. As given,
// every tile loads the panel from b, row by row. Asked: one copy a panel, m*n*k/B1 floats of b in
// all, and the tiles read the copy.
#ifndef V
#define V 4
#endif
#ifndef B1
#define B1 16
#endif
#ifndef B3
#define B3 32
#endif

extern "C" __global__
void matmul_cpu_pack(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row1 = 0; row1 < m; row1 += B1)
    for (int k0 = 0; k0 < k; k0 += B3)
    for (int col0 = 0; col0 < n; col0 += V) {
        int depth = k - k0 < B3 ? k - k0 : B3;
        float panel[B3][V];
        for (int i = 0; i < depth; ++i)
        for (int s = 0; s < V; ++s) {
            panel[i][s] = b[(k0 + i) * n + col0 + s];
        }
        for (int row0 = row1; row0 < m && row0 < row1 + B1; row0 += V) {
            float acc[V][V] = {};
            for (int i = 0; i < depth; ++i) {
                float a_frag[V];
                for (int r = 0; r < V; ++r) {
                    a_frag[r] = row0 + r < m ? a[(row0 + r) * k + k0 + i] : 0.0f;
                }
                for (int s = 0; s < V; ++s) {
                    float b_frag = panel[i][s];
                    for (int r = 0; r < V; ++r) acc[r][s] += a_frag[r] * b_frag;
                }
            }
            for (int r = 0; r < V && row0 + r < m; ++r)
            for (int s = 0; s < V && col0 + s < n; ++s) {
                float old = k0 == 0 ? 0.0f : c[(row0 + r) * n + col0 + s];
                c[(row0 + r) * n + col0 + s] = old + acc[r][s];
            }
        }
    }
}

// WRONG not_copied: the panel is declared and never filled.
// matmul_cpu/exercises/pack: copy a panel of b once, and let B1 rows of a use it.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4, B1 = 16, B3 = 32
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n and m*n below 2^31
//
// The loops are given, with tiles of V x V sums, and panels of V columns and B3 rows of b. As given,
// every tile loads the panel from b, row by row. Asked: one copy a panel, m*n*k/B1 floats of b in
// all, and the tiles read the copy.
#ifndef V
#define V 4
#endif
#ifndef B1
#define B1 16
#endif
#ifndef B3
#define B3 32
#endif

extern "C" __global__
void matmul_cpu_pack(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    int m, int n, int k)
{
    for (int row1 = 0; row1 < m; row1 += B1)
    for (int k0 = 0; k0 < k; k0 += B3)
    for (int col0 = 0; col0 < n; col0 += V) {
        int depth = k - k0 < B3 ? k - k0 : B3;
        float panel[B3][V];
        for (int i = 0; i < depth; ++i)
        for (int s = 0; s < V; ++s) {
        }
        for (int row0 = row1; row0 < m && row0 < row1 + B1; row0 += V) {
            float acc[V][V] = {};
            for (int i = 0; i < depth; ++i) {
                float a_frag[V];
                for (int r = 0; r < V; ++r) {
                    a_frag[r] = row0 + r < m ? a[(row0 + r) * k + k0 + i] : 0.0f;
                }
                for (int s = 0; s < V; ++s) {
                    float b_frag = panel[i][s];
                    for (int r = 0; r < V; ++r) acc[r][s] += a_frag[r] * b_frag;
                }
            }
            for (int r = 0; r < V && row0 + r < m; ++r)
            for (int s = 0; s < V && col0 + s < n; ++s) {
                float old = k0 == 0 ? 0.0f : c[(row0 + r) * n + col0 + s];
                c[(row0 + r) * n + col0 + s] = old + acc[r][s];
            }
        }
    }
}

// WRONG whole_copy: copies all of b once, and not a panel for each band.
// BEGIN SOLUTION 1
        // YOUR CODE 1: copy the panel into its own array (about 5 lines)
// END SOLUTION 1
// BEGIN SOLUTION 2
                    // YOUR CODE 2: take it from the panel
                    float b_frag = col0 + s < n
                        ? all[(k0 + i) * n + col0 + s] : 0.0f;
// END SOLUTION 2
// INSTEAD OF
    for (int row1 = 0; row1 < m; row1 += B1)
// WRITE
    float all[8192];
    for (int j = 0; j < k * n; ++j) all[j] = b[j];
    for (int row1 = 0; row1 < m; row1 += B1)
// END
