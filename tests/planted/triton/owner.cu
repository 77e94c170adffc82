// WRONG blocked_by_thread: each thread has all its elements in one run.
// BEGIN SOLUTION 1
    int at = i % tile, threads = 32 * warps;
    thread = at / (tile / threads);
    held = at / (size * threads) * size + at % size;
// END SOLUTION 1

// WRONG no_tile: the number in the array, not in its tile.
// BEGIN SOLUTION 1
    int at = i, threads = 32 * warps;
    thread = at / size % threads;
    held = at / (size * threads) * size + at % size;
// END SOLUTION 1

// WRONG one_each: every thread holds one element a turn.
// BEGIN SOLUTION 1
    int at = i % tile, threads = 32 * warps;
    thread = at % threads;
    held = at / (size * threads) * size + at % size;
// END SOLUTION 1

// WRONG one_turn: no second turn: threads beyond the last one.
// BEGIN SOLUTION 1
    int at = i % tile, threads = 32 * warps;
    thread = at / size;
    held = at / (size * threads) * size + at % size;
// END SOLUTION 1

// WRONG register_of_first_turn: registers of a later turn are those of the first.
// BEGIN SOLUTION 1
    int at = i % tile, threads = 32 * warps;
    thread = at / size % threads;
    held = at % size;
// END SOLUTION 1

// RIGHT subtracts: with remainders taken by multiplication.
// BEGIN SOLUTION 1
    int at = i % tile, threads = 32 * warps;
    thread = at / size % threads;
    held = at / (size * threads) * size + (at - at / size * size);
// END SOLUTION 1

// WRONG goes_through_all: deals out the elements one by one until its own comes.
// BEGIN SOLUTION 1
    int next = 0, turn = 0, filled = 0;
    for (int at = 0; at <= i % tile; ++at) {
        thread = next;
        held = turn * size + filled;
        if (++filled == size) {
            filled = 0;
            if (++next == 32 * warps) {
                next = 0;
                ++turn;
            }
        }
    }
// END SOLUTION 1
