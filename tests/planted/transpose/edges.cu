// WRONG guards_the_thread: leaves above the barrier, and with whole threads: some rows of the last tiles stay unwritten.
// INSTEAD OF
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
// WRITE
    int col = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows || col >= cols) {
        return;
    }
    for (int k = 0; k < 32; k += 8) {
// END

// WRONG k_on_the_row: the second guard moves the row with k, and k moves the column there.
// BEGIN SOLUTION 2
        if (row + k < rows && col < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
// END SOLUTION 2

// WRONG no_tile: no tile at all, so that the lanes of a warp store down a column.
extern "C" __global__
void transpose_edges(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [cols, rows]
    int rows, int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x;
    for (int k = 0; k < 32; k += 8) {
        int row = blockIdx.y * 32 + threadIdx.y + k;
        if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
    }
}

// WRONG reads_outside: guards the stores alone, and reads past the end of in.
// BEGIN SOLUTION 1
        tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
// END SOLUTION 1

// WRONG swapped: right for square matrices only: the second guard compares rows with columns.
// BEGIN SOLUTION 2
        if (row < cols && col + k < rows) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
// END SOLUTION 2

// RIGHT swizzled: an XOR in place of the spare column.
// BEGIN SOLUTION 1
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x ^ (threadIdx.y + k)] = in[(row + k) * cols + col];
        }
// END SOLUTION 1
// BEGIN SOLUTION 2
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][(threadIdx.y + k) ^ threadIdx.x];
        }
// END SOLUTION 2
// INSTEAD OF
    __shared__ float tile[32][33];
// WRITE
    __shared__ float tile[32][32];
// END
