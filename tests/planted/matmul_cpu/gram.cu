// WRONG no_edge_load: reads rows below the last one.
// matmul_cpu/exercises/gram: every row of a with every row of a, in register tiles.
//
// c[row, col] = sum over i of a[row, i] * a[col, i]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4
// Cost:     4*(m*k + m*m) bytes, 2*m*m*k flops
// Assumes:  m*k and m*m below 2^31
//
// As given, two floats are loaded for each multiply-add. Asked: at most 2/V of a float where m is a
// multiple of V, and right results where it is not.
#ifndef V
#define V 4
#endif

extern "C" __global__
void matmul_cpu_gram(
    const float* __restrict__ a,    // [m, k]
    float* __restrict__ c,          // [m, m]
    int m, int k)
{
    for (int row0 = 0; row0 < m; row0 += V)
    for (int col0 = 0; col0 < m; col0 += V) {
        float acc[V][V] = {};
        for (int i = 0; i < k; ++i) {
            float left[V], right[V];
            for (int v = 0; v < V; ++v) {
                left[v] = a[(row0 + v) * k + i];
                right[v] = a[(col0 + v) * k + i];
            }
            for (int r = 0; r < V; ++r)
            for (int s = 0; s < V; ++s) acc[r][s] += left[r] * right[s];
        }
        for (int r = 0; r < V && row0 + r < m; ++r)
        for (int s = 0; s < V && col0 + s < m; ++s) c[(row0 + r) * m + col0 + s] = acc[r][s];
    }
}

// WRONG no_edge_store: stores sums that do not belong to c.
// matmul_cpu/exercises/gram: every row of a with every row of a, in register tiles.
//
// c[row, col] = sum over i of a[row, i] * a[col, i]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4
// Cost:     4*(m*k + m*m) bytes, 2*m*m*k flops
// Assumes:  m*k and m*m below 2^31
//
// As given, two floats are loaded for each multiply-add. Asked: at most 2/V of a float where m is a
// multiple of V, and right results where it is not.
#ifndef V
#define V 4
#endif

extern "C" __global__
void matmul_cpu_gram(
    const float* __restrict__ a,    // [m, k]
    float* __restrict__ c,          // [m, m]
    int m, int k)
{
    for (int row0 = 0; row0 < m; row0 += V)
    for (int col0 = 0; col0 < m; col0 += V) {
        float acc[V][V] = {};
        for (int i = 0; i < k; ++i) {
            float left[V], right[V];
            for (int v = 0; v < V; ++v) {
                left[v] = a[(row0 + v < m ? row0 + v : m - 1) * k + i];
                right[v] = a[(col0 + v < m ? col0 + v : m - 1) * k + i];
            }
            for (int r = 0; r < V; ++r)
            for (int s = 0; s < V; ++s) acc[r][s] += left[r] * right[s];
        }
        for (int r = 0; r < V; ++r)
        for (int s = 0; s < V; ++s) c[(row0 + r) * m + col0 + s] = acc[r][s];
    }
}

// WRONG one_row: tiles of one row: a float of the columns serves one sum only.
// matmul_cpu/exercises/gram: every row of a with every row of a, in register tiles.
//
// c[row, col] = sum over i of a[row, i] * a[col, i]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4
// Cost:     4*(m*k + m*m) bytes, 2*m*m*k flops
// Assumes:  m*k and m*m below 2^31
//
// As given, two floats are loaded for each multiply-add. Asked: at most 2/V of a float where m is a
// multiple of V, and right results where it is not.
#ifndef V
#define V 4
#endif

extern "C" __global__
void matmul_cpu_gram(
    const float* __restrict__ a,    // [m, k]
    float* __restrict__ c,          // [m, m]
    int m, int k)
{
    for (int row0 = 0; row0 < m; row0 += 1)
    for (int col0 = 0; col0 < m; col0 += V) {
        float acc[1][V] = {};
        for (int i = 0; i < k; ++i) {
            float left[1] = {a[row0 * k + i]}, right[V];
            for (int v = 0; v < V; ++v) {
                right[v] = a[(col0 + v < m ? col0 + v : m - 1) * k + i];
            }
            for (int r = 0; r < 1; ++r)
            for (int s = 0; s < V; ++s) acc[r][s] += left[r] * right[s];
        }
        for (int r = 0; r < 1 && row0 + r < m; ++r)
        for (int s = 0; s < V && col0 + s < m; ++s) c[(row0 + r) * m + col0 + s] = acc[r][s];
    }
}

// WRONG private_copy: a copy of all of a in local memory, and no register tile.
// BEGIN SOLUTION 1
    float keep[8192];
    for (int j = 0; j < m * k; ++j) keep[j] = a[j];
    for (int row = 0; row < m; ++row)
        for (int col = 0; col < m; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += keep[row * k + i] * keep[col * k + i];
            c[row * m + col] = acc;
        }
// END SOLUTION 1

// WRONG whole_tiles_only: the edge tiles are never computed.
// matmul_cpu/exercises/gram: every row of a with every row of a, in register tiles.
//
// c[row, col] = sum over i of a[row, i] * a[col, i]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4
// Cost:     4*(m*k + m*m) bytes, 2*m*m*k flops
// Assumes:  m*k and m*m below 2^31
//
// As given, two floats are loaded for each multiply-add. Asked: at most 2/V of a float where m is a
// multiple of V, and right results where it is not.
#ifndef V
#define V 4
#endif

extern "C" __global__
void matmul_cpu_gram(
    const float* __restrict__ a,    // [m, k]
    float* __restrict__ c,          // [m, m]
    int m, int k)
{
    for (int row0 = 0; row0 + V <= m; row0 += V)
    for (int col0 = 0; col0 + V <= m; col0 += V) {
        float acc[V][V] = {};
        for (int i = 0; i < k; ++i) {
            float left[V], right[V];
            for (int v = 0; v < V; ++v) {
                left[v] = a[(row0 + v < m ? row0 + v : m - 1) * k + i];
                right[v] = a[(col0 + v < m ? col0 + v : m - 1) * k + i];
            }
            for (int r = 0; r < V; ++r)
            for (int s = 0; s < V; ++s) acc[r][s] += left[r] * right[s];
        }
        for (int r = 0; r < V && row0 + r < m; ++r)
        for (int s = 0; s < V && col0 + s < m; ++s) c[(row0 + r) * m + col0 + s] = acc[r][s];
    }
}
