// WRONG lanes_apart: right, but neighbouring lanes take particles that lie eight apart.
// INSTEAD OF
    int i = blockIdx.x * blockDim.x + threadIdx.x;
// WRITE
    int i = blockIdx.x * blockDim.x + threadIdx.x % 32 * 8 + threadIdx.x / 32;
// END

// WRONG no_guard: no guard: the last block reads and writes past the end.
// INSTEAD OF
    if (i < n) {
// WRITE
    {
// END

// WRONG old_layout: still reads an array of structures.
// BEGIN SOLUTION 1
        float mass = fields[4 * i], vx = fields[4 * i + 1];
        float vy = fields[4 * i + 2], vz = fields[4 * i + 3];
// END SOLUTION 1

// WRONG padded_rows: right at multiples of 32 only: takes rows for padded to 32 floats.
// BEGIN SOLUTION 1
        float mass = fields[i], vx = fields[row + i];
        float vy = fields[2 * row + i], vz = fields[3 * row + i];
// END SOLUTION 1
// INSTEAD OF
    if (i < n) {
// WRITE
    int row = (n + 31) / 32 * 32;
    if (i < n) {
// END
