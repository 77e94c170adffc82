// Wrong: a table of answers for two sizes.
#ifndef GROUP
#define GROUP 8
#endif

extern "C" __global__
void matmul_tile_order(
    int* __restrict__ order,   // [rows * cols]
    int rows, int cols)
{
    if (threadIdx.x > 0) return;
    const int known[15] = {0, 3, 6, 9, 12, 15, 18, 21, 1, 4, 7, 10, 13, 16, 19};
    order[blockIdx.x] = rows * cols == 1 ? 0 : known[blockIdx.x % 15];
}
