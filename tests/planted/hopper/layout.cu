// WRONG columns_in_one_box: looks for column 32 behind column 31.
// BEGIN SOLUTION 2
        const int begin = 2 * i;
// END SOLUTION 2

// WRONG eight_rows_too_far: takes eight rows for 1024 bytes.
// BEGIN SOLUTION 1
    return start | 1024ull >> 4 << 32 | 2ull << 62;
// END SOLUTION 1

// WRONG mode_of_128: says 128 bytes for the swizzle.
// BEGIN SOLUTION 1
    return start | 512ull >> 4 << 32 | 1ull << 62;
// END SOLUTION 1

// WRONG mode_of_32: says 32 bytes for the swizzle.
// BEGIN SOLUTION 1
    return start | 512ull >> 4 << 32 | 3ull << 62;
// END SOLUTION 1

// WRONG no_swizzle: another place(), with no swizzle at all.
// BEGIN SOLUTION 1
    // YOUR CODE 1: bytes from eight rows to the next; the mode
    return start | 1024ull >> 4 << 16 | 128ull >> 4 << 32;
// END SOLUTION 1
// BEGIN SOLUTION 2
        // YOUR CODE 2: where the columns from i on begin, in bytes
        const int begin = 128 * i;
// END SOLUTION 2
// INSTEAD OF
    const int at = piece / 4 * 4096 + row * 64 + piece % 4 * 16;
    return at ^ (at >> 7 & 3) << 4;
// WRITE
    const int at = piece * 1024 + row * 16;
    return at;
// END

// WRONG other_layout: changes the layout instead of the descriptors.
// BEGIN SOLUTION 1
    return start | 1024ull >> 4 << 32 | 1ull << 62;
// END SOLUTION 1
// BEGIN SOLUTION 2
        const int begin = 2 * i;
// END SOLUTION 2
// INSTEAD OF
    const int at = piece / 4 * 4096 + row * 64 + piece % 4 * 16;
    return at ^ (at >> 7 & 3) << 4;
// WRITE
    return row * 128 + (piece ^ row % 8) * 16;
// END

// RIGHT added_up: counts the beginning up from box to box.
// INSTEAD OF
    for (int i = 0; i < 64; i += 16) {
        const int begin = i / 32 * 4096 + i % 32 * 2;
// WRITE
    for (int i = 0; i < 4; ++i) {
        const int begin = (i & 1) * 32 + (i >> 1) * 64 * 64;
// END
