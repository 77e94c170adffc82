// vector_add/exercises/add_bias: one bias per column, added to every
//     row of a matrix.
//
// out[row, col] = in[row, col] + bias[col]
//
// Launch:   block (32, 8), grid (ceil(cols/32), ceil(rows/8))
// Defines:  none
// Cost:     8*rows*cols bytes, rows*cols flops
// Assumes:  rows * cols < 2^31
extern "C" __global__
void vector_add_add_bias(
    const float* __restrict__ in,    // [rows, cols]
    const float* __restrict__ bias,  // [cols]
    float* __restrict__ out,         // [rows, cols]
    int rows, int cols)
{
    // YOUR CODE 1: this thread's row and column
    // YOUR CODE 2: guard, load, add, store
}
