// warps/exercises/row_sums: a warp for each row of a matrix.
//
// out[row] = sum over col of in[row, col]
//
// Launch:   block (128), grid (ceil(rows/4))
// Defines:  none
// Cost:     4*rows*cols + 4*rows bytes, rows*cols flops
// Assumes:  rows * cols < 2^31
//
// Lane l of a warp adds up columns l, l + 32, l + 64, ...; the shuffles at
// the end, which are given, add up the 32 lanes. Asked: neighbouring lanes on
// neighbouring columns, right at every size.
// HINT 1: Which warp of the block is this, and which row does that make,
//         with 4 warps a block?
// HINT 2: A warp without a row must not load, but takes part in the shuffles
//         with a sum of 0.
extern "C" __global__
void warps_row_sums(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    float sum = 0.0f;
    // BEGIN SOLUTION 1: lane, row, and the lane's own sum (about 5 lines)
    // GIVEN: int lane = 0, row = rows;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row < rows) {
        for (int col = lane; col < cols; col += 32)
            sum += in[row * cols + col];
    }
    // END SOLUTION 1
    #pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0 && row < rows)
        out[row] = sum;
}
