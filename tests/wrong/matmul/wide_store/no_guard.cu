// Wrong: guards the rows only: writes into the next row at the right edge.
extern "C" __global__
void matmul_wide_store(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 128 + threadIdx.x * 4;
    float acc[4] = {};
    for (int i = 0; i < k; ++i)
        for (int x = 0; x < 4; ++x)
            if (row < m && col + x < n) acc[x] += a[row * k + i] * b[i * n + col + x];
    for (int x = 0; x < 4; ++x) {
        float old = 0.0f;
        if (beta != 0.0f && row < m && col + x < n) old = beta * c[row * n + col + x];
        acc[x] = alpha * acc[x] + old;
    }
    if (n % 4 == 0) {
        float4 four = make_float4(acc[0], acc[1], acc[2], acc[3]);
        if (row < m) *reinterpret_cast<float4*>(c + row * n + col) = four;
    } else {
        for (int x = 0; x < 4; ++x)
            if (row < m && col + x < n) c[row * n + col + x] = acc[x];
    }
}
