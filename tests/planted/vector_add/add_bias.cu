// WRONG bias_by_row: the bias is taken by row, not by column.
// BEGIN SOLUTION 2
    if (row < rows && col < cols) {
        out[row * cols + col] = in[row * cols + col] + bias[min(row, cols - 1)];
    }
// END SOLUTION 2

// WRONG down_the_columns: right values, but the 32 threads of a warp take 32 rows, each a sector of its own.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
    int side = blockIdx.y * blockDim.y * gridDim.x + blockIdx.x * blockDim.y + threadIdx.y;
    int threads = gridDim.x * gridDim.y * blockDim.y;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
        for (int col = side; col < cols; col += threads) {
            out[row * cols + col] = in[row * cols + col] + bias[col];
        }
    }
// END SOLUTION 2

// WRONG one_guard: col runs past its edge into the next row and past the bias.
// BEGIN SOLUTION 2
    if (row < rows) {
        out[row * cols + col] = in[row * cols + col] + bias[col];
    }
// END SOLUTION 2

// WRONG row_by_thread: a thread takes a whole row: its warp goes down the columns.
// BEGIN SOLUTION 1
// END SOLUTION 1
// BEGIN SOLUTION 2
    int thread = 32 * threadIdx.y + threadIdx.x;
    if (blockIdx.x > 0 || thread >= 8) return;
    int row = blockIdx.y * 8 + thread;
    for (int col = 0; row < rows && col < cols; ++col)
        out[row * cols + col] = in[row * cols + col] + bias[col];
// END SOLUTION 2

// WRONG square_only: the row's length is taken for the number of rows; right for square matrices only.
// BEGIN SOLUTION 2
    if (row < rows && col < cols) {
        out[row * rows + col] = in[row * rows + col] + bias[col];
    }
// END SOLUTION 2
