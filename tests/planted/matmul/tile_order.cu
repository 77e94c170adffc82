// WRONG across: goes to the right first inside a group.
// BEGIN SOLUTION 1
    int first = block / (GROUP * cols) * GROUP, place = block % (GROUP * cols);
    int height = min(GROUP, rows - first);
    int row = first + place / cols, col = place % cols;
// END SOLUTION 1

// WRONG always_eight: groups of eight rows, whatever GROUP is.
// BEGIN SOLUTION 1
    int first = block / (8 * cols) * 8,
        place = block % (8 * cols);
    int height = min(8, rows - first);
    int row = first + place % height, col = place / height;
// END SOLUTION 1

// WRONG always_full: takes every group for full: the last one points outside.
// BEGIN SOLUTION 1
    int first = block / (GROUP * cols) * GROUP, place = block % (GROUP * cols);
    int height = GROUP;
    int row = first + place % height, col = place / height;
// END SOLUTION 1

// WRONG table: a table of answers for two sizes.
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

// WRONG whole_columns: takes one group of all rows: right where there are at most GROUP.
// BEGIN SOLUTION 1
    int first = 0, place = block;
    int height = rows;
    int row = first + place % height, col = place / height;
// END SOLUTION 1
