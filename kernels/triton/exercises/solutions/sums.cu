// triton/exercises/sums: which thread holds a sum of a tile that the tensor
//     cores computed?
//
// out[row, col] = the number of the thread that holds c[row, col]
//
// Launch:   block (32, 4), grid (ceil(cols/32), ceil(rows/4))
// Defines:  none
// Cost:     4*rows*cols bytes, 0 flops
// Assumes:  rows a multiple of 16*down and cols of 8*across;
//           rows*cols < 2^31
//
// The layout is the one that Triton writes as
//     nvidia_mma, versionMajor = 2, warpsPerCTA = [down, across],
//     instrShape = [16, 8]
// A warp makes 16 x 8 sums with one mma.sync, which spreads them over its
// lanes: explore("fragments") draws it. down x across warps lie side by side,
// numbered along the rows, and cover 16*down x 8*across sums. A larger tile
// repeats that, downwards and to the right. Asked: the thread by formula,
// without trying others.
// HINT 1: Within 16 x 8 sums the lane is found from row % 8 and col % 8.
//         Two neighbours in a row belong to one lane.
// HINT 2: The warp is found from row / 16 % down and col / 8 % across.
extern "C" __global__
void triton_sums(
    int* __restrict__ out,   // [rows, cols]
    int rows, int cols, int down, int across)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols) return;
    int thread = 0;
    // BEGIN SOLUTION 1: the warp, the lane, the thread (about 3 lines)
    int warp = row / 16 % down * across + col / 8 % across;
    int lane = row % 8 * 4 + col % 8 / 2;
    thread = 32 * warp + lane;
    // END SOLUTION 1
    out[row * cols + col] = thread;
}
