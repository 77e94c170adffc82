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

// WRONG tries_all: tries every thread, every place that it may hold.
// BEGIN SOLUTION 1
    for (int warp = 0; warp < down * across; ++warp)
        for (int lane = 0; lane < 32; ++lane)
            if (warp / across == row / 16 % down && warp % across == col / 8 % across
                && lane / 4 == row % 8 && lane % 4 == col % 8 / 2)
                thread = 32 * warp + lane;
// END SOLUTION 1

// RIGHT by_bits: warp and lane by shifts; the tile's turn by division.
// BEGIN SOLUTION 1
    int turn_down = (row >> 4) % down, turn_across = (col >> 3) % across;
    thread = (turn_down * across + turn_across) << 5 | (row & 7) << 2 | (col & 7) >> 1;
// END SOLUTION 1
