// matmul_cpu/12_slices: k in slices of B3; of each slice, a and b are copied
//     into panels, as a BLAS does.
//
// c[row, col] = sum over i of a[row, i] * b[i, col]
//
// Changed:  rewrite: a and b packed here, k in slices  (from 08_packed)
// Launch:   block (1), grid (1): one thread does it all
// Defines:  V1 = 8, V2 = 48, B1 = 240, B3 = 336
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  m*k, k*n, m*n and B3*(n + V2) below 2^31
#ifndef V1
#define V1 8
#endif
#ifndef V2
#define V2 48
#endif
#ifndef B1
#define B1 240
#endif
#ifndef B3
#define B3 336
#endif
static_assert(B1 % V1 == 0, "register tiles must fill a band of rows");

extern "C" __global__
void matmul_cpu_slices(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n]
    float* __restrict__ a_panels,   // [B1/V1, B3, V1], to work in
    float* __restrict__ b_panels,   // [ceil(n/V2), B3, V2], to work in
    int m, int n, int k)
{
    for (int k0 = 0; k0 < k; k0 += B3) {
        int depth = k - k0 < B3 ? k - k0 : B3;
        // Pack a slice of b: V2 columns a panel, filled up with zeros.
        for (int col0 = 0; col0 < n; col0 += V2)
        for (int i = 0; i < depth; ++i) {
            float* to = b_panels + col0 * B3 + i * V2;
            for (int s = 0; s < V2; ++s)
                to[s] = col0 + s < n ? b[(k0 + i) * n + col0 + s] : 0.0f;
        }
        for (int row1 = 0; row1 < m; row1 += B1) {
            int row2 = m - row1 < B1 ? m : row1 + B1;
            // Pack B1 rows of the slice of a: V1 rows a panel.
            for (int row0 = row1; row0 < row2; row0 += V1)
            for (int r = 0; r < V1; ++r)
            for (int i = 0; i < depth; ++i)
                a_panels[(row0 - row1) * B3 + i * V1 + r] =
                    row0 + r < m ? a[(row0 + r) * k + k0 + i] : 0.0f;
            // A panel of b stays in L1 while all panels of a pass by.
            for (int col0 = 0; col0 < n; col0 += V2)
            for (int row0 = row1; row0 < row2; row0 += V1) {
                const float* left = a_panels + (row0 - row1) * B3;
                const float* right = b_panels + col0 * B3;
                float acc[V1][V2] = {};
                for (int i = 0; i < depth; ++i) {
                    #pragma GCC unroll 16
                    for (int r = 0; r < V1; ++r) {
                        #pragma omp simd
                        for (int s = 0; s < V2; ++s)
                            acc[r][s] += left[i * V1 + r] * right[i * V2 + s];
                    }
                }
                // Add the tile to c; the first slice sets it.
                int rows = m - row0 < V1 ? m - row0 : V1,
                    cols = n - col0 < V2 ? n - col0 : V2;
                for (int r = 0; r < rows; ++r) {
                    float* to = c + (row0 + r) * n + col0;
                    if (cols == V2) {
                        #pragma omp simd
                        for (int s = 0; s < V2; ++s)
                            to[s] = k0 ? to[s] + acc[r][s] : acc[r][s];
                    } else {
                        for (int s = 0; s < cols; ++s)
                            to[s] = k0 ? to[s] + acc[r][s] : acc[r][s];
                    }
                }
            }
        }
    }
}
