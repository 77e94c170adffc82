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
#ifndef V
#define V 4
#endif

extern "C" __global__
void matmul_cpu_gram(
    const float* __restrict__ a,    // [m, k]
    float* __restrict__ c,          // [m, m]
    int m, int k)
{
    // YOUR CODE 1: V x V sums at a time (about 16 lines)
    for (int row = 0; row < m; ++row) {
        for (int col = 0; col < m; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i)
                acc += a[row * k + i] * a[col * k + i];
            c[row * m + col] = acc;
        }
    }
}
