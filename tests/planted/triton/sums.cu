// WRONG down_first: warps numbered down the columns.
// BEGIN SOLUTION 1
    int warp = row / 16 % down + col / 8 % across * down;
    int lane = row % 8 * 4 + col % 8 / 2;
    thread = 32 * warp + lane;
// END SOLUTION 1

// WRONG one_column_a_lane: a lane for each column of four.
// BEGIN SOLUTION 1
    int warp = row / 16 % down * across + col / 8 % across;
    int lane = row % 8 * 4 + col % 4;
    thread = 32 * warp + lane;
// END SOLUTION 1

// WRONG one_warp_block: each warp has a part of the tile in one piece.
// BEGIN SOLUTION 1
    int warp = row / (rows / down) * across + col / (cols / across);
    int lane = row % 8 * 4 + col % 8 / 2;
    thread = 32 * warp + lane;
// END SOLUTION 1

// WRONG rows_of_sixteen: lanes go down all sixteen rows.
// BEGIN SOLUTION 1
    int warp = row / 16 % down * across + col / 8 % across;
    int lane = row % 16 * 2 + col % 8 / 4;
    thread = 32 * warp + lane;
// END SOLUTION 1
