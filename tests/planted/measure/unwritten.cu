// WRONG column_major: reads column-major, at col * rows + row: right for one row or one column only.
// INSTEAD OF
            float value = out[row * cols + col];
// WRITE
            float value = out[col * rows + row];
// END

// WRONG equals_nan: nothing equals NaN, so the count stays 0.
// INSTEAD OF
            count += value != value;
// WRITE
            count += value == nanf("");
// END

// WRONG misses_first_row: the count begins at row 1.
// INSTEAD OF
        for (int row = 0; row < rows; ++row) {
// WRITE
        for (int row = 1; row < rows; ++row) {
// END

// WRONG missing_guard: threads beyond the last column read and write past the end.
// INSTEAD OF
    if (col < cols) {
// WRITE
    {
// END

// WRONG one_thread: one thread counts all columns.
extern "C" __global__
void measure_unwritten(
    const float* __restrict__ out,  // [rows, cols]
    int* __restrict__ missing,      // [cols]
    int rows, int cols)
{
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    for (int col = 0; col < cols; ++col) {
        int count = 0;
        for (int row = 0; row < rows; ++row) count += isnan(out[row * cols + col]);
        missing[col] = count;
    }
}
