// WRONG down_the_columns: every element is right, but a warp spans 8 rows and touches 8 sectors instead of 4.
// BEGIN SOLUTION 1
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    int row = blockIdx.x * blockDim.y + thread % blockDim.y;
    int col = blockIdx.y * blockDim.x + thread / blockDim.y;
// END SOLUTION 1

// WRONG missing_guard: threads to the right of the matrix write into the next row.
// INSTEAD OF
    if (row < rows && col < cols)
// WRITE
    if (row < rows)
// END

// WRONG wrong_extent: the row steps by blockDim.x, 32, between blocks that cover 8: right for up to 8 rows.
// BEGIN SOLUTION 1
    int row = blockIdx.x * blockDim.x + threadIdx.y;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
// END SOLUTION 1
