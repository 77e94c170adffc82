// vector_add/exercises/add_bias: one bias per column, added to every
//     row of a matrix.
//
// out[row, col] = in[row, col] + bias[col]
//
// Launch:   block (32, 8), grid (ceil(cols/32), ceil(rows/8))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  rows * cols < 2^31
// HINT 1: The grid's x axis counts blocks of columns: it is
//         ceil(cols/32) wide.
// HINT 2: Element [row, col] of a matrix stored row after row is at
//         row * cols + col.
// HINT 3: Guard both indices: either may run past its edge alone.
extern "C" __global__
void vector_add_add_bias(
    const float* __restrict__ in,    // [rows, cols]
    const float* __restrict__ bias,  // [cols]
    float* __restrict__ out,         // [rows, cols]
    int rows, int cols)
{
    // BEGIN SOLUTION 1: this thread's row and column
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // END SOLUTION 1
    // BEGIN SOLUTION 2: guard, load, add, store
    if (row < rows && col < cols) {
        out[row * cols + col] = in[row * cols + col] + bias[col];
    }
    // END SOLUTION 2
}
