// WRONG drops_the_end: guards the unshifted index, so the last elements stay unwritten.
// BEGIN SOLUTION 1
    int shifted = i - start % 32;
    if (shifted >= 0 && i < n) {
        i = shifted;
// END SOLUTION 1

// WRONG no_lower_guard: writes up to 31 elements in front of the range.
// BEGIN SOLUTION 1
    i -= start % 32;
    if (i < n) {
// END SOLUTION 1

// WRONG not_aligned: right results, but every warp straddles a sector.
// BEGIN SOLUTION 1
    if (i >= 0 && i < n) {
// END SOLUTION 1

// WRONG wrong_way: shifts forward: the first elements stay unwritten.
// BEGIN SOLUTION 1
    i += start % 32;
    if (i >= 0 && i < n) {
// END SOLUTION 1
