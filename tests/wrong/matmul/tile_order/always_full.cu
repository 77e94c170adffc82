// Wrong: takes every group for full: the last one points outside.
#ifndef GROUP
#define GROUP 8
#endif

extern "C" __global__
void matmul_tile_order(
    int* __restrict__ order,   // [rows * cols]
    int rows, int cols)
{
    int block = blockIdx.x;
    int first = block / (GROUP * cols) * GROUP, place = block % (GROUP * cols);
    int height = GROUP;
    int row = first + place % height, col = place / height;
    if (threadIdx.x == 0) order[block] = row * cols + col;
}
