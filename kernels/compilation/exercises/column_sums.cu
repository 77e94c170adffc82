// compilation/exercises/column_sums: a sum that the compiler has to keep in
//     memory, because it was promised nothing.
//
// out[c] = in[0, c] + in[1, c] + ... + in[rows - 1, c]
//
// Launch:   block (128), grid (ceil(cols/128))
// Defines:  none
// Cost:     4*rows*cols + 4*cols bytes, rows*cols flops
// Assumes:  rows * cols < 2^31
//
// A thread has a column. As given, every turn of the loop stores the sum and
// loads it again, since for all that the compiler knows in[...] and out[c]
// may be one place. Asked: one store for each column, and no load but those
// of in.
extern "C" __global__
void compilation_column_sums(
    // YOUR CODE 1: a promise to the compiler, or a variable of your own
    const float* in,  // [rows, cols]
    float* out,       // [cols]
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        // YOUR CODE 2: where the sum lives
        out[c] = 0.0f;
        for (int r = 0; r < rows; ++r) {
            out[c] += in[r * cols + c];
        }
    }
}
