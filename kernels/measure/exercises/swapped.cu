// measure/exercises/swapped: the grid's axes are given, so a thread finds its
//     element another way.
//
// out[row, col] = 2 * in[row, col]
//
// Launch:   block (32, 8), grid (ceil(rows/8), ceil(cols/32)): x counts
//           the blocks down the rows
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  nothing
//
// Write every element, and keep each warp on 128 neighbouring bytes of a row.
extern "C" __global__
void measure_swapped(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows, cols]
    int rows, int cols)
{
    // YOUR CODE 1: find row and col under this grid
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols)
        out[row * cols + col] = 2.0f * in[row * cols + col];
}
