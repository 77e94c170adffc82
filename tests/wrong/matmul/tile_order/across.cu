// Wrong: goes to the right first inside a group.
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
    int height = min(GROUP, rows - first);
    int row = first + place / cols, col = place % cols;
    if (threadIdx.x == 0) order[block] = row * cols + col;
}
