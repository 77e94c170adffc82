// WRONG no_row_guard: warps without a row load from behind the end of the matrix.
// BEGIN SOLUTION 1
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    {
        for (int col = lane; col < cols; col += 32)
            sum += in[row * cols + col];
    }
// END SOLUTION 1

// WRONG one_lane: lane 0 adds up the whole row.
// BEGIN SOLUTION 1
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row < rows) {
        for (int col = 0; col < cols && lane == 0; ++col)
            sum += in[row * cols + col];
    }
// END SOLUTION 1

// WRONG own_stretch: each lane takes a stretch of neighbouring columns, so that a request spreads over the row.
// BEGIN SOLUTION 1
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row < rows) {
        int each = (cols + 31) / 32;
        for (int col = lane * each; col < min(cols, (lane + 1) * each); ++col)
            sum += in[row * cols + col];
    }
// END SOLUTION 1

// WRONG rows_overlap: forgets that a block has four warps: blocks share rows, and the last rows are never summed.
// BEGIN SOLUTION 1
    int lane = threadIdx.x % 32;
    int row = blockIdx.x + threadIdx.x / 32;
    if (row < rows) {
        for (int col = lane; col < cols; col += 32)
            sum += in[row * cols + col];
    }
// END SOLUTION 1

// WRONG whole_warps_only: leaves out the last cols % 32 columns.
// BEGIN SOLUTION 1
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row < rows) {
        for (int col = lane; col < cols / 32 * 32; col += 32)
            sum += in[row * cols + col];
    }
// END SOLUTION 1
