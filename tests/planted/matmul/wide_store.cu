// WRONG naive: four stores of 4 bytes.
extern "C" __global__
void matmul_wide_store(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * 8 + threadIdx.y;
    for (int col = blockIdx.x * 128 + 4 * threadIdx.x, last = min(n, col + 4); col < last; ++col)
        if (row < m) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
}

// WRONG no_fallback: stores 16 bytes whatever n is: misaligned, and over the edge.
// INSTEAD OF
    if (n % 4 == 0) {
// WRITE
    if (n > 0) {
// END

// WRONG no_guard: guards the rows only: writes into the next row at the right edge.
// INSTEAD OF
        if (row < m && col < n)
            *reinterpret_cast<float4*>(c + row * n + col) = four;
// WRITE
        if (row < m) *reinterpret_cast<float4*>(c + row * n + col) = four;
// END

// WRONG reads_c: reads c although beta is 0.
// INSTEAD OF
        if (beta != 0.0f && row < m && col + x < n)
            old = beta * c[row * n + col + x];
// WRITE
        if (row < m && col + x < n) old = beta * c[row * n + col + x];
// END
