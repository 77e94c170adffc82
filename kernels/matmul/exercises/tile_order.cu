// matmul/exercises/tile_order: walk the tiles in groups of rows.
//
// order[block] = row * cols + col
//
// Launch:   block (32), grid (rows*cols)
// Defines:  GROUP = 8
// Cost:     4*rows*cols bytes, 0 flops
// Assumes:  nothing
//
// Blocks start in the order of their number. Row after row, the 132 that run
// together need a few rows of a and all of b; in groups of GROUP rows, column
// by column, they need less of both in all. order[block] = row * cols + col
// of the block's tile. As given: row after row. Asked: groups of GROUP
// rows; inside a group down each column, then one to the right. The last
// group may be lower.
#ifndef GROUP
#define GROUP 8
#endif

extern "C" __global__
void matmul_tile_order(
    int* __restrict__ order,   // [rows * cols]
    int rows, int cols)
{
    int block = blockIdx.x;
    // YOUR CODE 1: which tile is this block's?
    int row = block / cols, col = block % cols;
    if (threadIdx.x == 0) order[block] = row * cols + col;
}
