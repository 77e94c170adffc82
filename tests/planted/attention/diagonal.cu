// WRONG all_computed: right, but every block loads and multiplies.
// BEGIN SOLUTION 1
// END SOLUTION 1

// WRONG before_the_diagonal: the blocks on the diagonal are left out.
// BEGIN SOLUTION 1
    any = col0 < row0;
// END SOLUTION 1

// WRONG diagonal_whole: on the diagonal whole blocks count.
// BEGIN SOLUTION 2
    if (col0 > row0) score = NOTHING;
// END SOLUTION 2

// WRONG not_itself: a query does not look at itself.
// BEGIN SOLUTION 2
    if (col >= row) score = NOTHING;
// END SOLUTION 2

// WRONG not_written: blocks without a score that counts are not written.
// INSTEAD OF
    if (row < n && col < n) scores[row * n + col] = score;
// WRITE
    if (any && row < n && col < n) scores[row * n + col] = score;
// END

// WRONG zeros: a masked score is 0, which exp takes for 1.
// BEGIN SOLUTION 2
    if (col > row) score = 0.0f;
// END SOLUTION 2

// RIGHT first_in_row: the mask is put on before the scale, and in other words.
// BEGIN SOLUTION 1
    any = blockIdx.x <= blockIdx.y;
// END SOLUTION 1
// BEGIN SOLUTION 2
    float score = col <= row ? acc * scale : NOTHING;
// END SOLUTION 2
// INSTEAD OF
    float score = scale * acc;
// WRITE
// END

// WRONG loads_guarded: visits every block, and only spares the loads.
// BEGIN SOLUTION 1
    const bool some = col0 <= row0 + TILE - 1;
// END SOLUTION 1
// INSTEAD OF
        q_tile[threadIdx.y][threadIdx.x] = row < n ? q[row * D + d] : 0.0f;
        k_tile[threadIdx.y][threadIdx.x] = key < n ? k[key * D + d] : 0.0f;
// WRITE
        q_tile[threadIdx.y][threadIdx.x] = some && row < n ? q[row * D + d] : 0.0f;
        k_tile[threadIdx.y][threadIdx.x] = some && key < n ? k[key * D + d] : 0.0f;
// END
