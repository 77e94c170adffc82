// WRONG naive: one column after the other, so that a is read four times.
extern "C" __global__
void matmul_four_columns(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * 8 + threadIdx.y;
    for (int col = blockIdx.x * 128 + threadIdx.x; col < min(n, (int(blockIdx.x) + 1) * 128); col += 32)
        if (row < m) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
}

// WRONG neighbours: sums neighbouring columns but stores those 32 apart.
// INSTEAD OF
            if (first + 32 * j < n)
                acc[j] += left * b[i * n + first + 32 * j];
// WRITE
            if (first + j < n)
                acc[j] += left * b[i * n + first + j];
// END

// WRONG no_row_guard: reads a below its last row.
// INSTEAD OF
        float left = row < m ? a[row * k + i] : 0.0f;
// WRITE
        float left = a[row * k + i];
// END

// WRONG reads_again: reads a once for each column, through a volatile pointer that the compiler must obey.
// INSTEAD OF
                acc[j] += left * b[i * n + first + 32 * j];
// WRITE
                acc[j] += static_cast<const volatile float*>(a)[row < m ? row * k + i : 0] * b[i * n + first + 32 * j];
// END
