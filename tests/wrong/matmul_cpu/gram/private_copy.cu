// Wrong: a copy of all of a in local memory, and no register tile.
#ifndef V
#define V 4
#endif

extern "C" __global__
void matmul_cpu_gram(
    const float* __restrict__ a,    // [m, k]
    float* __restrict__ c,          // [m, m]
    int m, int k)
{
    float keep[8192];
    for (int j = 0; j < m * k; ++j) keep[j] = a[j];
    for (int row = 0; row < m; ++row)
        for (int col = 0; col < m; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += keep[row * k + i] * keep[col * k + i];
            c[row * m + col] = acc;
        }
}
