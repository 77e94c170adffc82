// matmul_cpu/exercises/gram: every row of a with every row of a,
//     in register tiles.
//
// c[row, col] = sum over i of a[row, i] * a[col, i]
//
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V = 4
// Cost:     4*(m*k + m*m) bytes, 2*m*m*k flops
// Assumes:  m*k and m*m below 2^31
//
// As given, two floats are loaded for each multiply-add. Asked: at most 2/V
// of a float where m is a multiple of V, and right results where it is not.
// HINT 1: A tile of V x V sums needs V floats of its rows and V of its
//         columns in each step of i.
// HINT 2: Load them into two arrays of V floats first; then the
//         products load nothing.
// HINT 3: At the edge of c, load row m - 1 again in place of a row that is
//         not there, and store only the sums that belong to c.
#ifndef V
#define V 4
#endif

extern "C" __global__
void matmul_cpu_gram(
    const float* __restrict__ a,    // [m, k]
    float* __restrict__ c,          // [m, m]
    int m, int k)
{
    // BEGIN SOLUTION 1: V x V sums at a time (about 16 lines)
    // GIVEN: for (int row = 0; row < m; ++row) {
    // GIVEN:     for (int col = 0; col < m; ++col) {
    // GIVEN:         float acc = 0.0f;
    // GIVEN:         for (int i = 0; i < k; ++i)
    // GIVEN:             acc += a[row * k + i] * a[col * k + i];
    // GIVEN:         c[row * m + col] = acc;
    // GIVEN:     }
    // GIVEN: }
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
        for (int r = 0; r < V && row0 + r < m; ++r)
        for (int s = 0; s < V && col0 + s < m; ++s)
            c[(row0 + r) * m + col0 + s] = acc[r][s];
    }
    // END SOLUTION 1
}
