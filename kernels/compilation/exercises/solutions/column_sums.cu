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
// HINT 1: What could the sum live in, that no pointer can point to?
// HINT 2: A variable of the thread's own, or a promise about out.
extern "C" __global__
void compilation_column_sums(
    // BEGIN SOLUTION 1: a promise to the compiler, or a variable of your own
    // GIVEN: const float* in,  // [rows, cols]
    // GIVEN: float* out,       // [cols]
    const float* __restrict__ in,  // [rows, cols]
    float* __restrict__ out,       // [cols]
    // END SOLUTION 1
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        // BEGIN SOLUTION 2: where the sum lives
        // GIVEN: out[c] = 0.0f;
        // GIVEN: for (int r = 0; r < rows; ++r) {
        // GIVEN:     out[c] += in[r * cols + c];
        // GIVEN: }
        float sum = 0.0f;
        for (int r = 0; r < rows; ++r) {
            sum += in[r * cols + c];
        }
        out[c] = sum;
        // END SOLUTION 2
    }
}
