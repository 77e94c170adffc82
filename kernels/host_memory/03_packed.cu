// host_memory/03_packed: a matrix whose rows follow each other without a gap.
//
// out[row, col] = 2 * in[row, col]
//
// Changed:  rewrite: two dimensions, one block for 256 columns of one row
// Launch:   block (256), grid (rows, ceil(cols/256))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  nothing
extern "C" __global__
void host_memory_packed(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    int row = blockIdx.x;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
    const float* in_row = in + (size_t)row * cols;
    float* out_row = out + (size_t)row * cols;
    if (row < rows && col < cols) {
        out_row[col] = 2 * in_row[col];
    }
}
