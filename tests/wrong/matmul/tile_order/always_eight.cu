// Wrong: groups of eight rows, whatever GROUP is.
#ifndef GROUP
#define GROUP 8
#endif

extern "C" __global__
void matmul_tile_order(
    int* __restrict__ order,   // [rows * cols]
    int rows, int cols)
{
    int block = blockIdx.x;
    int first = block / (8 * cols) * 8,
        place = block % (8 * cols);
    int height = min(8, rows - first);
    int row = first + place % height, col = place / height;
    if (threadIdx.x == 0) order[block] = row * cols + col;
}
