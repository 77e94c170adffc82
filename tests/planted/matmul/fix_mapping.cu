// WRONG half_way: only every other lane is a neighbour: sixteen rows of a, two columns.
// BEGIN SOLUTION 1
    int row = blockIdx.y * blockDim.y + threadIdx.x / 2 + 16 * (threadIdx.y % 2);
    int col = blockIdx.x * blockDim.x + threadIdx.x % 2 + 2 * (threadIdx.y / 2);
// END SOLUTION 1

// WRONG no_guard: drops the guard on the columns.
// INSTEAD OF
    if (row < m && col < n) {
// WRITE
    if (row < m) {
// END

// WRONG reads_c: reads c although beta is 0, so what was there before survives as NaN.
// INSTEAD OF
        float old = beta == 0.0f ? 0.0f : beta * c[row * n + col];
// WRITE
        float old = beta * c[row * n + col];
// END

// WRONG swapped_blocks: swaps the blocks, not the threads: elements beyond a square are never written.
// BEGIN SOLUTION 1
    int row = blockIdx.x * blockDim.x + threadIdx.y;
    int col = blockIdx.y * blockDim.y + threadIdx.x;
// END SOLUTION 1

// WRONG two_columns: a warp makes 16 rows of two columns: 16 sectors of a, where one would do.
// BEGIN SOLUTION 1
    int tid = 32 * threadIdx.y + threadIdx.x;
    int row = 32 * blockIdx.y + tid % 16 + tid / 512 * 16, col = 32 * blockIdx.x + tid / 16 % 32;
// END SOLUTION 1
// INSTEAD OF
        for (int i = 0; i < k; ++i) {
            acc += a[row * k + i] * b[i * n + col];
        }
// WRITE
        for (int i = 0; i < k; ++i) acc += a[row * k + i] * b[i * n + col];
// END
