// matmul/exercises/wide_store: write c four columns at a time,
//     and read it only when asked.
//
// c[row, col] = alpha * (sum over i of a[row, i] * b[i, col])
//               + beta * c[row, col]
//
// Launch:   block (32, 8), grid (ceil(n/128), ceil(m/8))
// Defines:  none
// Cost:     4*(m*k + k*n + m*n) bytes, 2*m*n*k flops
// Assumes:  nothing
//
// A thread holds c[row, col] to c[row, col + 3] in acc. As given it stores
// them one by one. Asked: one 16-byte store where n is a multiple of 4,
// single stores elsewhere; beta = 0 never reads c.
// HINT 1: c[row, col] is at a multiple of 16 bytes when col and n are
//         multiples of 4.
// HINT 2: A thread has all four columns or, at the right edge, fewer:
//         with n a multiple of 4 all or none.

extern "C" __global__
void matmul_wide_store(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    int row = blockIdx.y * 8 + threadIdx.y,
        col = blockIdx.x * 128 + threadIdx.x * 4;
    float acc[4] = {};
    for (int i = 0; i < k; ++i)
        for (int x = 0; x < 4; ++x)
            if (row < m && col + x < n)
                acc[x] += a[row * k + i] * b[i * n + col + x];
    // BEGIN SOLUTION 1: combine and store
    // GIVEN: for (int x = 0; x < 4; ++x)
    // GIVEN:     if (row < m && col + x < n) {
    // GIVEN:         float old = beta == 0.0f
    // GIVEN:             ? 0.0f : beta * c[row * n + col + x];
    // GIVEN:         c[row * n + col + x] = alpha * acc[x] + old;
    // GIVEN:     }
    for (int x = 0; x < 4; ++x) {
        float old = 0.0f;
        if (beta != 0.0f && row < m && col + x < n)
            old = beta * c[row * n + col + x];
        acc[x] = alpha * acc[x] + old;
    }
    if (n % 4 == 0) {
        float4 four = make_float4(acc[0], acc[1], acc[2], acc[3]);
        if (row < m && col < n)
            *reinterpret_cast<float4*>(c + row * n + col) = four;
    } else {
        for (int x = 0; x < 4; ++x)
            if (row < m && col + x < n) c[row * n + col + x] = acc[x];
    }
    // END SOLUTION 1
}
