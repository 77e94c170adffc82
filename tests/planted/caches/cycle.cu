// WRONG always_32: positions 32 apart, whatever STRIDE is.
// BEGIN SOLUTION 1
    if (i < n) next[32 * order[i]] = 32 * order[(i + 1) % n];
// END SOLUTION 1

// WRONG backwards: every place links to the one before it.
// BEGIN SOLUTION 1
    if (i < n) {
        next[STRIDE * order[i]] = STRIDE * order[(i + n - 1) % n];
    }
// END SOLUTION 1

// WRONG no_guard: threads past the end write links of their own.
// BEGIN SOLUTION 1
    {
        next[STRIDE * order[i]] = STRIDE * order[(i + 1) % n];
    }
// END SOLUTION 1

// WRONG no_wrap: the last place links to what lies behind the end of order.
// BEGIN SOLUTION 1
    if (i < n) {
        next[STRIDE * order[i]] = STRIDE * order[i + 1];
    }
// END SOLUTION 1

// WRONG not_in_positions: links hold the number of a place, not its position.
// BEGIN SOLUTION 1
    if (i < n) {
        next[STRIDE * order[i]] = order[(i + 1) % n];
    }
// END SOLUTION 1

// WRONG one_thread: right, but one thread does it all, with a request for every load.
// BEGIN SOLUTION 1
    if (i == 0) {
        for (int k = 0; k < n; ++k) next[STRIDE * order[k]] = STRIDE * order[(k + 1) % n];
    }
// END SOLUTION 1
