// WRONG drops_the_tail: leaves out the columns after the last whole 32.
// INSTEAD OF
    for (int c = lane; c < cols; c += 32) {
// WRITE
    for (int c = lane; c + 31 - lane < cols; c += 32) {
// END

// WRONG no_guard: reads rows that are not there.
// INSTEAD OF
            if (first + r < rows)
                sum[r] += matrix[(first + r) * cols + c] * factor;
// WRITE
            sum[r] += matrix[(first + r) * cols + c] * factor;
// END

// WRONG one_sum: adds all rows into the first sum.
// INSTEAD OF
            if (first + r < rows)
                sum[r] += matrix[(first + r) * cols + c] * factor;
// WRITE
            if (first + r < rows) sum[0] += matrix[(first + r) * cols + c] * factor;
// END

// WRONG two_at_a_time: walks over the vector twice, for two rows each time.
// BEGIN SOLUTION 1
    #pragma unroll
    for (int half = 0; half < ROWS; half += 2) {
        for (int c = lane; c < cols; c += 32) {
            float factor = vector[c];
            for (int r = half; r < half + 2; ++r) {
                if (first + r < rows) sum[r] += matrix[(first + r) * cols + c] * factor;
            }
        }
    }
// END SOLUTION 1
