// WRONG const_alone: another const promises nothing; the sum still lives in memory.
// BEGIN SOLUTION 1
    const float* in,  // [rows, cols]
    float* out,       // [cols]
// END SOLUTION 1
// BEGIN SOLUTION 2
        out[c] = 0.0f;
        for (int r = 0; r < rows; ++r) {
            const float value = in[r * cols + c];
            out[c] += value;
        }
// END SOLUTION 2

// WRONG first_row_left_out: begins with row 1.
// BEGIN SOLUTION 2
        float sum = 0.0f;
        for (int r = 1; r < rows; ++r) {
            sum += in[r * cols + c];
        }
        out[c] = sum;
// END SOLUTION 2

// WRONG no_guard: the last block writes past the columns.
extern "C" __global__
void compilation_column_sums(
    const float* __restrict__ in,  // [rows, cols]
    float* __restrict__ out,       // [cols]
    int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int r = 0; r < rows; ++r) {
        sum += in[r * cols + c];
    }
    out[c] = sum;
}

// WRONG volatile_sum: the sum is kept, and stored after every row all the same.
// BEGIN SOLUTION 1
    const float* in,  // [rows, cols]
    float* out,       // [cols]
// END SOLUTION 1
// BEGIN SOLUTION 2
        float sum = 0.0f;
        out[c] = sum;
        for (int r = 0; r < rows; ++r) {
            sum += in[r * cols + c];
            out[c] = sum;
        }
// END SOLUTION 2

// RIGHT own_variable: a variable of its own, and no promise.
// BEGIN SOLUTION 1
    const float* in,  // [rows, cols]
    float* out,       // [cols]
// END SOLUTION 1
// BEGIN SOLUTION 2
        float sum = in[c];
        for (int r = 1; r < rows; ++r) {
            sum += in[r * cols + c];
        }
        out[c] = sum;
// END SOLUTION 2

// RIGHT from_below: goes up the column from the last row.
// BEGIN SOLUTION 1
    const float* in,  // [rows, cols]
    float* out,       // [cols]
// END SOLUTION 1
// BEGIN SOLUTION 2
        float sum = 0.0f;
        for (int r = rows - 1; r >= 0; --r) sum += in[r * cols + c];
        out[c] = sum;
// END SOLUTION 2
