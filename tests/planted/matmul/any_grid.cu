// WRONG block_steps: steps by one block, so with more blocks an element is made many times over, beta and all.
// BEGIN SOLUTION 1
    for (int row = first_row; row < m; row += blockDim.y)
        for (int col = first_col; col < n; col += blockDim.x) {
// END SOLUTION 1

// WRONG one_block: the first block does it all, and the others nothing.
extern "C" __global__
void matmul_any_grid(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    if (blockIdx.x + blockIdx.y > 0) return;
    for (int row = threadIdx.y; row < m; row += 16)
        for (int col = threadIdx.x; col < n; col += 16) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
}

// WRONG one_thread: one thread does it all, whatever the grid is.
extern "C" __global__
void matmul_any_grid(
    const float* __restrict__ a,    // [m, k]
    const float* __restrict__ b,    // [k, n]
    float* __restrict__ c,          // [m, n], read only where beta is not 0
    int m, int n, int k, float alpha, float beta)
{
    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y > 0) return;
    for (int row = 0; row < m; ++row)
        for (int col = 0; col < n; ++col) {
            float acc = 0.0f;
            for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
            float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
            c[row * n + col] = alpha * acc + old;
        }
}

// WRONG rows_only: goes on down but not to the right.
// BEGIN SOLUTION 1
    for (int row = first_row; row < m; row += gridDim.y * blockDim.y)
        for (int col = first_col; col < n && col == first_col; ++col) {
// END SOLUTION 1

// WRONG swapped_steps: steps down by the grid's width: right on square grids only.
// BEGIN SOLUTION 1
    for (int row = first_row; row < m; row += gridDim.x * blockDim.x)
        for (int col = first_col; col < n; col += gridDim.y * blockDim.y) {
// END SOLUTION 1
