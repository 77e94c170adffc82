// WRONG down_the_columns: right results, but lanes walk down a column: a sector each.
// INSTEAD OF
    int row = blockIdx.x;
    int col = blockIdx.y * blockDim.x + threadIdx.x;
// WRITE
    int chunk = blockIdx.x * gridDim.y + blockIdx.y;
    int element = chunk * blockDim.x + threadIdx.x;
    int col = element / rows, row = element % rows;
// END

// WRONG fills_the_padding: writes what lies behind the columns of a row, too.
// INSTEAD OF
    if (row < rows && col < cols) {
// WRITE
    if (row < rows && col < out_pitch / 4 && col < in_pitch / 4) {
// END

// WRONG no_padding: right only where a row fills its pitch: takes the rows for packed.
// BEGIN SOLUTION 1
    const float* in_row = (const float*)((const char*)in + row * (cols * sizeof(float)));
    float* out_row = (float*)((char*)out + row * (cols * sizeof(float)));
// END SOLUTION 1

// WRONG one_pitch: uses the pitch of in for out as well.
// BEGIN SOLUTION 1
    const float* in_row = (const float*)((const char*)in + row * in_pitch);
    float* out_row = (float*)((char*)out + row * in_pitch);
// END SOLUTION 1
