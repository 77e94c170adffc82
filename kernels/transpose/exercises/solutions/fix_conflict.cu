// transpose/exercises/fix_conflict: one lane a row,
//     and all 32 lanes at one bank.
//
// out[r] = in[r, 0] + ... + in[r, cols-1]
//
// Launch:   block (32), grid (ceil(rows/32))
// Defines:  none
// Cost:     4*rows*cols bytes, rows*cols flops
// Assumes:  rows * cols < 2^31
//
// A block is one warp. It loads 32 x 32 tiles, coalesced, and each lane adds
// up a row of the tile. Asked: no bank conflict, in loads and in stores.
// HINT 1: Let trace(...).draw(line) show you the banks of the line that
//         reads the tile.
// HINT 2: All lanes read column c of their rows. How far apart, in words,
//         are two neighbours?
// HINT 3: One number in the declaration changes that distance.
extern "C" __global__
void transpose_fix_conflict(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    // BEGIN SOLUTION 1: spread a column of the tile over all 32 banks
    // GIVEN: __shared__ float tile[32][32];
    __shared__ float tile[32][33];
    // END SOLUTION 1
    int lane = threadIdx.x;
    int first = blockIdx.x * 32;
    float sum = 0.0f;
    for (int start = 0; start < cols; start += 32) {
        for (int r = 0; r < 32; ++r) {
            bool inside = first + r < rows && start + lane < cols;
            tile[r][lane] = inside
                ? in[(first + r) * cols + start + lane] : 0.0f;
        }
        __syncthreads();
        for (int c = 0; c < 32; ++c) {
            sum += tile[lane][c];
        }
        __syncthreads();
    }
    if (first + lane < rows) {
        out[first + lane] = sum;
    }
}
