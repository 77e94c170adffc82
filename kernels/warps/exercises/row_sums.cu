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
extern "C" __global__
void warps_row_sums(
    const float* __restrict__ in,   // [rows, cols]
    float* __restrict__ out,        // [rows]
    int rows, int cols)
{
    float sum = 0.0f;
    // YOUR CODE 1: lane, row, and the lane's own sum (about 5 lines)
    int lane = 0, row = rows;
    #pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0 && row < rows)
        out[row] = sum;
}
