// WRONG all_tiles: visits every tile.
// BEGIN SOLUTION 1
    const int end = keys;
// END SOLUTION 1

// WRONG first_row: the loop ends where the block's first query does.
// BEGIN SOLUTION 1
    const int end = min(keys, row0 + 1 + offset);
// END SOLUTION 1

// WRONG no_mask: the tile on the diagonal is not masked.
// INSTEAD OF
            if (key >= keys || key > row + offset) continue;
// WRITE
            if (key >= keys) continue;
// END

// WRONG no_offset: the loop's end forgets the offset.
// BEGIN SOLUTION 1
    const int end = min(keys, row0 + 32);
// END SOLUTION 1

// WRONG one_short: the mask hides the diagonal itself.
// INSTEAD OF
            if (key >= keys || key > row + offset) continue;
// WRITE
            if (key >= keys || key >= row + offset) continue;
// END

// WRONG past_the_end: the loop does not end at the last key.
// BEGIN SOLUTION 1
    const int end = row0 + 32 + offset;
// END SOLUTION 1
// INSTEAD OF
            if (key >= keys || key > row + offset) continue;
// WRITE
            if (key > row + offset) continue;
// END

// WRONG loads_guarded: visits every tile, and only spares the loads.
// BEGIN SOLUTION 1
    const int end = keys, last = min(keys, row0 + 32 + offset);
// END SOLUTION 1
// INSTEAD OF
            if (key0 * 16 + i < keys * 16) {
// WRITE
            if (key0 * 16 + i < keys * 16 && key0 < last) {
// END

// RIGHT leaves: leaves the loop at the first hidden tile.
// BEGIN SOLUTION 1
    const int end = keys;
// END SOLUTION 1
// INSTEAD OF
        for (int i = lane; i < 32 * 16; i += 32)
// WRITE
        if (key0 > row0 + 31 + offset) break;
        for (int i = lane; i < 32 * 16; i += 32)
// END
