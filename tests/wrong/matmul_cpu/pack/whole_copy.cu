// Wrong: copies all of b once, and not a panel for each band.
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
    float all[8192];
    for (int j = 0; j < k * n; ++j) all[j] = b[j];
    for (int row1 = 0; row1 < m; row1 += B1)
    for (int k0 = 0; k0 < k; k0 += B3)
    for (int col0 = 0; col0 < n; col0 += V) {
        int depth = k - k0 < B3 ? k - k0 : B3;
        // YOUR CODE 1: copy the panel into its own array (about 5 lines)
        for (int row0 = row1; row0 < m && row0 < row1 + B1; row0 += V) {
            float acc[V][V] = {};
            for (int i = 0; i < depth; ++i) {
                float a_frag[V];
                for (int r = 0; r < V; ++r) {
                    a_frag[r] = row0 + r < m
                        ? a[(row0 + r) * k + k0 + i] : 0.0f;
                }
                for (int s = 0; s < V; ++s) {
                    // YOUR CODE 2: take it from the panel
                    float b_frag = col0 + s < n
                        ? all[(k0 + i) * n + col0 + s] : 0.0f;
                    for (int r = 0; r < V; ++r)
                        acc[r][s] += a_frag[r] * b_frag;
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
