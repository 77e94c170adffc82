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
extern "C" __global__
void triton_sums(
    int* __restrict__ out,   // [rows, cols]
    int rows, int cols, int down, int across)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols) return;
    int thread = 0;
    // YOUR CODE 1: the warp, the lane, the thread (about 3 lines)
    out[row * cols + col] = thread;
}
